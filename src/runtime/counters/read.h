/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the events of a thread and stores their totals in the segment. */
#ifndef FM_RUNTIME_COUNTERS_READ_H
#define FM_RUNTIME_COUNTERS_READ_H

#include "runtime/counters/state.h"

/* Of the calling thread. Without system_calls, events that need a system call are left as they are. Async-signal-safe. */
void fm_counters_update(struct fm_counted_thread *self, bool system_calls);
/* Of another thread: what can be known about it at this moment. */
void fm_counters_update_other(struct fm_counted_thread *thread, bool system_calls);
/* Stores counts and times of the whole group: for the two above, and tests. */
void fm_counters_store(struct fm_counted_thread *thread, const uint64_t *counts, const uint64_t *enabled_ns,
                       const uint64_t *running_ns);

#endif
