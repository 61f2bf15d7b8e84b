/* SPDX-License-Identifier: BSD-3-Clause */
/* The readable report of timers: a table of all timers as they are nested, then a block for each, with its extremes,
 * threads and drift, and its groups of tasks with a sparkline of their histogram. At most 100 columns wide. Used both
 * for a program's own report and for `fathom report`. */
#ifndef FM_TIMER_REPORT_TIMER_RICH_H
#define FM_TIMER_REPORT_TIMER_RICH_H

#include "model/timer.h"
#include "model/timer_tasks.h"
#include "timer_report/timer_misuse_text.h"

enum { FM_RICH_COLUMNS = 100, FM_RICH_GROUPS = 8, FM_RICH_BLOCKS = 100 };

struct fm_timer_rich {
    uint32_t tasks; /* in the report */
    bool cluster;   /* group by whole histograms instead of the fullest bin */
    bool full;      /* all groups, and complete lists */
    bool correct;   /* always show the total without overhead, even if the difference is small */
    bool ascii;
    size_t groups;       /* maximum per timer; 0: FM_RICH_GROUPS */
    size_t blocks;       /* maximum; 0: FM_RICH_BLOCKS */
    struct fm_grid grid; /* of all tasks, if there is one */
    struct fm_site_namer namer;
};

/* The groups of tasks that the report shows. Returns false if out of memory. */
bool fm_timer_rich_groups(const struct fm_timer *timer, const struct fm_timer_rich *layout, struct fm_arena *arena,
                          struct fm_timer_group **groups, size_t *n);

/* `timers` must be sorted by name. The result is in the arena. Returns NULL if out of memory. */
const char *fm_timers_rich(const struct fm_timer *timers, size_t n, const struct fm_timer_rich *layout,
                           struct fm_arena *arena);

#endif
