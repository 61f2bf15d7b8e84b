/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of the stacks of threads, as far as they can be found without asking libc in the thread itself, which would
 * make it allocate memory. */
#ifndef FM_RUNTIME_STACK_BOUNDS_H
#define FM_RUNTIME_STACK_BOUNDS_H

#include <pthread.h>
#include <stdint.h>

/* Bounds of the first thread's stack: the end above its outermost frame, and the lowest address to which it may
 * grow. */
struct fm_stack_bounds {
    uintptr_t low, end;
};
struct fm_stack_bounds fm_first_stack(void);
/* The same from the resource limit alone. */
struct fm_stack_bounds fm_first_stack_limit(void);
/* Searches the mappings for stacks of the threads that exist now (a writable mapping directly above an inaccessible
 * one) and adds them to those known to the sampling handler. */
void fm_stacks_find(void);
/* Lower bound of the number of bytes of stack below the first frame of a new thread. NULL: default attributes. */
size_t fm_stack_room(const pthread_attr_t *attributes);

#endif
