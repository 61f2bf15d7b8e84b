/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the stacks of threads lie that were there before sampling began: found out then, and looked up when such a thread
 * is sampled for the first time. */
#ifndef FM_RUNTIME_SIGNAL_STACKS_H
#define FM_RUNTIME_SIGNAL_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* Before the first sample. False: there is no room for more. */
bool fm_stacks_add(uintptr_t low, uintptr_t end);
/* Where the one with that address begins; 0: not known. */
uintptr_t fm_stacks_low(uintptr_t address);

#endif
