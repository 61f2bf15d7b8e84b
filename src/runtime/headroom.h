/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a process has enough stack and memory left for measuring. Where a program is short of either, the runtime steps
 * aside rather than make it fail. */
#ifndef FM_RUNTIME_HEADROOM_H
#define FM_RUNTIME_HEADROOM_H

#include <stdbool.h>

/* On the stack of the calling thread, to start measuring or to write a profile. */
bool fm_stack_has_headroom(void);
/* In the address space, for the segment and the data of threads. */
bool fm_memory_has_headroom(void);

#endif
