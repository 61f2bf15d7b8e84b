/* Timers of the application (include/fathom.h). A timer has a number, its handle; what a thread measures with it lies
 * in a struct fm_segment_timing of its own, so that no thread waits for another. */
#ifndef FM_MEASURE_TIMER_H
#define FM_MEASURE_TIMER_H

#include "measure/runtime.h"

/* The handle of a name, from 1; *handle is looked at first. 0: nothing is measured, or there is no room. */
int fm_timer_get(int handle, const char *name);
void fm_timer_start(int handle, uintptr_t site);
void fm_timer_stop(int handle, uintptr_t site);

#endif
