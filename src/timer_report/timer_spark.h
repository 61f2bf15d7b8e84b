/* SPDX-License-Identifier: BSD-3-Clause */
/* Histograms of timers as one line of text: a column per bin, or per several bins if there are too many; the height is
 * relative to the fullest column. All groups of a timer share one axis. */
#ifndef FM_TIMER_REPORT_TIMER_SPARK_H
#define FM_TIMER_REPORT_TIMER_SPARK_H

#include "base/writer.h"
#include "model/timer.h"

enum { FM_SPARK_MOST = 24, FM_SPARK_LEAST = 14 }; /* columns */

struct fm_timer_axis {
    unsigned from, to; /* bins; `to` is exclusive */
    unsigned bins;     /* per column */
    unsigned columns;
};

struct fm_timer_axis fm_timer_axis_of(const struct fm_timer_group *groups, size_t n);
/* Writes both ends as durations, one on the left and one on the right. */
void fm_write_axis(struct fm_writer *w, const struct fm_timer_axis *axis);
/* A column with any event is not empty. */
void fm_write_spark(struct fm_writer *w, const struct fm_timer_group *group, const struct fm_timer_axis *axis,
                    bool ascii);

/* "7 ns", "300-400 ms", "2-3 s": the range of a bin. The buffer has FM_UNIT_CHARS bytes. */
const char *fm_timer_bin_text(char *buffer, unsigned bin);

#endif
