/* SPDX-License-Identifier: BSD-3-Clause */
/* The minimum and maximum over ranks of a sum of costs, from the shares of each rank in the parts.
 *
 * In each part, the cost on a rank has a lower and an upper bound: from its share, which files keep with low precision;
 * from the exact values on the ranks with the maximum and the minimum; 0 if all ranks that have the part list a share;
 * for other ranks, bounds follow from these. The bounds of a sum are the sums of the bounds. If the bounds of the
 * minimum or maximum of a sum are close, it is known, and exact if they are equal; otherwise it is unknown. */
#ifndef FM_ANALYSE_CALLS_RANK_EXTREMES_H
#define FM_ANALYSE_CALLS_RANK_EXTREMES_H

#include "analyse/calls/calltree.h"

/* Improves the inclusive costs of all contexts where they are estimates. */
void fm_calltree_extremes(struct fm_calltree *tree);

/* ---- costs by rank ---- */

struct fm_rank_costs;
/* For contexts of this tree. Memory comes from the arena. NULL if out of memory, or if there are too many ranks. */
struct fm_rank_costs *fm_rank_costs_start(const struct fm_calltree *tree, struct fm_arena *arena);
/* The inclusive cost of a context on each rank: the best guess, or -1 where the bounds differ by more than 1/8 of the
 * largest one. of_children: the sum over its children, for the root of a tree from which threads were removed. Returns
 * on how many ranks it is known. */
uint32_t fm_rank_costs_of(struct fm_rank_costs *costs, const struct fm_context *context, bool of_children, int64_t *ns);

#endif
