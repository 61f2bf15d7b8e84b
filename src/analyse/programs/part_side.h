/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether data of a set of ranks belongs to the program, to others, or to both. */
#ifndef FM_ANALYSE_PROGRAMS_PART_SIDE_H
#define FM_ANALYSE_PROGRAMS_PART_SIDE_H

#include "model/profile.h"

enum fm_part_side { FM_PART_OURS, FM_PART_THEIRS, FM_PART_SHARED };

static inline enum fm_part_side fm_part_side(const struct fm_part *part, const struct fm_rankset *ranks)
{
    uint64_t common = fm_rankset_count_common(&part->ranks, ranks);
    return !common ? FM_PART_THEIRS : common == fm_rankset_count(ranks) ? FM_PART_OURS : FM_PART_SHARED;
}

#endif
