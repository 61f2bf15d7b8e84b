/* SPDX-License-Identifier: BSD-3-Clause */
/* Waiting in MPI calls: what a call takes above its own floor.
 *
 * The floor of a routine, message size and communicator size is what its fastest calls take, wherever they are made: a
 * call that takes several times as long waits. So it does not matter whether the same rank always waits, or ranks wait in
 * turns. If no call of a routine and size was ever fast, the floor is what a slow
 * network needs; without a known size, waiting cannot be seen then. */
#ifndef FM_ANALYSE_FINDINGS_WAITING_H
#define FM_ANALYSE_FINDINGS_WAITING_H

#include "model/profile.h"

enum fm_wait_kind { FM_WAIT_NONE, FM_WAIT_SEND, FM_WAIT_RECEIVE, FM_WAIT_BARRIER, FM_WAIT_COLLECTIVE };

/* The calls of a routine at a call site. */
struct fm_wait {
    const char *routine;
    struct fm_site site;
    enum fm_wait_kind kind;
    uint64_t calls;
    double total_ns, waiting_ns;
    double waiting_calls; /* number of calls that wait */
    double floor_ns;      /* of a call, average */
};

struct fm_waits {
    struct fm_wait *items; /* longest waiting first */
    size_t n;
    double waiting_ns; /* of all */
};

enum fm_status fm_waits_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_waits *waits,
                             struct fm_error *error);

/* What the fastest calls take: the end of the bin that holds the quantile. 0 if there are no calls. `ranks`: a smaller
 * quantile is used if there are many, because only one of them may be late. */
double fm_wait_floor(const struct fm_stats *stats, uint32_t ranks);
/* What calls with this key take on a slow network; infinite if their size is unknown. */
double fm_wait_slow_network(const struct fm_event_key *key);
/* What of these calls is waiting: time, and number of calls. */
struct fm_wait_part {
    double ns, calls;
};
struct fm_wait_part fm_wait_above(const struct fm_stats *stats, double floor_ns);
enum fm_wait_kind fm_wait_kind_of(const char *routine, uint32_t comm_size);

#endif
