/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks whether the process has enough stack and memory (within its limits) to be measured. If it is short of either,
 * it is not measured rather than made to fail. */
#ifndef FM_RUNTIME_HEADROOM_H
#define FM_RUNTIME_HEADROOM_H

#include <stdbool.h>

/* Enough stack in the calling thread to start measurement or to write a profile. */
bool fm_stack_has_headroom(void);
/* Enough address space for the segment and the per-thread data. */
bool fm_memory_has_headroom(void);

#endif
