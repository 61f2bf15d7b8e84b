/* SPDX-License-Identifier: BSD-3-Clause */
/* The floor of MPI calls: how long a call of a routine with a message size, and on communicators of a size, takes if it
 * does not have to wait. It is read from the histogram of the durations of all such calls in the run: the shortest are
 * those for which everything was ready. Of collectives, at least the last rank to arrive does not wait.
 *
 * An estimate: where all calls wait, it is too high; where data arrives before it is asked for, its transfer is not in
 * it. */
#ifndef FM_ANALYSE_EFFICIENCY_FLOOR_H
#define FM_ANALYSE_EFFICIENCY_FLOOR_H

#include "model/profile.h"

struct fm_floor {
    const struct fm_event_key *key; /* routine, size_bin and comm_size */
    uint64_t ns;                    /* of one call */
};

struct fm_floors {
    struct fm_floor *items; /* sorted by key */
    size_t n;
};

/* Memory comes from the arena; the profile must outlive it. */
enum fm_status fm_floors_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_floors *floors,
                              struct fm_error *error);

/* The shortest of these calls, but for outliers: one in a hundred, or one in two of each call of a collective, is
 * shorter. 0 if there are none. */
uint64_t fm_floor_of(const struct fm_stats *stats, uint32_t comm_size);

/* The part of the time of these calls that is not beyond the floor. */
uint64_t fm_floor_time(const struct fm_floors *floors, const struct fm_event *event);

#endif
