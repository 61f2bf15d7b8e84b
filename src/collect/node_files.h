/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to node_*.c and to what looks at the segments of all jobs: iterates over the segment directory and reads the headers of its
 * files. Everything in a file is hostile until checked; it must be a regular file of our own. Files are read with
 * pread, never mapped: a file that shrinks while it is read gives a short read instead of a SIGBUS, and what was
 * checked cannot change afterwards. */
#ifndef FM_COLLECT_NODE_FILES_H
#define FM_COLLECT_NODE_FILES_H

#include <sys/stat.h>

#include "collect/node.h"

/* The parts of a segment's file name. */
struct fm_segment_name {
    char job_key[72];
    int32_t pid;
    uint64_t start_time, pid_namespace;
    uint64_t replaced; /* nonzero: replaced by exec, in the order of these numbers */
};
bool fm_segment_name_parse(const char *file, struct fm_segment_name *name);

/* Our own host, boot and pid namespace, which segments are compared with. */
struct fm_node_here {
    char boot_id[40], host[72];
    uint64_t pid_namespace;
};
void fm_node_here(struct fm_node_here *here);

/* A regular file that belongs to the user and has no other hard link. */
bool fm_node_is_own_file(const struct stat *st);
/* Opens the directory if it is private to the user. Otherwise returns -1; errno is ENOENT if it does not exist. */
int fm_node_directory_open(const char *path, struct fm_error *error);

/* Given the usual or the fallback directory, returns the other one; false if `directory` is neither. */
bool fm_node_other_directory(const char *directory, char other[FM_FILE_PATH_BYTES]);

struct fm_node_file {
    const char *directory;
    int directory_fd, fd; /* fd is open for reading during the call of visit */
    const char *file;     /* name in the directory */
    struct fm_segment_name name;
    bool readable;   /* a segment of ours with a valid header; otherwise only file, name and why are valid */
    const char *why; /* what is wrong with it */
    size_t size;
    struct fm_segment_header header; /* a copy; strings are terminated */
};
/* Calls `visit` for each segment file of `job_key`, in both directories, or for all segments of this directory (NULL);
 * stops when it returns false. A missing directory has no files. Files that were never initialised are skipped. */
enum fm_status fm_node_visit(const char *directory, const char *job_key,
                             bool (*visit)(void *context, const struct fm_node_file *file), void *context,
                             struct fm_error *error);

/* Whether the file is a segment that was never initialised; *name then identifies its process. */
bool fm_node_half_made(int directory_fd, const char *file, struct fm_segment_name *name);

/* Of another host, or of another pid namespace of this one: it cannot be determined whether the process is alive. */
bool fm_node_foreign(const struct fm_node_here *here, const struct fm_segment_header *header);
bool fm_node_alive(const struct fm_node_here *here, const struct fm_segment_header *header);

/* Takes an exclusive lock on the directory, so that two collectors do not merge the same segments. Returns -1 if there
 * is no directory of ours, its file system does not support locks, or the lock is not released within a few seconds (by
 * a stopped collector); the caller continues without it, and at worst work is done twice. close() releases it. */
int fm_node_lock(const char *directory);

/* Describes an errno value; strerror may allocate from the program's heap. */
const char *fm_node_reason(int number);

/* Adds a process for each rank without data, so that the profile is not taken for complete. Returns false if out of
 * memory. */
bool fm_profile_add_missing(struct fm_profile *profile, uint32_t world_size);

#endif
