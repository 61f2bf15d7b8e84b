/* SPDX-License-Identifier: BSD-3-Clause */
/* The call paths of one program, for part.c. */
#ifndef FM_ANALYSE_PROGRAMS_PART_PATHS_H
#define FM_ANALYSE_PROGRAMS_PART_PATHS_H

#include "model/profile.h"

/* Sets part->paths to the part of the profile's call paths that belongs to the ranks of `of`, and the counts in `of`.
 * Returns false if out of memory. */
bool fm_part_paths(const struct fm_profile *profile, struct fm_profile *part, struct fm_part *of,
                   struct fm_arena *arena);

#endif
