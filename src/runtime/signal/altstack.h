/* SPDX-License-Identifier: BSD-3-Clause */
/* The alternate signal stack that handlers of a sampled thread run on, so that neither our frames nor those of the kernel
 * are on a stack that a program has made as small as possible.
 *
 * A thread without an alternate stack gets ours, and the program sees none. One that the program sets is used as it is;
 * if it is too small for nested handlers, the thread cannot be sampled. All functions concern the calling thread; nothing
 * is allocated. */
#ifndef FM_RUNTIME_SIGNAL_ALTSTACK_H
#define FM_RUNTIME_SIGNAL_ALTSTACK_H

#include <signal.h>
#include <stdbool.h>

enum { FM_ALTSTACK_BYTES = 256 * 1024 };

/* Installs ours, `room` of FM_ALTSTACK_BYTES, unless there is one. Returns false if no sample may be taken. */
bool fm_altstack_begin(void *room);
/* The same in a signal handler: changes the saved context, from which the kernel sets the stack on return. */
void fm_altstack_begin_at_return(void *room, stack_t *saved);
/* Restores what the program has set, unless the thread runs on ours. */
void fm_altstack_end(void);
/* Called after a successful sigaltstack of the program. `set`: whether it set a stack; `before`: the previous one, if
 * it asked for it, or NULL. Returns the same as fm_altstack_begin. */
bool fm_altstack_follow(bool set, stack_t *before);

#endif
