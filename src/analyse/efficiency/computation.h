/* SPDX-License-Identifier: BSD-3-Clause */
/* How the work of a run compares with that of a reference run, in the definitions of the POP centre (pop-coe.eu). Work is
 * what is outside MPI; a fraction below 1 is a loss, and each is the product of those below it:
 *
 *   global            parallel efficiency of the run x computation scaling
 *     computation       time that the work should take / that it takes
 *       instructions      instructions of the reference run / of this one
 *       IPC               instructions per cycle of this run / of the reference run
 *       frequency         cycles per second outside MPI of this run / of the reference run
 *
 * The last three need hardware counters, split between the program and MPI, on all ranks of both runs. */
#ifndef FM_ANALYSE_EFFICIENCY_COMPUTATION_H
#define FM_ANALYSE_EFFICIENCY_COMPUTATION_H

#include "model/profile.h"

struct fm_computation {
    double scaling;                      /* 0: unknown */
    double instructions, ipc, frequency; /* 0: unknown */
};

/* same_problem: the sum of the work over ranks should be the same (strong scaling, or two versions); otherwise its mean
 * (weak scaling). */
struct fm_computation fm_computation_scaling(const struct fm_profile *reference, const struct fm_profile *run,
                                             bool same_problem);

#endif
