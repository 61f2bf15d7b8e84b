/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes a sample: adds the call path of a thread to the tree. The handler of the sampling signal; everything here is
 * async-signal-safe: no lock that can sleep, no allocation, no stdio. */
#ifndef FM_RUNTIME_SIGNAL_SAMPLE_H
#define FM_RUNTIME_SIGNAL_SAMPLE_H

#include "runtime/signal/altstack.h"
#include "runtime/signal/state.h"

/* The system call that a sample has interrupted is not restarted: a signal of the program was meant to interrupt it. */
void fm_sample_end_call(ucontext_t *context);
/* Whether an address is in the handler itself, where the frame of the sample is not yet, or no longer, known. */
bool fm_is_sample_entry(uintptr_t pc);

/* Finds the stack bounds of the calling thread, which is not the main thread. */
void fm_sample_find_stack(struct fm_sampled_thread *self);
/* The signal handler. */
void fm_sample_signal(int signal, siginfo_t *info, void *context);
/* Takes the pending sample of the calling thread, which blocks the signal. Called outside of a handler. */
void fm_sample_blocked(struct fm_sampled_thread *self);

#endif
