/* SPDX-License-Identifier: BSD-3-Clause */
/* Series: runs of a program that can be compared with each other. For slower.c.
 *
 * Runs with the same number of ranks and the same command may still have different inputs: their times are sorted, and cut
 * where a gap is wider than FM_INPUT_GAP. Two neighbours one of which ends before the other begins are one series: that is
 * what a large change looks like. */
#ifndef FM_SITE_INSIGHTS_SERIES_H
#define FM_SITE_INSIGHTS_SERIES_H

#include "base/arena.h"
#include "site/insights/runs.h"

#define FM_NO_SERIES UINT32_MAX

struct fm_series {
    size_t first, n; /* its runs: in `order` of struct fm_series_set, by time */
    double level;    /* of logarithms of the CPU time: what is usual */
    double scale;    /* how much they vary */
};

struct fm_series_set {
    const struct fm_run *runs;
    size_t n_runs;
    double *y;     /* logarithm of the CPU time, by run */
    uint32_t *of;  /* series of each run, or FM_NO_SERIES: too few are like it */
    size_t *order; /* runs by series and time */
    struct fm_series *series;
    size_t n, used; /* number of series; of runs that are in one */
};

/* Memory comes from the arena; false if there is not enough. */
bool fm_series_make(struct fm_series_set *set, const struct fm_run *runs, size_t n, struct fm_arena *arena);

#endif
