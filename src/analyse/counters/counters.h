/* SPDX-License-Identifier: BSD-3-Clause */
/* The counters of a job, over all ranks and by rank, and what is derived from them. Pure functions of a profile. */
#ifndef FM_ANALYSE_COUNTERS_COUNTERS_H
#define FM_ANALYSE_COUNTERS_COUNTERS_H

#include "model/profile.h"

/* Sums over ranks. */
struct fm_counter_total {
    const struct fm_counter *over_ranks;
    const struct fm_counter *by_rank; /* sorted by rank; may lack some */
    size_t n_by_rank;
    uint64_t count;
    bool split; /* in_mpi is known for all ranks */
    uint64_t in_mpi, in_program;
    bool scaled; /* it was not counted all the time: extrapolated */
};

/* Unknown figures are NAN. Rates are sums over ranks per second of the run. */
struct fm_counter_totals {
    struct fm_counter_total *items; /* in the order in which they were asked for */
    size_t n;
    bool hardware;           /* some are counted by the processor */
    double ipc, program_ipc; /* instructions per cycle, in all and in the program */
    double flops_per_s;      /* floating-point operations, or instructions, of the program */
    double flops_per_cycle;  /* the same, per cycle of the program; of all if the split is unknown */
    double peak_per_cycle;   /* estimate: operations in double precision that a core can do; unknown if hosts differ */
    double of_peak;          /* flops_per_cycle of it; unknown if instructions are counted, not operations */
    double memory_bytes;     /* estimate: misses of the last-level cache times the size of a line */
    double memory_per_s;     /* estimate: the same, per second of the run */
};

/* Returns false if out of memory. */
bool fm_counters_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_counter_totals *totals);

/* What a counter stands for, whatever its name is on this processor. */
enum fm_counted { FM_COUNTED_INSTRUCTIONS, FM_COUNTED_CYCLES, FM_COUNTED_FLOPS, FM_COUNTED_MISSES };
/* The counter of it; NULL if there is none. */
const struct fm_counter_total *fm_counter_of(const struct fm_counter_totals *totals, enum fm_counted what);
/* Whether a counter of floating point counts operations; else it counts instructions. */
bool fm_counter_has_operations(const struct fm_counter_total *total);
/* The counter of a rank, NULL if unknown. */
const struct fm_counter *fm_counter_of_rank(const struct fm_counter_total *total, uint32_t rank);
/* Events in the program per second of the whole run; of all if the split is unknown. */
double fm_counter_rate(const struct fm_counter_total *total, uint64_t wall_ns);

#endif
