/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread slots. A thread has one from its first call of ours to its end; the last slot is shared by all threads that
 * find no free one. */
#ifndef FM_RUNTIME_THREAD_SLOTS_H
#define FM_RUNTIME_THREAD_SLOTS_H

#include "runtime/runtime.h"

/* Called once, before the segment is created. The kernel zeroes the slots in a child, including one created by _Fork or
 * clone, for which no atfork handler runs: calls in a child find no slot and do not write to the segment of its parent.
 * Returns false if out of memory. */
bool fm_threads_make(void);
/* Called once, before any thread has a slot: from now on slots are released when threads end. */
void fm_threads_watch_exits(void);
/* Returns true in the process that created the slots, false in a child. Makes no system call. */
bool fm_threads_are_own(void);

/* The calling thread's slot, assigned on its first call. Returns NULL if the process is not measured. */
struct fm_thread *fm_thread_attach(void);

#endif
