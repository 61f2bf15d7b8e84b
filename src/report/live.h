/* SPDX-License-Identifier: BSD-3-Clause */
/* The shares of modules while a job is being sampled: lines that are updated in place on a terminal, one line each time
 * elsewhere, or a stream of JSON objects, one per line (doc/JSON.md). */
#ifndef FM_REPORT_LIVE_H
#define FM_REPORT_LIVE_H

#include <stdbool.h>
#include <stdio.h>

#include "analyse/modules/module_shares.h"

struct fm_live {
    const struct fm_module_shares *shares;
    double seconds; /* since the start of sampling */
    uint64_t samples, moments, ranks;
    bool final;
    double until; /* target width of the intervals; 0: no target */
    bool reached; /* the target is reached, or there is none */
    bool stops;   /* sampling stops threads: */
    uint64_t stopped, held_median_ns, held_most_ns;
    uint64_t lost; /* samples that could not be taken in time */
};

/* Returns the number of lines, to be passed to the next call. */
size_t fm_live_screen(const struct fm_live *live, FILE *out, size_t lines_before);
void fm_live_line(const struct fm_live *live, FILE *out);
void fm_live_json(const struct fm_live *live, FILE *out);

/* Prints the number of samples and the confidence intervals, at the end. */
void fm_live_intervals(const struct fm_live *live, FILE *out);

#endif
