/* SPDX-License-Identifier: BSD-3-Clause */
/* How each kind of item in a profile merges with its like. All return false without memory. */
#ifndef FM_MERGE_PARTS_H
#define FM_MERGE_PARTS_H

#include "model/lists.h"

/* Of a list that is nothing but what the schema says of it. */
bool fm_merge_list(struct fm_profile *into, const struct fm_list *list, const void *items, size_t n);
bool fm_merge_hosts(struct fm_profile *into, const struct fm_host *hosts, size_t n);
bool fm_merge_processes(struct fm_profile *into, const struct fm_process *processes, size_t n);
bool fm_merge_routines(struct fm_profile *into, const struct fm_routine_total *routines, size_t n);
bool fm_merge_events(struct fm_profile *into, const struct fm_event *events, size_t n);
bool fm_merge_regions(struct fm_profile *into, const struct fm_region *regions, size_t n);
bool fm_merge_timers(struct fm_profile *into, const struct fm_timer *timers, size_t n); /* timers.c */
bool fm_merge_misuses(struct fm_profile *into, struct fm_timer *timer, const struct fm_misuse *misuses,
                      size_t n); /* timer_misuses.c */
/* Timers in the arena of a profile that has none yet become its own; sorted by name, with doubles if need be. */
bool fm_take_timers(struct fm_profile *into, struct fm_timer *timers, size_t n);
/* One of two profiles, with the timers of both; the other one is destroyed. NULL: no memory, and both are. */
struct fm_profile *fm_join_timers(struct fm_profile *a, struct fm_profile *b);
bool fm_merge_paths(struct fm_profile *into, const struct fm_call_paths *paths, struct fm_arena *scratch); /* paths.c */
/* Places: where the nodes of the call paths of both are now, mine NULL: where they were; sequence.c. */
bool fm_merge_sequence(struct fm_profile *into, const struct fm_sequence *theirs, const uint32_t *my_places,
                       const uint32_t *their_places);
bool fm_merge_edges(struct fm_profile *into, struct fm_edges *mine, const struct fm_edges *theirs);
bool fm_merge_snapshots(struct fm_profile *into, const struct fm_snapshot *snapshots, size_t n);
bool fm_merge_notes(struct fm_profile *into, const struct fm_note *notes, size_t n);

#endif
