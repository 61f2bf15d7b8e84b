/* SPDX-License-Identifier: BSD-3-Clause */
/* Clusters tasks by their whole histograms. The groups of a profile (model/timer.h) are merged, the nearest two first,
 * until there are at most `max` and no two are near. The distance of two groups is the earth mover's distance between
 * their average histograms, normalized to shares of events: by how many bins an event has to be moved on average to
 * turn one into the other. Less than half a bin is near. Tasks that differ by chance are thus combined, and tasks that
 * have the same maximum bin but differ otherwise are kept apart.
 *
 * The same groups give the same result, whatever the order of merging was. */
#ifndef FM_MODEL_TIMER_CLUSTER_H
#define FM_MODEL_TIMER_CLUSTER_H

#include "model/timer.h"

/* Like fm_timer_reduce with ticks of 1 ns: the longest first; max_bin[0] is the fullest bin of the average histogram.
 * `max` must be at least 1. Returns false if out of memory. */
bool fm_timer_cluster(const struct fm_timer *timer, size_t max, struct fm_arena *arena, struct fm_timer_group **groups,
                      size_t *n);

/* The bin with the most events in the average histogram of a group; of equal ones, that with the shorter events. */
unsigned fm_timer_fullest(const struct fm_timer_group *group);

#endif
