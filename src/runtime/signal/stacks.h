/* SPDX-License-Identifier: BSD-3-Clause */
/* Stack bounds of threads that existed before sampling began: determined then, and looked up when such a thread is
 * sampled for the first time. */
#ifndef FM_RUNTIME_SIGNAL_STACKS_H
#define FM_RUNTIME_SIGNAL_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* Called before the first sample. Returns false if there is no room for more. */
bool fm_stacks_add(uintptr_t low, uintptr_t end);
/* Lower end of the stack that contains the address; 0 if unknown. */
uintptr_t fm_stacks_low(uintptr_t address);

#endif
