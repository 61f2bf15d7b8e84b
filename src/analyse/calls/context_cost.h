/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of the same ranks in several places, added up: a function's in all the addresses that a profile has of it.
 *
 * A sum is always exact. Of the ranks a cost knows only those with most and with least, so the spread of a sum is exact
 * where there is one part, one rank or two; else an estimate: ranks that are not known to differ have the mean of what
 * the known ones leave. A sum remembers its parts, so that those who show its least and its most can find them from
 * what each rank has of the parts (analyse/calls/rank_extremes.h). */
#ifndef FM_ANALYSE_CALLS_CONTEXT_COST_H
#define FM_ANALYSE_CALLS_CONTEXT_COST_H

#include "base/arena.h"
#include "model/call_paths.h"

struct fm_address_tree;

/* One cost of a node, or two sums. */
struct fm_cost_parts {
    const struct fm_cost_parts *one, *other; /* NULL: a cost of a node; of both nothing is known but: */
    const struct fm_path_cost *cost;         /* NULL: not even this */
    const struct fm_address_tree *paths;
    uint32_t node;
    bool has_vector; /* it is what the node has in all */
};

struct fm_context_cost {
    struct fm_path_cost of;
    const struct fm_cost_parts *parts; /* NULL: none */
    bool estimated;                    /* all but of.sum_ns */
    bool no_least, no_most;            /* not even an estimate is known; what `of` has is a guess */
};

/* What the others cannot have, even if all have the most, every rank has: corrects the least of an estimate. */
void fm_context_cost_fit(struct fm_path_cost *sum, uint32_t ranks);
/* ranks: how many the job has. Parts are in the arena. */
void fm_context_cost_add(struct fm_context_cost *into, const struct fm_context_cost *part, uint32_t ranks,
                         struct fm_arena *arena);

#endif
