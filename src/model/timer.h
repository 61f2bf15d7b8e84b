/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers of the application, merged over its tasks: what a report says of a timer, whatever the number of tasks.
 *
 * Histograms are kept by shape. Tasks of the same shape are combined: their list, and for each bin the maximum, the
 * minimum and the sum of their counts. A shape holds the bin with most events (of equal ones the shorter events) for
 * each width of tick, so that the reduction by maximum bin is exact at any of them; and, while a timer has no more
 * than FM_TIMER_SHAPES different ones, the bin with the second most events and the share of the first, so that a
 * report can tell tasks apart where the maximum bin hides a difference. If there are more than FM_TIMER_COARSE_SHAPES
 * without these as well, only the bin in ticks of 1 ns is left, and stands for that of all widths: so a timer of any
 * number of tasks has a bounded number of groups. Each coarser shape follows from the finer one: so the order of
 * merging does not matter. */
#ifndef FM_MODEL_TIMER_H
#define FM_MODEL_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/decimal.h"
#include "model/misuse.h"
#include "model/site.h"
#include "model/values.h"

enum {
    FM_TIMER_TICKS = 10,  /* widths of a tick: 1 ns, 10 ns ... 1 s */
    FM_TIMER_SHAPES = 64, /* more are made coarser */
    FM_TIMER_COARSE_SHAPES = 128,
    FM_TIMER_COARSEST = 2, /* degrees of coarseness: 0, 1, 2 */
    FM_TIMER_BELOW =
        0x100 /* + exponent: not a bin, but all events below 10^exponent ns, which are bin 0 in such ticks */
};

/* max_bin at each width of tick, then second bin and share of the first in eighths; the last two are 0 when coarse. */
union fm_timer_shape {
    struct {
        uint8_t max_bin[FM_TIMER_TICKS];
        uint8_t second_bin, share;
    };
    uint32_t words[3]; /* as a file has it */
};

struct fm_timer_bin {
    uint32_t bin; /* base/decimal.h, or FM_TIMER_BELOW + exponent */
    uint32_t max_rank, min_rank;
    uint64_t max, min, sum;
};

/* Sorted by shape. Bins that no task of the group has are left out. */
struct fm_timer_group {
    union fm_timer_shape shape;
    struct fm_rankset ranks;
    struct fm_timer_bin *bins; /* sorted by bin */
    size_t n_bins;
};

/* An average event of one task: total / events, truncated. */
struct fm_timer_average {
    uint64_t total_ns, events; /* 0 events: none */
    uint32_t rank;
};

/* How a timer was used wrongly, and where; or that it was running when its process was killed, which is no wrong use.
 * Sorted by kind and site; of the places of one kind the first FM_MISUSE_SITES stay and the others become one without
 * a place: the first ones of a union are among the first of its parts, so the order of merging does not matter. */
enum { FM_MISUSE_SITES = 16, FM_MISUSE_RUNNING = 16, FM_MISUSE_NO_HANDLE };
#define FM_SEVERAL_PARENTS "*"
#define FM_NO_TIMER "(none)" /* what has a handle of no timer */
struct fm_misuse {
    uint32_t kind;       /* enum fm_timer_misuse, or FM_MISUSE_RUNNING, FM_MISUSE_NO_HANDLE */
    struct fm_site site; /* of the call; of a timer never stopped or running: of its start. All empty: not known */
    uint64_t count;
    struct fm_rankset ranks;
};

/* Sorted by name. One that has no finished event has no ranks and no parent, but may have been used wrongly. */
struct fm_timer {
    const char *name;
    const char *parent;      /* the timer it was started in; "" = in none, "*" = now in this, now in that */
    struct fm_rankset ranks; /* that have finished events */
    struct fm_spread events, total_ns;
    uint64_t total_events[2];                    /* of the tasks with the largest and with the smallest total */
    struct fm_extreme longest, second, shortest; /* second: the longest of the tasks' second longest */
    struct fm_timer_average longest_average, shortest_average;
    uint64_t children_ns;                     /* of the total, in timers started inside */
    uint64_t overhead_ns, overhead_inside_ns; /* caused by this timer; of it, in its own events */
    uint64_t half_events[2], half_ns[2];      /* in the first and in the second half of the run */
    struct fm_spread thread_ns;               /* of threads instead of tasks; `ranks` is their number */
    uint32_t coarse;                          /* the degree to which shapes are */
    struct fm_timer_group *groups;
    size_t n_groups, groups_capacity;
    struct fm_misuse *misuses;
    size_t n_misuses, misuses_capacity;
};

/* What one task knows of a timer. */
struct fm_timer_event {
    uint64_t ns, event; /* event 0: none */
};
struct fm_timer_task {
    uint64_t events, total_ns, children_ns, overhead_ns, overhead_inside_ns;
    struct fm_timer_event longest, second, shortest;
    uint64_t half_events[2], half_ns[2];
    struct fm_spread thread_ns;
    uint64_t counts[FM_DECIMAL_BINS];
};

/* The timer of one task; its name and parent must live as long as the arena. false: no memory. */
bool fm_timer_of_task(struct fm_timer *timer, struct fm_arena *arena, const char *name, const char *parent,
                      uint32_t rank, const struct fm_timer_task *task);

int fm_timer_shape_compare(const union fm_timer_shape *a, const union fm_timer_shape *b);
/* What is left of it at a degree of coarseness. */
union fm_timer_shape fm_timer_shape_coarse(union fm_timer_shape shape, uint32_t degree);
/* -1, 0, 1 as the average event of a is shorter, equal or longer. */
int fm_timer_average_compare(const struct fm_timer_average *a, const struct fm_timer_average *b);

/* Adds the bins of `from` to `into`. `lowest_*` are the lowest ranks of the two groups: a bin that is absent in one of
 * them has no events in any of its tasks. */
bool fm_timer_bins_merge(struct fm_arena *arena, struct fm_timer_group *into, uint32_t lowest_into,
                         const struct fm_timer_group *from, uint32_t lowest_from);

/* One group for each maximum bin in ticks of 10^exponent ns, the longest first; bins are in these ticks, and of the
 * shapes only max_bin[0] means something. false: no memory. */
bool fm_timer_reduce(const struct fm_timer *timer, unsigned exponent, struct fm_arena *arena,
                     struct fm_timer_group **groups, size_t *n);

#endif
