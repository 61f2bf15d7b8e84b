/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers of the application, merged over its tasks: what a report shows of a timer, in a size that does not depend on
 * the number of tasks.
 *
 * Histograms are kept by shape. Tasks with the same shape are combined: the set of tasks, and for each bin the maximum,
 * minimum and sum of their counts. A shape contains the bin with the most events (of equal ones, that with the shorter
 * events) for each tick width, so that the reduction by maximum bin is exact for all of them. While a timer has no more
 * than FM_TIMER_SHAPES different shapes, a shape also contains the bin with the second most events and the share of the
 * first, so that a report can distinguish tasks that differ although their maximum bin is the same. If there are more
 * than FM_TIMER_COARSE_SHAPES even without these, only the bin in ticks of 1 ns is kept and the bins of the other
 * widths are derived from it, so that the number of groups of a timer is bounded for any number of tasks. Each coarser
 * shape can be computed from the finer one, so the order of merging does not matter. */
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
    FM_TIMER_TICKS = 10,  /* tick widths: 1 ns, 10 ns ... 1 s */
    FM_TIMER_SHAPES = 64, /* if there are more, they are made coarser */
    FM_TIMER_COARSE_SHAPES = 128,
    FM_TIMER_COARSEST = 2, /* degrees of coarseness: 0, 1, 2 */
    FM_TIMER_BELOW =
        0x100 /* + exponent: not a bin, but all events below 10^exponent ns, which are in bin 0 for that tick width */
};

/* max_bin for each tick width, then the second bin and the share of the first in eighths; these two are 0 if coarse. */
union fm_timer_shape {
    struct {
        uint8_t max_bin[FM_TIMER_TICKS];
        uint8_t second_bin, share;
    };
    uint32_t words[3]; /* as stored in files */
};

struct fm_timer_bin {
    uint32_t bin; /* base/decimal.h, or FM_TIMER_BELOW + exponent */
    uint32_t max_rank, min_rank;
    uint64_t max, min, sum;
};

/* Sorted by shape. Bins that are empty in all tasks of the group are left out. */
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

/* A misuse of a timer and where it happened; or that the timer was running when its process was killed, which is not a
 * misuse. Sorted by kind and site. For each kind, the first FM_MISUSE_SITES sites are kept and the others are combined
 * into one entry without a site: the first ones of a union are among the first ones of its parts, so the order of
 * merging does not matter. */
enum { FM_MISUSE_SITES = 16, FM_MISUSE_RUNNING = 16, FM_MISUSE_NO_HANDLE };
#define FM_SEVERAL_PARENTS "*"
#define FM_NO_TIMER "(none)" /* name for misuses with a handle that belongs to no timer */
struct fm_misuse {
    uint32_t kind;       /* enum fm_timer_misuse, or FM_MISUSE_RUNNING, FM_MISUSE_NO_HANDLE */
    struct fm_site site; /* of the call, or of the start if never stopped or running; all empty: unknown */
    uint64_t count;
    struct fm_rankset ranks;
};

/* Sorted by name. A timer without a finished event has no ranks and no parent, but can have misuses. */
struct fm_timer {
    const char *name;
    const char *parent;      /* the timer it was started in; "" = none, "*" = different ones */
    struct fm_rankset ranks; /* ranks with finished events */
    struct fm_spread events, total_ns;
    uint64_t total_events[2];                    /* of the tasks with the largest and the smallest total */
    struct fm_extreme longest, second, shortest; /* second: the longest of the tasks' second longest */
    struct fm_timer_average longest_average, shortest_average;
    uint64_t children_ns;                     /* part of the total, in timers started inside */
    uint64_t overhead_ns, overhead_inside_ns; /* caused by this timer; the part inside its own events */
    uint64_t half_events[2], half_ns[2];      /* in the first and the second half of the run */
    struct fm_spread thread_ns;               /* over threads instead of tasks; `ranks` is their number */
    uint32_t coarse;                          /* degree of coarseness of the shapes */
    struct fm_timer_group *groups;
    size_t n_groups, groups_capacity;
    struct fm_misuse *misuses;
    size_t n_misuses, misuses_capacity;
};

/* The data of one task for a timer. */
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

/* Initializes `timer` with the data of one task; name and parent must live as long as the arena. Returns false if out
 * of memory. */
bool fm_timer_of_task(struct fm_timer *timer, struct fm_arena *arena, const char *name, const char *parent,
                      uint32_t rank, const struct fm_timer_task *task);

int fm_timer_shape_compare(const union fm_timer_shape *a, const union fm_timer_shape *b);
/* The shape reduced to a degree of coarseness. */
union fm_timer_shape fm_timer_shape_coarse(union fm_timer_shape shape, uint32_t degree);
/* -1, 0 or 1 if the average event of a is shorter than, equal to or longer than that of b. */
int fm_timer_average_compare(const struct fm_timer_average *a, const struct fm_timer_average *b);

/* Adds the bins of `from` to `into`. lowest_*: the lowest rank of each group; a bin that is missing in a group is empty
 * in all of its tasks. Returns false if out of memory. */
bool fm_timer_bins_merge(struct fm_arena *arena, struct fm_timer_group *into, uint32_t lowest_into,
                         const struct fm_timer_group *from, uint32_t lowest_from);

/* One group for each maximum bin in ticks of 10^exponent ns, the longest first. Bins are in these ticks, and of the
 * shapes only max_bin[0] is meaningful. Returns false if out of memory. */
bool fm_timer_reduce(const struct fm_timer *timer, unsigned exponent, struct fm_arena *arena,
                     struct fm_timer_group **groups, size_t *n);

#endif
