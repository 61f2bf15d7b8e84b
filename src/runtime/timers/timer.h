/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers of the application (include/fathom.h). A timer has a number, its handle. Each thread measures into its own
 * struct fm_segment_timing, so that threads never wait for each other. */
#ifndef FM_RUNTIME_TIMERS_TIMER_H
#define FM_RUNTIME_TIMERS_TIMER_H

#include <stdint.h>

/* Returns the handle of a name, from 1. `handle` is tried first, and is returned unchanged if the process is not
 * measured. */
int fm_timer_get(int handle, const char *name, uintptr_t site);

/* Timer report over all tasks of a communicator; all of them must call it. Returns a string for task 0, to be freed by
 * the caller, else NULL. */
char *fm_timers_report(int fortran_comm);

#endif
