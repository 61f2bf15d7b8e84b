/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects what dead processes left behind in a segment directory: the common part of `fathom run` and `fathom
 * collect`. One job after the other, holding the lock of the directory; jobs with live processes are skipped. */
#ifndef FM_CLI_GATHER_H
#define FM_CLI_GATHER_H

#include "collect/node.h"
#include "model/profile.h"

struct fm_gather_options {
    const char *run_id; /* only jobs of this run; NULL: all */
    const char *output; /* replaces the output that the job itself asked for; NULL: use that */
    bool force;         /* treat processes of other hosts and pid namespaces as dead */
};

enum fm_gather_kind {
    FM_GATHER_WRITTEN, /* path, profile */
    FM_GATHER_RUNNING, /* job_key, processes, foreign */
    FM_GATHER_FAILED,  /* job_key, error */
    FM_GATHER_DAMAGED, /* processes = number of files, path = an example and what is wrong with it */
};
struct fm_gather_event {
    enum fm_gather_kind kind;
    const char *job_key, *path;
    const struct fm_profile *profile;
    size_t processes;
    bool foreign;
    const struct fm_error *error;
};

/* Reports every job once. Errors are those of reading the directory itself. */
enum fm_status fm_gather(const char *directory, const struct fm_gather_options *options,
                         void (*tell)(void *context, const struct fm_gather_event *event), void *context,
                         struct fm_error *error);

/* Number of live processes with a segment (run_id NULL: of any run). Foreign ones do not count. */
size_t fm_gather_living(const char *directory, const char *run_id);

/* Removes .job and .run files, uninitialised segments and temporary files that are no longer in use. spare_recent:
 * keeps recent .run files that somebody may still want to read: a run may just have written where its profile is. */
void fm_gather_sweep(const char *directory, bool spare_recent);

/* Reads the profiles of a run from <run_id>.run in the directory; fm_gather_forget removes that file. Returns true if a
 * process of the run loaded MPI, but no call of it was seen. */
bool fm_gather_profiles(const char *directory, const char *run_id, void (*tell)(void *context, const char *path),
                        void *context);
void fm_gather_forget(const char *directory, const char *run_id);

/* "ranks 0-2 vanished; rank 3 killed by signal 9 (SIGKILL)"; "" if the profile is complete. */
const char *fm_profile_ends_text(const struct fm_profile *profile, char *buffer, size_t size);

#endif
