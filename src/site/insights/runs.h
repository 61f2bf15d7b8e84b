/* SPDX-License-Identifier: BSD-3-Clause */
/* The runs of a program of a user, in the order of their ends, as far as an analysis needs them. Memory is bounded: if
 * there are more than FM_RUNS_MOST, every second one is kept, with twice its weight. */
#ifndef FM_SITE_INSIGHTS_RUNS_H
#define FM_SITE_INSIGHTS_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FM_RUNS_MOST = 1 << 16 };

struct fm_run {
    int64_t id, ended;
    double weight;
    double cpu_s, wall_s;          /* above 0 */
    double program_s, mpi_s, io_s; /* sums over ranks; NAN unknown */
    int64_t ranks;
    uint32_t command; /* equal for equal commands */
};

struct fm_runs {
    struct fm_run *runs;
    size_t n, capacity;
    unsigned stride, skipped; /* one of `stride` is kept, 0 is every one */
};

bool fm_runs_add(struct fm_runs *runs, const struct fm_run *run); /* false if out of memory */
void fm_runs_clear(struct fm_runs *runs);                         /* keeps the memory */
void fm_runs_destroy(struct fm_runs *runs);

/* Runs that were picked to read their records. Runs of the same series can be compared; what differs between them is divided
 * by `level`, what a run of the series usually takes. */
struct fm_pick {
    int64_t id, ended;
    double level;
    uint32_t series;
};

#endif
