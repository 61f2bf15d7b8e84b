/* The segments of one host: finding them, telling the living from the dead, merging those of a job, writing the
 * job's profile and removing what is durable. The same code serves MPI_Finalize, `fathom run`, `fathom collect`
 * and the monitor. libc only, no malloc: it runs inside users' programs too. */
#ifndef FM_REDUCE_NODE_H
#define FM_REDUCE_NODE_H

#include <stdbool.h>
#include <sys/types.h>

#include "profile/profile.h"
#include "profile/segment.h"

enum { FM_PATH_BYTES = 4096 };

/* The directory of segments: FATHOM_DIR, else /dev/shm/fathom-<uid>. Does not create it. */
void fm_node_directory(char path[FM_PATH_BYTES]);
/* Where processes put theirs when there is no room: TMPDIR (or /tmp)/fathom-<uid>. When room runs out while a job
 * starts, its segments lie in both: whatever asks for one job in one of the two is given those of the other too. */
void fm_node_fallback_directory(char path[FM_PATH_BYTES]);
/* Creates it with mode 0700 if missing; refuses one that is a symlink, not ours, or open to others. */
enum fm_status fm_node_directory_make(const char *path, struct fm_error *error);

/* What a segment file's name and header say of its process. */
struct fm_node_segment {
    char path[FM_PATH_BYTES];
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
    char damaged_example[FM_PATH_BYTES];
};
/* NULL filters match everything. A missing directory is an empty list. */
enum fm_status fm_node_scan(const char *directory, const char *job_key, const char *run_id, struct fm_node_list *list,
                            struct fm_error *error);
void fm_node_list_destroy(struct fm_node_list *list);

bool fm_process_alive(pid_t pid, uint64_t start_time); /* a zombie is dead, unless others of its threads live */
uint64_t fm_process_start_time(pid_t pid);             /* 0 if there is none */

/* Merges all segments of `job_key` in `directory` into one profile. own/own_bytes: the caller's own segment, used
 * instead of its file (may have none). At MPI_Finalize every process has entered: dead or alive does not matter.
 * for_collector: processes that are dead and did not say how they left become FM_END_VANISHED or what was seen. */
enum fm_status fm_node_merge(const char *directory, const char *job_key, const void *own, size_t own_bytes,
                             bool for_collector, struct fm_profile **profile, struct fm_error *error);

/* Where the job's profile goes: job.output (a file, or a directory when it ends in / or is one), else
 * <cwd>/<basename of exe>.<job id>.fathom. An existing profile of another job is never overwritten: -2, -3 ...,
 * except that a file given to `fathom run -o` replaces that of an earlier run. */
void fm_profile_output_path(const struct fm_profile *profile, char path[FM_PATH_BYTES]);

/* Writes the profile, notes its path in <directory>/<run_id>.run (a line; read by `fathom run`), then removes the
 * job's segments and its .job file. Nothing is removed unless the profile is durable. */
enum fm_status fm_node_finish(const char *directory, const struct fm_profile *profile, char path[FM_PATH_BYTES],
                              struct fm_error *error);

/* Removes the segments whose data is in `profile`, which is durable, and the job's file if none is left. */
void fm_node_remove(const char *directory, const struct fm_profile *profile);

#endif
