/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile of one program of a job: what the profile of the job tells of its ranks, as a profile, so that everything
 * that is made of a profile can be made of it.
 *
 * Processes, messages and times per rank are those of its ranks. What a profile has only as a sum over ranks belongs to the
 * program if no rank of another one contributed: call sites and call paths by the program they are in, timers, regions and
 * routines by their ranks. What ranks of several programs contributed to is left out, and struct fm_part says how much
 * that is: MPI calls from libraries that several programs use, for instance. Of a routine that several programs call,
 * the calls, time and bytes of each rank are known nevertheless; what is not is FM_UNKNOWN.
 *
 * In call paths (profile->paths, but not its sequence) ranks are numbered within the program: 0 is its lowest. job.ranks is
 * how many it has.
 *
 * All in the arena, and in the profile of the job, which must outlive it. Never destroyed on its own. */
#ifndef FM_ANALYSE_PROGRAMS_PART_H
#define FM_ANALYSE_PROGRAMS_PART_H

#include "analyse/programs/program.h"

/* How much of it is made: each has what is before it, too. */
enum fm_part_extent { FM_PART_PROCESSES, FM_PART_CALLS, FM_PART_PATHS };

enum fm_status fm_part_make(const struct fm_profile *profile, size_t program, enum fm_part_extent extent,
                            struct fm_arena *arena, struct fm_profile **part, struct fm_error *error);

/* The rank in the job of one within the program. */
uint32_t fm_part_rank(const struct fm_part *part, uint32_t rank);

#endif
