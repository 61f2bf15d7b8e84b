/* SPDX-License-Identifier: BSD-3-Clause */
/* The segments of one host: finding them, telling the living from the dead, merging those of a job, writing the
 * job's profile and removing what is durable. The same code serves MPI_Finalize, `fathom run`, `fathom collect`
 * and the monitor. libc only, no malloc: it runs inside users' programs too. */
#ifndef FM_COLLECT_NODE_H
#define FM_COLLECT_NODE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/process.h"
#include "format/segment.h"
#include "model/profile.h"

enum { FM_FILE_PATH_BYTES = 4096 };

/* The directory of segments: FATHOM_DIR, else /dev/shm/fathom-<uid>, or one with a number behind it where that is not
 * the user's alone. Does not create it. */
void fm_node_directory(char path[FM_FILE_PATH_BYTES]);
/* Where processes put theirs when there is no room: TMPDIR (or /tmp)/fathom-<uid>, or with a number. When room runs out
 * while a job starts, its segments lie in both: whatever asks for one job in one of the two is given those of the other
 * too. */
void fm_node_fallback_directory(char path[FM_FILE_PATH_BYTES]);
/* Creates it with mode 0700 if missing; refuses one that is a symlink, not ours, or open to others. */
enum fm_status fm_node_directory_make(const char *path, struct fm_error *error);
/* Whether the first choice, FATHOM_DIR or /dev/shm/fathom-<uid>, is there but not the user's alone; the error says so,
 * and what is used instead. */
bool fm_node_directory_refused(struct fm_error *error);
/* All directories that may hold segments of this user: the usual one, the fallback, and what was either of them when
 * others had its name; without those that are not the user's alone. */
enum { FM_NODE_NUMBERS = 8, FM_NODE_DIRECTORIES = 2 + 2 * FM_NODE_NUMBERS };
size_t fm_node_directories(char paths[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES]);

/* What a segment file's name and header say of its process. */
struct fm_node_segment {
    char path[FM_FILE_PATH_BYTES];
    char job_key[72], run_id[40];
    int32_t pid, rank, world_size;
    uint64_t start_time, pid_namespace;
    uint32_t state, seen_end;
    bool
        alive; /* pid and start time exist in this pid namespace (or a foreign namespace of this boot: taken as alive) */
    bool foreign; /* of another pid namespace of the running system */
};
struct fm_node_list {
    struct fm_arena arena;
    struct fm_node_segment *items; /* sorted by job_key, rank, pid */
    size_t n, capacity;
    size_t damaged; /* files that are no segments of ours; named in `damaged_example` */
    char damaged_example[FM_FILE_PATH_BYTES];
};
/* NULL filters match everything. A missing directory is an empty list. */
enum fm_status fm_node_scan(const char *directory, const char *job_key, const char *run_id, struct fm_node_list *list,
                            struct fm_error *error);
void fm_node_list_destroy(struct fm_node_list *list);

/* Merges all segments of `job_key` in `directory` into one profile. own/own_bytes: the caller's own segment, used
 * instead of its file (may have none). At MPI_Finalize every process has entered: dead or alive does not matter.
 * for_collector: processes that are dead and did not say how they left become FM_END_VANISHED or what was seen. */
enum fm_status fm_node_merge(const char *directory, const char *job_key, const void *own, size_t own_bytes,
                             bool for_collector, struct fm_profile **profile, struct fm_error *error);

/* Whether there is no folder in which the file or directory `output` could be written ("" is the current directory);
 * then errno says why, and `folder` is the one that was looked for. */
bool fm_node_output_refused(const char *output, char folder[FM_FILE_PATH_BYTES]);

/* Writes the profile to job.output (a file, or a directory when it ends in / or is one), else to
 * <cwd>/<basename of exe>.<job id>.fathom. An existing profile of another job is never overwritten: -2, -3 ..., except that
 * a file given to `fathom run -o` replaces that of an earlier run. Notes its path in <directory>/<run_id>.run (a line; read by `fathom run`), then removes the
 * job's segments and its .job file. Nothing is removed unless the profile is durable. elsewhere: a job that no `fathom
 * run` watches may have its profile in its working directory or in the user's home directory, if it cannot be written
 * where it was to be; then the result is FM_OK, *error says why, and the profile has a note of it. */
enum fm_status fm_node_finish(const char *directory, struct fm_profile *profile, bool elsewhere,
                              char path[FM_FILE_PATH_BYTES], struct fm_error *error);

/* Removes the segments whose data is in `profile`, which is durable, and the job's file if none is left. */
void fm_node_remove(const char *directory, const struct fm_profile *profile);

#endif
