/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of contexts without samples: of what was measured, so that runs without call paths can be compared too.
 *
 *   all of the run              root: the wall time of all processes; its own is that outside MPI and all regions
 *     region solver             a frame without a load module; its own is the computation in it
 *       frame pcg               a function that calls MPI; it has no time of its own: nobody measured it
 *         routine MPI_Allreduce   at its line
 *
 *   all of the run
 *     timer step                a frame, with the timers below it that were started in it; its own is what they leave
 *
 * A timer that was started now in this, now in that one stands at the top, and its time is in theirs too.
 *
 * Memory is the arena's; the profile and the symbols must outlive the tree. */
#ifndef FM_ANALYSE_SCALING_SCALE_MEASURED_H
#define FM_ANALYSE_SCALING_SCALE_MEASURED_H

#include "analyse/calls/calltree.h"

/* MPI routines by region and call site. symbols may be NULL. */
enum fm_status fm_measured_mpi(const struct fm_profile *profile, struct fm_symbols *symbols, struct fm_arena *arena,
                               struct fm_calltree *tree, struct fm_error *error);
enum fm_status fm_measured_timers(const struct fm_profile *profile, struct fm_arena *arena, struct fm_calltree *tree,
                                  struct fm_error *error);

#endif
