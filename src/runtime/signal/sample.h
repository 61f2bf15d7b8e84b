/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes a sample: what a thread is doing, as a path into the tree. The handler of the sampling signal, and nothing that
 * is not safe in one: no lock that anybody sleeps in, no allocation, no stdio. */
#ifndef FM_RUNTIME_SIGNAL_SAMPLE_H
#define FM_RUNTIME_SIGNAL_SAMPLE_H

#include "runtime/signal/altstack.h"
#include "runtime/signal/state.h"

/* The system call that a sample has interrupted is not begun again: a signal of the program was to end it. */
void fm_sample_end_call(ucontext_t *context);
/* Whether an address is in the handler itself, before or behind what the frame of a sample tells of. */
bool fm_is_sample_entry(uintptr_t pc);

/* The bounds of the calling thread's stack, which is not the first one's. */
void fm_sample_find_stack(struct fm_sampled_thread *self);
/* The handler. */
void fm_sample_signal(int signal, siginfo_t *info, void *context);
/* Takes the sample that is due in the calling thread, which has the signal blocked: outside a handler. */
void fm_sample_blocked(struct fm_sampled_thread *self);

#endif
