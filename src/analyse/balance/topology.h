/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point traffic per pair of ranks. The profile holds it twice, as its senders and as its
 * receivers saw it; here both are joined. Messages and bytes are the sender's where it is known. */
#ifndef FM_ANALYSE_BALANCE_TOPOLOGY_H
#define FM_ANALYSE_BALANCE_TOPOLOGY_H

#include "analyse/programs/program.h"

struct fm_pair {
    uint32_t from, to;
    uint64_t messages, bytes;
    uint64_t send_ns, receive_ns; /* time the two ranks spent in the calls of this pair */
};

struct fm_topology {
    struct fm_pair *pairs; /* by from, to */
    size_t n;
    uint64_t messages, bytes;                          /* of the pairs */
    uint64_t dropped, dropped_messages, dropped_bytes; /* pairs left out of a large profile, as sent */
};

enum fm_status fm_topology_find(const struct fm_profile *profile, struct fm_arena *arena, struct fm_topology *topology,
                                struct fm_error *error);
/* A copy of the pairs, most bytes first, then most messages, then by from and to. NULL without memory. */
struct fm_pair *fm_topology_heaviest(const struct fm_topology *topology, struct fm_arena *arena);

/* The pairs added up by program: from and to are programs of the profile. Most bytes first, as above. */
struct fm_program_pair {
    struct fm_pair sum;
    uint64_t pairs; /* of ranks */
};
struct fm_program_pairs {
    struct fm_program_pair *items;
    size_t n;
};
/* Pairs with ranks that are in no program are left out. false: no memory. */
bool fm_topology_programs(const struct fm_topology *topology, const struct fm_program_ranges *ranges,
                          struct fm_arena *arena, struct fm_program_pairs *pairs);

static inline uint64_t fm_pair_time_ns(const struct fm_pair *pair)
{
    return pair->send_ns + pair->receive_ns;
}

/* Bytes per second over the side that took longer; 0 when no time was measured. */
double fm_pair_rate(const struct fm_pair *pair);

#endif
