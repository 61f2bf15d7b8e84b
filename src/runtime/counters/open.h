/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the events of a thread as one group. */
#ifndef FM_RUNTIME_COUNTERS_OPEN_H
#define FM_RUNTIME_COUNTERS_OPEN_H

#include "runtime/counters/state.h"

/* Tries to open each event for the calling thread, and drops those that are not available here; *dropped gets the first of
 * them. Returns 0, or the error of the first if none is left. */
int fm_counters_probe(struct fm_perf_events *events, struct fm_perf_event *dropped);
/* Opens the events of fm_counting for a thread of this process (0: the calling one). Returns 0 or an error. */
int fm_counters_open(struct fm_counted_thread *thread, int32_t tid);
void fm_counters_close(struct fm_counted_thread *thread);
/* Closes the descriptors that a forked child inherited. */
void fm_counters_close_inherited(void);
/* The leader's descriptor if it is still ours, else -1. Async-signal-safe. */
int fm_counters_descriptor(const struct fm_counted_thread *thread);

#endif
