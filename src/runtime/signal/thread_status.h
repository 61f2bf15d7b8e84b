/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel reports about a thread of this process. Async-signal-safe, and uses little stack. */
#ifndef FM_RUNTIME_SIGNAL_THREAD_STATUS_H
#define FM_RUNTIME_SIGNAL_THREAD_STATUS_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the signals that it blocks. Returns false if it has ended or its status cannot be read. */
bool fm_thread_blocks(int32_t tid, uint64_t *signals);
/* Whether it created that child process, which may have ended but has not been waited for. */
bool fm_thread_made(int32_t tid, int32_t child);

#endif
