/* SPDX-License-Identifier: BSD-3-Clause */
/* Storage for the timers of threads, and counters for timers that do not fit or are misused. */
#ifndef FM_RUNTIME_TIMERS_TIMER_ROOM_H
#define FM_RUNTIME_TIMERS_TIMER_ROOM_H

#include "runtime/runtime.h"

enum { FM_TIMER_REFUSED = -1 }; /* handle of a timer that did not fit into the table */

/* A thread's timers; always empty for threads that share a slot. */
struct fm_thread_timers *fm_timers_of(struct fm_thread *thread);
/* Returns true if the timers are still valid: those of a child are gone. */
bool fm_timers_hold(const struct fm_thread_timers *timers);
/* The thread's slot of a timer, set up on demand. Returns NULL if there is no such timer or no space for it. */
struct fm_timer_slot *fm_timer_slot(struct fm_thread_timers *timers, int handle);
/* Counts a start or stop for which there is no space, or whose handle is invalid because fathom_timer_get was not
 * called. */
void fm_timer_without_room(int handle, uintptr_t site);
/* Allocates a block of bins for a power of ten. If none is left, its events are counted without their first digit. */
void fm_timer_take_bins(struct fm_segment_timing *timing, unsigned decade);
/* The part of the segment that all threads have in common. */
struct fm_segment_timer *fm_timer_common(unsigned number);
void fm_timer_note_misuse(enum fm_timer_misuse kind, unsigned number, uintptr_t site);
/* Returns true if any thread has started the timer. */
bool fm_timer_runs(unsigned number);
/* Called at the end of a thread: timers that are still running were never stopped. */
void fm_timers_end(struct fm_thread_timers *timers);

#endif
