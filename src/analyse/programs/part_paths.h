/* SPDX-License-Identifier: BSD-3-Clause */
/* The call paths of one program, for part.c. */
#ifndef FM_ANALYSE_PROGRAMS_PART_PATHS_H
#define FM_ANALYSE_PROGRAMS_PART_PATHS_H

#include "model/profile.h"

/* part->paths = what of those of the profile belongs to the ranks of `of`, whose counts it fills in. false: no memory. */
bool fm_part_paths(const struct fm_profile *profile, struct fm_profile *part, struct fm_part *of,
                   struct fm_arena *arena);

#endif
