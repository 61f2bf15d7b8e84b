/* SPDX-License-Identifier: BSD-3-Clause */
/* The stack that handlers of a sampled thread run on, so that neither a frame of ours nor the kernel's lies on a stack
 * that a program has made as small as it can.
 *
 * A thread without an alternate stack has ours, and the program sees none. One that the program sets is used as it is;
 * if it is too small for a handler within a handler, the thread cannot be sampled. All of it concerns the calling thread;
 * nothing is allocated. */
#ifndef FM_RUNTIME_SIGNAL_ALTERNATE_H
#define FM_RUNTIME_SIGNAL_ALTERNATE_H

#include <signal.h>
#include <stdbool.h>

enum { FM_ALTERNATE_BYTES = 256 * 1024 };

/* Puts ours in place, `room` of FM_ALTERNATE_BYTES, where there is none. false: no sample may be taken. */
bool fm_alternate_begin(void *room);
/* The same in a handler: what the kernel is to set when it returns is in its context. */
void fm_alternate_begin_at_return(void *room, stack_t *saved);
/* What the program has set is in place again, if the thread does not run on ours. */
void fm_alternate_end(void);
/* After the program's own call, which the kernel has accepted: whether it set one, and what it asked for, or NULL. As
 * fm_alternate_begin. */
bool fm_alternate_follow(bool set, stack_t *before);

#endif
