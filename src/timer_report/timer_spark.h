/* SPDX-License-Identifier: BSD-3-Clause */
/* Histograms of timers as one line of text: a column for each bin, or for several when they are too many, as high as
 * the bin is full against the fullest. All groups of a timer share one axis. */
#ifndef FM_TIMER_REPORT_TIMER_SPARK_H
#define FM_TIMER_REPORT_TIMER_SPARK_H

#include "base/writer.h"
#include "model/timer.h"

enum { FM_SPARK_MOST = 24, FM_SPARK_LEAST = 14 }; /* columns */

struct fm_timer_axis {
    unsigned from, to; /* bins; `to` is the first one behind it */
    unsigned bins;     /* of a column */
    unsigned columns;
};

struct fm_timer_axis fm_timer_axis_of(const struct fm_timer_group *groups, size_t n);
/* Its ends as durations, one to the left and one to the right. */
void fm_write_axis(struct fm_writer *w, const struct fm_timer_axis *axis);
/* Any event gives a column some height. */
void fm_write_spark(struct fm_writer *w, const struct fm_timer_group *group, const struct fm_timer_axis *axis,
                    bool ascii);

/* "7 ns", "300-400 ms", "2-3 s": the durations of a bin. The buffer has FM_UNIT_CHARS bytes. */
const char *fm_timer_bin_text(char *buffer, unsigned bin);

#endif
