/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging of each kind of item in a profile. All functions return false if out of memory. */
#ifndef FM_MERGE_PARTS_H
#define FM_MERGE_PARTS_H

#include "model/lists.h"

/* For a list that consists only of what the schema describes. */
bool fm_merge_list(struct fm_profile *into, const struct fm_list *list, const void *items, size_t n);
bool fm_merge_hosts(struct fm_profile *into, const struct fm_host *hosts, size_t n);
bool fm_merge_processes(struct fm_profile *into, const struct fm_process *processes, size_t n);
bool fm_merge_routines(struct fm_profile *into, const struct fm_routine_total *routines, size_t n);
bool fm_merge_events(struct fm_profile *into, const struct fm_event *events, size_t n);
bool fm_merge_regions(struct fm_profile *into, const struct fm_region *regions, size_t n);
bool fm_merge_timers(struct fm_profile *into, const struct fm_timer *timers, size_t n); /* timers.c */
bool fm_merge_misuses(struct fm_profile *into, struct fm_timer *timer, const struct fm_misuse *misuses,
                      size_t n); /* timer_misuses.c */
/* The timers, which must be in the arena of the profile, become its own; it must not have any yet. Sorted by name,
 * possibly with duplicates. */
bool fm_take_timers(struct fm_profile *into, struct fm_timer *timers, size_t n);
/* Returns one of the two profiles with the timers of both and destroys the other. Returns NULL if out of memory; both
 * are destroyed then. */
struct fm_profile *fm_join_timers(struct fm_profile *a, struct fm_profile *b);
bool fm_merge_paths(struct fm_profile *into, const struct fm_call_paths *paths,
                    struct fm_arena *scratch); /* call_paths.c */
/* *_places: new indices of the nodes of the call paths; my_places NULL: unchanged (sequence.c). */
bool fm_merge_sequence(struct fm_profile *into, const struct fm_sequence *theirs, const uint32_t *my_places,
                       const uint32_t *their_places);
bool fm_merge_edges(struct fm_profile *into, struct fm_edges *mine, const struct fm_edges *theirs);
bool fm_merge_snapshots(struct fm_profile *into, const struct fm_snapshot *snapshots, size_t n);
/* Reduces the files and their classes to those that a profile keeps (files.c). */
bool fm_profile_limit_files(struct fm_profile *profile);
bool fm_merge_notes(struct fm_profile *into, const struct fm_note *notes, size_t n);

#endif
