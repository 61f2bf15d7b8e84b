/* SPDX-License-Identifier: BSD-3-Clause */
/* The derived figures of a job that every report starts from: share of MPI, minimum and maximum over
 * ranks, the heaviest routines, and how the ranks ended.
 *
 * Only ranks with data are included; FM_END_MISSING ones appear only in `ends`.
 * Memory comes from the caller's arena; the profile must outlive the summary. */
#ifndef FM_ANALYSE_BALANCE_SUMMARY_H
#define FM_ANALYSE_BALANCE_SUMMARY_H

#include "model/profile.h"

/* Ranks that ended in the same way, other than by MPI_Finalize. */
struct fm_end_group {
    enum fm_end end;
    int code;
    const char *inside; /* routine, or "" */
    struct fm_rankset ranks;
};

struct fm_summary {
    const char *name;  /* of the program, without directory */
    uint32_t ranks;    /* of the job */
    uint32_t measured; /* ranks with data */
    bool complete;
    uint64_t wall_ns;                              /* of the job */
    uint64_t wall_sum_ns, mpi_sum_ns, overhead_ns; /* sums over ranks */
    double mpi_fraction;                           /* mpi_sum_ns / wall_sum_ns */
    /* Figures of processes (model/figures.h), over the processes for which they are known. */
    union {
#define X(column, since, member, ...) struct fm_spread member;
        struct {
            FM_PROCESS_FIGURES(X)
        } of;
#undef X
        struct fm_spread figures[FM_FIGURES];
    };

    const struct fm_routine_total **routines; /* longest time first, then by name */
    size_t n_routines;
    uint64_t routines_ns, calls, bytes; /* over all routines */

    struct fm_end_group *ends; /* by first rank; empty if complete */
    size_t n_ends;
    uint64_t ended_badly; /* number of ranks in `ends` */
};

enum fm_status fm_summarise(const struct fm_profile *profile, struct fm_arena *arena, struct fm_summary *summary,
                            struct fm_error *error);

double fm_ratio(double part, double whole); /* 0 if the divisor is 0 */

#endif
