/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to node_*.c and the commands that collect: walking the segment directory and reading the heads of
 * its files. Everything in a file is hostile until checked; a file must be a regular one of our own. Files are read
 * with pread, never mapped: a file that shrinks while it is read gives a short read and not a SIGBUS, and what was
 * checked cannot change afterwards. */
#ifndef FM_COLLECT_NODE_FILES_H
#define FM_COLLECT_NODE_FILES_H

#include <sys/stat.h>

#include "collect/node.h"

/* What a segment's file name says. */
struct fm_segment_name {
    char job_key[72];
    int32_t pid;
    uint64_t start_time, pid_namespace;
    uint64_t replaced; /* not 0: what exec replaced, in the order of the numbers */
};
bool fm_segment_name_parse(const char *file, struct fm_segment_name *name);

/* Who we are: what segments are compared with. */
struct fm_node_here {
    char boot_id[40], host[72];
    uint64_t pid_namespace;
};
void fm_node_here(struct fm_node_here *here);

/* A regular file of the user's that has no second name elsewhere. */
bool fm_node_is_own_file(const struct stat *st);
/* The directory, open, if it is the user's alone; else -1, with ENOENT in errno if there is none. */
int fm_node_directory_open(const char *path, struct fm_error *error);

/* The one of the usual and the fallback directory that `directory` is not; false: it is neither. */
bool fm_node_other_directory(const char *directory, char other[FM_FILE_PATH_BYTES]);

struct fm_node_file {
    const char *directory;
    int directory_fd, fd; /* fd is open for reading during the visit */
    const char *file;     /* name in the directory */
    struct fm_segment_name name;
    bool readable;   /* a segment of ours with a sound head; else only file, name and why are valid */
    const char *why; /* what is wrong with it */
    size_t size;
    struct fm_segment_header header; /* a copy; its strings are terminated */
};
/* Calls `visit` for each segment file of `job_key`, which may lie in two directories, or for all of this directory
 * (NULL); stops when it returns false. A missing directory
 * has no files. Files that were never set up are passed over. */
enum fm_status fm_node_visit(const char *directory, const char *job_key,
                             bool (*visit)(void *context, const struct fm_node_file *file), void *context,
                             struct fm_error *error);

/* Whether it is the file of a segment that was never set up; then *name says whose. */
bool fm_node_half_made(int directory_fd, const char *file, struct fm_segment_name *name);

/* Of another host, or of another pid namespace of this one: whether its process lives cannot be told. */
bool fm_node_foreign(const struct fm_node_here *here, const struct fm_segment_header *header);
bool fm_node_alive(const struct fm_node_here *here, const struct fm_segment_header *header);

/* An exclusive lock on the directory, so that two collectors do not merge the same segments. -1: there is no
 * directory of ours, no locking in its file system, or somebody who does not let go of it for some seconds (a collector that
 * was stopped); the caller goes on without, and the worst is work done twice. close() releases it. */
int fm_node_lock(const char *directory);

/* The system's word for an error; strerror may take memory from the program's heap. */
const char *fm_node_reason(int number);

/* Ranks of which there is no data at all become processes too, so that nobody takes the profile for whole.
 * False: no memory. */
bool fm_profile_add_missing(struct fm_profile *profile, uint32_t world_size);

#endif
