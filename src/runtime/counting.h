/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting of hardware and software events: starts and stops it, and gives each thread its counters, from its start if
 * it is known then, else from its first MPI call. How events are opened and read is in runtime/counters.
 * FATHOM_COUNTERS: names, or "off". */
#ifndef FM_RUNTIME_COUNTING_H
#define FM_RUNTIME_COUNTING_H

#include "runtime/counters/state.h"

/* Starts counting for the existing threads. The segment must exist. */
void fm_counting_start(void);
/* Stores the final counts of all threads and ends counting. */
void fm_counting_stop(void);
/* Starts counting for the calling thread. */
void fm_counting_thread_begins(void);
/* Ends counting in a forked child. */
void fm_counting_forget(void);

#endif
