/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel says of a thread of this process. Safe in a handler, and sparing with its stack. */
#ifndef FM_RUNTIME_SIGNAL_THREAD_STATUS_H
#define FM_RUNTIME_SIGNAL_THREAD_STATUS_H

#include <stdbool.h>
#include <stdint.h>

/* Which signals it blocks; false: it has ended, or nothing is known. */
bool fm_thread_blocks(int32_t tid, uint64_t *signals);
/* Whether it made that child, which may have ended but was not waited for. */
bool fm_thread_made(int32_t tid, int32_t child);

#endif
