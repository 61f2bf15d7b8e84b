/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting in MPI calls: what a call takes above its floor.
 *
 * The floor of a routine, message size and communicator size is what its fastest calls take, anywhere in the run: for
 * them everything was ready. Of collectives, at least the last rank to arrive does not wait. A call that takes several
 * times as long waits. So it does not matter whether the same rank always waits, or ranks wait in turns. If no call of a
 * routine and size was ever fast, the floor is what a slow network needs; without a known size, waiting cannot be seen
 * then.
 *
 * An estimate, and a careful one: where data arrives before it is asked for, its transfer is not in the floor, but a
 * call that takes a few times the floor is not called waiting either. */
#ifndef FM_ANALYSE_BALANCE_FLOOR_H
#define FM_ANALYSE_BALANCE_FLOOR_H

#include "model/profile.h"

#define FM_FLOOR_QUANTILE 0.01  /* fraction of the calls of a routine and size that are its floor */
#define FM_FLOOR_TIMES 10       /* a call waits if it takes this many times the floor */
#define FM_FLOOR_LATENCY_US 100 /* latency of a slow network: a floor that is higher is not believed */
#define FM_FLOOR_RATE 1e8       /* its bytes per second */

struct fm_floor {
    const struct fm_event_key *key; /* routine, size_bin and comm_size */
    double ns;                      /* of one call */
};

struct fm_floors {
    struct fm_floor *items; /* sorted by key */
    size_t n;
};

/* Memory comes from the arena; the profile must outlive it. */
enum fm_status fm_floors_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_floors *floors,
                              struct fm_error *error);

/* What of some calls is waiting: time, and number of calls. */
struct fm_waiting {
    double ns, calls;
    double floor_ns; /* of a call; 0 if unknown */
};
struct fm_waiting fm_waiting_in(const struct fm_floors *floors, const struct fm_event *event);

/* What the fastest calls take: the end of the bin that holds the quantile. 0 if there are no calls. `ranks`: a smaller
 * quantile is used if there are many, because only one of them may be late. */
double fm_floor_of(const struct fm_stats *stats, uint32_t ranks);
/* What calls with this key take on a slow network; infinite if their size is unknown. */
double fm_floor_slow_network(const struct fm_event_key *key);
struct fm_waiting fm_waiting_above(const struct fm_stats *stats, double floor_ns);

#endif
