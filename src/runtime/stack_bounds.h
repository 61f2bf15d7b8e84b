/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the stacks of threads lie, as far as that can be known without asking libc for it in the thread itself, which
 * would make it allocate. */
#ifndef FM_RUNTIME_STACK_BOUNDS_H
#define FM_RUNTIME_STACK_BOUNDS_H

#include <pthread.h>
#include <stdint.h>

/* The first thread's: above its outermost frame, and how far down it may grow. */
struct fm_stack_bounds {
    uintptr_t low, end;
};
struct fm_stack_bounds fm_first_stack(void);
/* The same by its limit alone. */
struct fm_stack_bounds fm_first_stack_limit(void);
/* Looks at the mappings for stacks of the threads that there are now (what is written to, above what cannot be), and adds
 * them to those known to samples. */
void fm_stacks_find(void);
/* How many bytes a new thread has at least below its first frame; NULL: as libc makes one. */
size_t fm_stack_room(const pthread_attr_t *attributes);

#endif
