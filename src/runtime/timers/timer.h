/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers of the application (include/fathom.h). A timer has a number, its handle; what a thread measures with it lies
 * in a struct fm_segment_timing of its own, so that no thread waits for another. */
#ifndef FM_RUNTIME_TIMERS_TIMER_H
#define FM_RUNTIME_TIMERS_TIMER_H

#include <stdint.h>

/* The handle of a name, from 1; `handle` is looked at first, and stays as it is where nothing is measured. */
int fm_timer_get(int handle, const char *name, uintptr_t site);

/* The report over all tasks of a communicator, which all call it: for task 0 a text to be freed, else NULL. */
char *fm_timers_report(int fortran_comm);

#endif
