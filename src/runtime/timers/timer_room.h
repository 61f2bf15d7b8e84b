/* SPDX-License-Identifier: BSD-3-Clause */
/* The room for what threads measure with timers, and the counts of what does not fit, or is used in a wrong way. */
#ifndef FM_RUNTIME_TIMERS_TIMER_ROOM_H
#define FM_RUNTIME_TIMERS_TIMER_ROOM_H

#include "runtime/runtime.h"

enum { FM_TIMER_REFUSED = -1 }; /* the handle of a timer for which there is no room */

/* A thread's timers; always empty for those that share a slot. */
struct fm_thread_timers *fm_timers_of(struct fm_thread *thread);
/* Whether they can still be used: a child's are gone. */
bool fm_timers_hold(const struct fm_thread_timers *timers);
/* The thread's part of a timer, made when it is needed; NULL: there is no such timer, or no room for it. */
struct fm_timer_slot *fm_timer_slot(struct fm_thread_timers *timers, int handle);
/* A start or a stop that there is no room for is counted; also one whose handle is none: a get was forgotten. */
void fm_timer_without_room(int handle, uintptr_t site);
/* A block of counts for a power of ten; where there is none left its events are counted without their first digit. */
void fm_timer_take_bins(struct fm_segment_timing *timing, unsigned decade);
void fm_timer_note_misuse(enum fm_timer_misuse kind, unsigned number, uintptr_t site);
/* Whether a thread, whichever, has started the timer. */
bool fm_timer_runs(unsigned number);
/* The thread ends: what still runs was never stopped. */
void fm_timers_end(struct fm_thread_timers *timers);

#endif
