/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers as they are nested: each below the one it was started in, the longest first. Timers that were started in
 * none, in several or in one that has no events are at the top. */
#ifndef FM_MODEL_TIMER_TREE_H
#define FM_MODEL_TIMER_TREE_H

#include "model/timer.h"

struct fm_timer_node {
    const struct fm_timer *timer;
    unsigned depth;     /* 0: at the top */
    size_t outer;       /* the place of the node it is below + 1; 0: at the top */
    uint64_t inside_ns; /* overhead that timers below it caused */
};

/* `timers` sorted by name; *nodes, n of them, in the arena. false: no memory. */
bool fm_timer_tree(const struct fm_timer *timers, size_t n, struct fm_arena *arena, struct fm_timer_node **nodes);

/* All of them, whatever they are in: the one with the longest total of a task first. In the arena; NULL: no memory. */
const struct fm_timer **fm_timers_by_length(const struct fm_timer *timers, size_t n, struct fm_arena *arena);

/* The time of all tasks without the timers started inside, and without what measuring took: half of a timer's own
 * overhead lies between its two readings of the clock, that of the timers below it lies there as a whole. */
uint64_t fm_timer_exclusive(const struct fm_timer *timer);
uint64_t fm_timer_corrected(const struct fm_timer_node *node);

#endif
