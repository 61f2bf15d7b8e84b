/* SPDX-License-Identifier: BSD-3-Clause */
/* The nesting of timers: each one below the timer it was started in, the longest first. Timers that were started in
 * none, in several or in one without events are at the top level. */
#ifndef FM_MODEL_TIMER_TREE_H
#define FM_MODEL_TIMER_TREE_H

#include "model/timer.h"

struct fm_timer_node {
    const struct fm_timer *timer;
    unsigned depth;     /* 0: top level */
    size_t outer;       /* index of its parent node + 1; 0: top level */
    uint64_t inside_ns; /* overhead caused by timers below it */
};

/* `timers` must be sorted by name; *nodes is an array of n nodes in the arena. Returns false if out of memory. */
bool fm_timer_tree(const struct fm_timer *timers, size_t n, struct fm_arena *arena, struct fm_timer_node **nodes);

/* All timers regardless of nesting, by the longest total of a task, descending. Allocated from the arena; NULL if out
 * of memory. */
const struct fm_timer **fm_timers_by_length(const struct fm_timer *timers, size_t n, struct fm_arena *arena);

/* The time of all tasks without the timers started inside, and without measurement overhead: half of the overhead of a
 * timer itself is between its two clock reads; that of the timers below it is entirely. */
uint64_t fm_timer_exclusive(const struct fm_timer *timer);
uint64_t fm_timer_corrected(const struct fm_timer_node *node);

#endif
