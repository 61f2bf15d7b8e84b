/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a process has room for what measuring takes: on its stack, and of the memory that it is limited to. Where a
 * program is short of either, we step aside rather than have it fail. */
#ifndef FM_RUNTIME_ROOM_H
#define FM_RUNTIME_ROOM_H

#include <stdbool.h>

/* On the calling thread's stack, to start measuring or to write a profile. */
bool fm_room_on_stack(void);
/* In the address space, for the segment and what belongs to threads. */
bool fm_room_in_memory(void);

#endif
