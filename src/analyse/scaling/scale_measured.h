/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of contexts from measurements instead of samples, so that runs without call paths can be compared too.
 *
 *   whole run                   root: the wall time of all processes; exclusive: outside MPI and all regions
 *     region solver             a frame without a load module; exclusive: the computation in it
 *       frame pcg               a function that calls MPI; no exclusive time, as it is not measured
 *         routine MPI_Allreduce   at its line
 *
 *   whole run
 *     timer step                a frame, with the timers that were started in it below; exclusive: without these
 *
 * A timer that was started in different timers is at the top level, and its time is included in theirs too.
 *
 * Memory comes from the arena; the profile and the symbols must outlive the tree. */
#ifndef FM_ANALYSE_SCALING_SCALE_MEASURED_H
#define FM_ANALYSE_SCALING_SCALE_MEASURED_H

#include "analyse/calls/calltree.h"

/* MPI routines by region and call site. symbols may be NULL. */
enum fm_status fm_measured_mpi(const struct fm_profile *profile, struct fm_symbols *symbols, struct fm_arena *arena,
                               struct fm_calltree *tree, struct fm_error *error);
enum fm_status fm_measured_timers(const struct fm_profile *profile, struct fm_arena *arena, struct fm_calltree *tree,
                                  struct fm_error *error);

#endif
