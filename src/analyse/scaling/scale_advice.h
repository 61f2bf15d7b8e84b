/* SPDX-License-Identifier: BSD-3-Clause */
/* How many processes to use: the number up to which more processes are worth it, and the number from which they start
 * to wait. Based on whole runs; the caller defines what counts as waiting. */
#ifndef FM_ANALYSE_SCALING_SCALE_ADVICE_H
#define FM_ANALYSE_SCALING_SCALE_ADVICE_H

#include "analyse/scaling/scale.h"

#define FM_EFFICIENCY_LEAST 0.8
#define FM_WAITING_JUMP 0.05 /* of the run; must also be three times the usual difference between runs */

struct fm_scale_point {
    uint32_t processes;
    double total_ns;            /* average over processes */
    double waiting;             /* share of total_ns */
    double speedup, efficiency; /* results; relative to the first run */
};

struct fm_scale_advice {
    struct fm_scale_point points[FM_SCALE_RUNS]; /* by number of processes */
    size_t n;
    size_t best; /* the last run up to which the efficiency never falls below the required minimum */
    size_t jump; /* the run after which the share of waiting jumps; n if there is none */
};

/* The points must have all members set except the results. */
void fm_scale_advise_points(struct fm_scale_advice *advice, enum fm_scale_mode mode, double min_efficiency);
/* Waiting is time in MPI. */
void fm_scale_advise(const struct fm_scale *scale, double min_efficiency, struct fm_scale_advice *advice);

#endif
