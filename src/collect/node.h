/* SPDX-License-Identifier: BSD-3-Clause */
/* The segments of one host: find them, determine which processes are alive, merge those of a job, write the profile and
 * remove segments whose data is durable. The same code is used by MPI_Finalize, `fathom run`, `fathom collect` and the
 * monitor. libc only, no malloc: it also runs inside users' programs. */
#ifndef FM_COLLECT_NODE_H
#define FM_COLLECT_NODE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/process.h"
#include "format/segment.h"
#include "model/profile.h"

enum { FM_FILE_PATH_BYTES = 4096 };

/* The directory of segments: FATHOM_DIR, else /dev/shm/fathom-<uid>, or a numbered one if that is not private to the
 * user. Does not create it. */
void fm_node_directory(char path[FM_FILE_PATH_BYTES]);
/* Where processes put their segments if there is no space: TMPDIR (or /tmp)/fathom-<uid>, or a numbered one. If space
 * runs out while a job starts, its segments are in both; functions that look for one job in either of the two also
 * search the other. */
void fm_node_fallback_directory(char path[FM_FILE_PATH_BYTES]);
/* Creates it with mode 0700 if missing; rejects a symbolic link and a directory that is not private to the user. */
enum fm_status fm_node_directory_make(const char *path, struct fm_error *error);
/* Whether the first choice, FATHOM_DIR or /dev/shm/fathom-<uid>, exists but is not private to the user; *error says so,
 * and what is used instead. */
bool fm_node_directory_refused(struct fm_error *error);
/* All directories that may contain segments of this user: the usual one, the fallback, and the numbered ones used while
 * somebody else had the name of either; without those that are not private to the user. */
enum { FM_NODE_NUMBERS = 8, FM_NODE_DIRECTORIES = 2 + 2 * FM_NODE_NUMBERS };
size_t fm_node_directories(char paths[FM_NODE_DIRECTORIES][FM_FILE_PATH_BYTES]);

/* What the file name and header of a segment say about its process. */
struct fm_node_segment {
    char path[FM_FILE_PATH_BYTES];
    char job_key[72], run_id[40];
    int32_t pid, rank, world_size;
    uint64_t start_time, pid_namespace;
    uint32_t state, seen_end;
    bool alive;   /* pid and start time exist in this pid namespace; a foreign process counts as alive */
    bool foreign; /* of another host, or of another pid namespace of this one */
};
struct fm_node_list {
    struct fm_arena arena;
    struct fm_node_segment *items; /* sorted by job_key, rank, pid */
    size_t n, capacity;
    size_t damaged; /* files that are not valid segments of ours; the first is named in `damaged_example` */
    char damaged_example[FM_FILE_PATH_BYTES];
};
/* A NULL filter matches everything. A missing directory gives an empty list. */
enum fm_status fm_node_scan(const char *directory, const char *job_key, const char *run_id, struct fm_node_list *list,
                            struct fm_error *error);
void fm_node_list_destroy(struct fm_node_list *list);

/* Merges all segments of `job_key` in `directory` into one profile. own/own_bytes: the caller's own segment, used
 * instead of its file (may be NULL). In MPI_Finalize all processes have arrived, so it does not matter whether they are
 * alive. for_collector: dead processes that did not record how they ended get FM_END_VANISHED, or how they were seen to
 * end. */
enum fm_status fm_node_merge(const char *directory, const char *job_key, const void *own, size_t own_bytes,
                             bool for_collector, struct fm_profile **profile, struct fm_error *error);

/* Tells the `fathom run` above that a process loaded MPI, but no call of it was seen: a line in the .run file, if there is
 * one. The other lines are absolute paths of profiles. */
#define FM_RUN_UNSEEN_MPI "unseen-mpi\n"
void fm_node_tell_unseen_mpi(const char *run_id);

/* Whether there is no directory in which the file or directory `output` could be written ("" is the current directory);
 * errno is then set, and `folder` is the directory that was checked. */
bool fm_node_output_refused(const char *output, char folder[FM_FILE_PATH_BYTES]);

/* The name that fm_node_finish gives the profile of a job if it is not taken. */
void fm_node_output_path(const struct fm_profile *profile, char path[FM_FILE_PATH_BYTES]);
/* Writes the profile to job.output (a file; or a directory, if it ends in / or is one), else to <cwd>/<basename of
 * exe>.<job id>.fathom. An existing profile of another job is never overwritten (-2, -3 ... is appended to the name),
 * except that a file given to `fathom run -o` replaces that of an earlier run. Then appends the path to
 * <directory>/<run_id>.run (one line; read by `fathom run`) and removes the job's segments and its .job file. Nothing
 * is removed unless the profile is durable. elsewhere: if the profile of a job without `fathom run` cannot be written
 * to its place, it may be written to the working directory or the home directory; the result is then FM_OK, *error says
 * why, and the profile has a note. */
enum fm_status fm_node_finish(const char *directory, struct fm_profile *profile, bool elsewhere,
                              char path[FM_FILE_PATH_BYTES], struct fm_error *error);

/* Removes the segments whose data is in `profile`, which must be durable, and the .job file if none is left. */
void fm_node_remove(const char *directory, const struct fm_profile *profile);

#endif
