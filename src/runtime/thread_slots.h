/* SPDX-License-Identifier: BSD-3-Clause */
/* The slots of threads: a thread has one from its first call of ours to its end; the last one is shared by those for which
 * there is none left. */
#ifndef FM_RUNTIME_THREAD_SLOTS_H
#define FM_RUNTIME_THREAD_SLOTS_H

#include "runtime/runtime.h"

/* Once, before the segment is made. The kernel empties them in a child, also in one made by _Fork or clone, where no
 * atfork handler runs: a child's calls find no slot and do not write into their parent's segment. false: no memory. */
bool fm_threads_make(void);
/* Once, before the first thread has one: the ends of threads are seen from now on. */
void fm_threads_watch_exits(void);
/* Whether they are those of the process that made them; without a system call. */
bool fm_threads_are_own(void);

/* The calling thread's slot, made on its first call; NULL when nothing is measured. */
struct fm_thread *fm_thread_attach(void);

#endif
