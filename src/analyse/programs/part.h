/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile of one program of a job: the data of its ranks as a profile, so that it can be used like any other
 * profile.
 *
 * Processes, messages and times per rank are those of its ranks. Data that a profile has only as a sum over ranks
 * belongs to the program if no rank of another program contributed to it: call sites and call paths by the program that
 * they are in, timers, regions and routines by their ranks. Data that ranks of several programs contributed to is left
 * out, and struct fm_part says how much that is: for instance, MPI calls from libraries that several programs use. For
 * a routine that several programs call, the calls, time and bytes of each rank are known nevertheless; the rest is
 * FM_UNKNOWN.
 *
 * In call paths (profile->paths, but not its sequence) ranks are numbered within the program: 0 is its lowest.
 * job.ranks is the number of its ranks.
 *
 * Memory is in the arena and in the profile of the job, which must outlive it. Must not be destroyed. */
#ifndef FM_ANALYSE_PROGRAMS_PART_H
#define FM_ANALYSE_PROGRAMS_PART_H

#include "analyse/programs/program.h"

/* How much of it is made; each includes the previous ones. */
enum fm_part_extent { FM_PART_PROCESSES, FM_PART_CALLS, FM_PART_PATHS };

enum fm_status fm_part_make(const struct fm_profile *profile, size_t program, enum fm_part_extent extent,
                            struct fm_arena *arena, struct fm_profile **part, struct fm_error *error);

/* The rank in the job of a rank within the program. */
uint32_t fm_part_rank(const struct fm_part *part, uint32_t rank);

#endif
