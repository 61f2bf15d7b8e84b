/* Timers of the application (include/fathom.h). A timer has a number, its handle; what a thread measures with it lies
 * in a struct fm_segment_timing of its own, so that no thread waits for another. */
#ifndef FM_RUNTIME_TIMERS_TIMER_H
#define FM_RUNTIME_TIMERS_TIMER_H

#include "runtime/runtime.h"

enum { FM_TIMER_REFUSED = -1 }; /* the handle of a timer for which there is no room */

/* The handle of a name, from 1; `handle` is looked at first, and stays as it is where nothing is measured. */
int fm_timer_get(int handle, const char *name, uintptr_t site);

/* ---- for the events of timers ---- */

/* The calling thread's timers, made on their first use, and always empty if it has no slot; NULL: nothing is measured. */
struct fm_thread_timers *fm_timers_of_thread(void);
/* The calling thread's part of a timer, made when it is needed; NULL: there is no such timer, or no room for it. */
struct fm_timer_slot *fm_timer_slot(struct fm_thread_timers *timers, int handle);
/* A start or a stop that there is no room for is counted; also one whose handle is none: a get was forgotten. */
void fm_timer_without_room(int handle, uintptr_t site);
/* A block of counts for a power of ten; where there is none left its events are counted without their first digit. */
void fm_timer_take_bins(struct fm_segment_timing *timing, unsigned decade);
void fm_timer_misused(enum fm_timer_misuse kind, unsigned number, uintptr_t site);
/* Whether a thread, whichever, has started the timer. */
bool fm_timer_runs(unsigned number);
/* The thread ends: what still runs was never stopped. */
void fm_timers_end(struct fm_thread_timers *timers);
/* Of nothing but a start and a stop, into the header; once, before the first timer has a name. */
void fm_timer_measure_cost(struct fm_thread_timers *timers);

/* ---- reports ---- */

/* The report over all tasks of a communicator, which all call it: for task 0 a text to be freed, else NULL. */
char *fm_timers_report(int fortran_comm);

#endif
