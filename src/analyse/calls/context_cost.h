/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of costs of the same ranks in several places, such as a function at all its addresses in a profile.
 *
 * Totals are always exact. A cost has the values of only two ranks, the maximum and the minimum, so the spread of a sum
 * is exact only with a single part, one rank or two ranks; otherwise it is an estimate: all other ranks are assumed to
 * have the mean of the rest. A sum remembers its parts, so that its minimum and maximum can be determined from the
 * shares of each rank in the parts (analyse/calls/rank_extremes.h). */
#ifndef FM_ANALYSE_CALLS_CONTEXT_COST_H
#define FM_ANALYSE_CALLS_CONTEXT_COST_H

#include "base/arena.h"
#include "model/call_paths.h"

struct fm_address_tree;

/* One cost of a node, or the sum of two. */
struct fm_cost_parts {
    const struct fm_cost_parts *one, *other; /* both NULL: the cost of a node, of which the following is known */
    const struct fm_path_cost *cost;         /* NULL: unknown */
    const struct fm_address_tree *paths;
    uint32_t node;
    bool has_vector; /* inclusive cost of the node, for which there are shares by rank */
};

struct fm_context_cost {
    struct fm_path_cost of;
    const struct fm_cost_parts *parts; /* NULL: none */
    bool estimated;                    /* everything except of.sum_ns */
    bool no_least, no_most;            /* min or max in `of` is only a guess, not even an estimate */
};

/* Raises the minimum of an estimate to what every rank must have even if all others have the maximum, and limits it to
 * the mean. */
void fm_context_cost_fit(struct fm_path_cost *sum, uint32_t ranks);
/* ranks: number of ranks of the job. Parts are allocated from the arena. */
void fm_context_cost_add(struct fm_context_cost *into, const struct fm_context_cost *part, uint32_t ranks,
                         struct fm_arena *arena);

#endif
