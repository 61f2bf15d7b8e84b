/* SPDX-License-Identifier: BSD-3-Clause */
/* The timer report in the layout of J. B. White's multi-resolution timers: a summary that serves as a table of
 * contents, then for each timer its tasks, its statistics and its histograms reduced by maximum bin. Times are in ticks
 * of 10^exponent ns; averages are truncated. Used both for a program's own report and for `fathom report`. */
#ifndef FM_TIMER_REPORT_TIMER_TEXT_H
#define FM_TIMER_REPORT_TIMER_TEXT_H

#include "model/profile.h"
#include "timer_report/timer_misuse_text.h"

struct fm_timer_layout {
    unsigned exponent; /* of a tick: 0 = 1 ns ... 9 = 1 s */
    unsigned columns;  /* task lists are wrapped after a comma; 0: no wrapping */
    uint32_t tasks;    /* in the report */
    struct fm_site_namer namer;
};

/* The result is in the arena. Returns NULL if out of memory. */
const char *fm_timers_text(const struct fm_timer *timers, size_t n, const struct fm_timer_layout *layout,
                           struct fm_arena *arena);

#endif
