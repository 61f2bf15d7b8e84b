/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks put together by their whole histograms. The groups that a profile holds (model/timer.h) are joined, the
 * nearest two first, until there are at most `most` and no two are near. How far two groups are apart is the earth
 * mover's distance between their average histograms, as shares of their events: how many bins an event has to be
 * moved on average to make one of the other. Half a bin is near. So tasks that differ by chance come together, and
 * tasks that the maximum bin alone would put together stay apart where they differ.
 *
 * The same groups give the same result, whatever the order of merging was. */
#ifndef FM_MODEL_TIMER_CLUSTER_H
#define FM_MODEL_TIMER_CLUSTER_H

#include "model/timer.h"

/* As fm_timer_reduce in ticks of a nanosecond: the longest first, max_bin[0] is the fullest bin of the average
 * histogram. `most` from 1 on. false: no memory. */
bool fm_timer_cluster(const struct fm_timer *timer, size_t most, struct fm_arena *arena, struct fm_timer_group **groups,
                      size_t *n);

/* The fullest bin of a group's average histogram; of equal ones the shorter events. */
unsigned fm_timer_fullest(const struct fm_timer_group *group);

#endif
