/* SPDX-License-Identifier: BSD-3-Clause */
/* The efficiency of a run and of its parts (factors.h): of the whole run, or of the rest of it from the first entry of a
 * region or the first start of a timer on, so that the initialisation can be left out; and of every region and timer.
 *
 * Memory comes from the arena; the profile must outlive the result. */
#ifndef FM_ANALYSE_EFFICIENCY_EFFICIENCY_H
#define FM_ANALYSE_EFFICIENCY_EFFICIENCY_H

#include "analyse/balance/core_use.h"
#include "analyse/efficiency/factors.h"

struct fm_efficiency_part {
    const char *name;          /* of a region, its path */
    uint32_t ranks;            /* that have it */
    struct fm_spread wall_ns;  /* of a rank */
    struct fm_factors factors; /* of a timer without estimates; unknown in profiles of older versions */
    double balance;            /* mean / longest wall time of a rank; 0 if unknown */
};

struct fm_efficiency {
    struct fm_factors run;                       /* of the whole run, or from `from` on */
    const struct fm_span *from;                  /* NULL: the whole run */
    struct fm_core_use cores;                    /* if ranks lacked cores, all factors include it */
    struct fm_efficiency_part *regions, *timers; /* in the order of the profile */
    size_t n_regions, n_timers;
};

/* The calls of one routine in a part of the run; sums over ranks. */
struct fm_call_sums {
    const char *routine;
    uint64_t calls, ns, bytes;
    uint64_t comm_calls;   /* sum over calls of the size of the communicator; 0: no collective, or unknown */
    double not_waiting_ns; /* of `ns`, by the floor of the calls */
};
/* Another estimate of the time that the calls of all routines take if they do not wait, for the factors serialisation and
 * transfer. */
struct fm_transfer_source {
    double (*ns)(void *context, const struct fm_call_sums *sums, size_t n);
    void *context;
};

/* from_first: a region (its path, or the last part of it), a timer, or "region" for the region that is entered first;
 * NULL: the whole run. It is an error if the profile does not have it. source: NULL: the floor of the calls. */
enum fm_status fm_efficiency_find(const struct fm_profile *profile, const char *from_first,
                                  const struct fm_transfer_source *source, struct fm_arena *arena,
                                  struct fm_efficiency *efficiency, struct fm_error *error);

#endif
