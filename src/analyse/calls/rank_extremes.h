/* SPDX-License-Identifier: BSD-3-Clause */
/* The least and the most that a rank has of a sum of costs, from what each rank tells of the parts.
 *
 * Of each part, what a rank has lies between two bounds: its share, which a file keeps as a coarse value; what the part
 * costs the ranks with most and with least, which is exact; nothing, where all ranks that have the part tell of it; for
 * others what follows from these. The bounds of a sum are the sums of the bounds. Where those of its least or most are
 * close it is known, exactly if they meet; where they are not it is not known. */
#ifndef FM_ANALYSE_CALLS_RANK_EXTREMES_H
#define FM_ANALYSE_CALLS_RANK_EXTREMES_H

#include "analyse/calls/calltree.h"

/* Of what the contexts have in all, where that is an estimate. */
void fm_calltree_extremes(struct fm_calltree *tree);

#endif
