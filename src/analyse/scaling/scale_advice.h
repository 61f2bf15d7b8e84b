/* SPDX-License-Identifier: BSD-3-Clause */
/* Where to run: the number of processes up to which more of them are worth it, and after which one they begin to wait.
 * From whole runs; what waiting is says whoever asks. */
#ifndef FM_ANALYSE_SCALING_SCALE_ADVICE_H
#define FM_ANALYSE_SCALING_SCALE_ADVICE_H

#include "analyse/scaling/scale.h"

#define FM_EFFICIENCY_LEAST 0.8
#define FM_WAITING_JUMP 0.05 /* of the run; and three times what is usual between runs */

struct fm_scale_point {
    uint32_t processes;
    double total_ns;            /* average over processes */
    double waiting;             /* share of it */
    double speedup, efficiency; /* found; against the first run */
};

struct fm_scale_advice {
    struct fm_scale_point points[FM_SCALE_RUNS]; /* by number of processes */
    size_t n;
    size_t best; /* the last run up to which efficiency is never below the least one that was asked for */
    size_t jump; /* the run after which the share of waiting jumps up; n: none does */
};

/* Of points of which all is set but what is found. */
void fm_scale_advise_points(struct fm_scale_advice *advice, enum fm_scale_mode mode, double least);
/* Of runs set against each other; waiting is time in MPI. */
void fm_scale_advise(const struct fm_scale *scale, double least, struct fm_scale_advice *advice);

#endif
