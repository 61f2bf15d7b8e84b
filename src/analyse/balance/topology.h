/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point traffic by pair of ranks. The profile contains it twice, as recorded by the senders and by the
 * receivers; both are joined here. Messages and bytes are those of the sender if known. */
#ifndef FM_ANALYSE_BALANCE_TOPOLOGY_H
#define FM_ANALYSE_BALANCE_TOPOLOGY_H

#include "analyse/programs/program.h"

struct fm_pair {
    uint32_t from, to;
    uint64_t messages, bytes;
    uint64_t send_ns, receive_ns; /* time of the two ranks in calls for this pair */
};

struct fm_topology {
    struct fm_pair *pairs; /* by from, to */
    size_t n;
    uint64_t messages, bytes;                          /* of the pairs */
    uint64_t dropped, dropped_messages, dropped_bytes; /* pairs left out of a large profile, as sent */
};

enum fm_status fm_topology_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_topology *topology,
                                struct fm_error *error);
/* A copy of the pairs: most bytes first, then most messages, then by from and to. Returns NULL if out of memory. */
struct fm_pair *fm_topology_heaviest(const struct fm_topology *topology, struct fm_arena *arena);

/* The pairs summed by program: from and to are programs of the profile. Most bytes first, as above. */
struct fm_program_pair {
    struct fm_pair sum;
    uint64_t pairs; /* number of pairs of ranks */
};
struct fm_program_pairs {
    struct fm_program_pair *items;
    size_t n;
};
/* Pairs with ranks that are in no program are left out. Returns false if out of memory. */
bool fm_topology_programs(const struct fm_topology *topology, const struct fm_program_ranges *ranges,
                          struct fm_arena *arena, struct fm_program_pairs *pairs);

static inline uint64_t fm_pair_time_ns(const struct fm_pair *pair)
{
    return pair->send_ns + pair->receive_ns;
}

/* Bytes per second of the time of the slower side; 0 if no time was measured. */
double fm_pair_rate(const struct fm_pair *pair);

#endif
