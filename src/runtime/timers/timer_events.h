/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts and stops of timers, exported under their names in include/fathom.h. */
#ifndef FM_RUNTIME_TIMERS_TIMER_EVENTS_H
#define FM_RUNTIME_TIMERS_TIMER_EVENTS_H

#include "runtime/runtime.h"

/* The calling thread's timers, set up on first use; always empty if it has no slot of its own. Returns NULL if the
 * process is not measured. */
struct fm_thread_timers *fm_timers_of_thread(void);

#endif
