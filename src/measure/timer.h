/* Timers of the application (include/fathom.h). A timer has a number, its handle; what a thread measures with it lies
 * in a struct fm_segment_timing of its own, so that no thread waits for another. */
#ifndef FM_MEASURE_TIMER_H
#define FM_MEASURE_TIMER_H

#include "measure/runtime.h"

/* The handle of a name, from 1; *handle is looked at first. 0: nothing is measured, or there is no room. */
int fm_timer_get(int handle, const char *name, uintptr_t site);
void fm_timer_start(int handle, uintptr_t site);
void fm_timer_stop(int handle, uintptr_t site);

/* The width of a tick in reports, as the power of ten of a nanosecond: FATHOM_TICK=1ms; 0 unless it is set. */
unsigned fm_timer_tick(void);
/* The report over all tasks of a communicator, which all call it: for task 0 a text to be freed, else NULL. */
char *fm_timers_report(int fortran_comm);

#endif
