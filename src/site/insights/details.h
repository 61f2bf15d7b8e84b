/* SPDX-License-Identifier: BSD-3-Clause */
/* What records say about a difference between runs: what changed, which routines take longer, whether the work is the same. */
#ifndef FM_SITE_INSIGHTS_DETAILS_H
#define FM_SITE_INSIGHTS_DETAILS_H

#include "base/arena.h"
#include "base/intern.h"
#include "site/insights/runs.h"
#include "site/record/record.h"
#include "site/store/store.h"

struct fm_change_of {
    const char *what; /* "build", "commit", "mpi", "compiler", "partition", "hosts", or the name of a setting */
    const char *before, *after; /* "" for a setting that is not there */
    int64_t since;              /* end of the first run that has it; seconds since 1970 */
};

struct fm_growth_of {
    const char *name;     /* of a routine, or of a region */
    double before, after; /* medians, divided by the level of the runs */
};

enum { FM_DETAILS_CHANGES = 8, FM_DETAILS_ROUTINES = 5, FM_DETAILS_RUNS = 64 };
struct fm_details {
    struct fm_change_of changes[FM_DETAILS_CHANGES];
    size_t n_changes;
    struct fm_growth_of routines[FM_DETAILS_ROUTINES]; /* those that grow most first */
    size_t n_routines;
    struct fm_growth_of region; /* the one whose time in MPI grows most; name NULL: none */
    double slow_hosts;          /* how much more waiting for slow hosts takes, divided by the level of the runs */
    double calls, bytes;        /* after / before, of MPI without routines that ask again and again; NAN unknown */
};

/* A record and its pick. */
struct fm_detail_run {
    struct fm_record record;
    struct fm_pick pick;
    double slow_hosts_s; /* CPU time for which its ranks waited for slow hosts: an estimate */
};

/* Reads the records of both sides and compares them; those that have been deleted are left out. `slow_hosts` are the names of
 * those that are known to be slow. */
enum fm_status fm_details_read(struct fm_store *store, const struct fm_intern *slow_hosts, const struct fm_pick *before,
                               size_t n_before, const struct fm_pick *after, size_t n_after, struct fm_arena *arena,
                               struct fm_details *details, struct fm_error *error);

/* Pure: compares runs. Texts are copied into the arena; false if it has no memory. */
bool fm_details_compare(const struct fm_detail_run *before, size_t n_before, const struct fm_detail_run *after,
                        size_t n_after, struct fm_arena *arena, struct fm_details *details);

#endif
