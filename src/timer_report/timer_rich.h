/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of timers for people: a table of all of them as they are nested, then a block for each, with its extremes,
 * its threads, its drift, and its groups of tasks with a sparkline of their histogram. At most 100 columns. The same
 * for a program's own report and for `fathom report`. */
#ifndef FM_TIMER_REPORT_TIMER_RICH_H
#define FM_TIMER_REPORT_TIMER_RICH_H

#include "model/timer.h"
#include "model/timer_tasks.h"

enum { FM_RICH_COLUMNS = 100, FM_RICH_GROUPS = 8, FM_RICH_BLOCKS = 100 };

struct fm_timer_rich {
    uint32_t tasks; /* of the report */
    bool cluster;   /* groups by whole histograms instead of the maximum bin */
    bool full;      /* every group, and all of every list */
    bool correct;   /* the total without overhead even where it hardly matters */
    bool ascii;
    size_t groups;       /* at most, of a timer; 0: FM_RICH_GROUPS */
    size_t blocks;       /* at most; 0: FM_RICH_BLOCKS */
    struct fm_grid grid; /* of all tasks, if there is one */
};

/* The groups of tasks that such a report shows; false: no memory. */
bool fm_timer_rich_groups(const struct fm_timer *timer, const struct fm_timer_rich *layout, struct fm_arena *arena,
                          struct fm_timer_group **groups, size_t *n);

/* `timers` sorted by name. In the arena; NULL: no memory. */
const char *fm_timers_rich(const struct fm_timer *timers, size_t n, const struct fm_timer_rich *layout,
                           struct fm_arena *arena);

#endif
