/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling of call paths: starts and ends it, and gives each thread its timer. What happens at a sample is in
 * runtime/signal. FATHOM_SAMPLE: samples a second and thread, or "off". */
#ifndef FM_RUNTIME_SAMPLER_H
#define FM_RUNTIME_SAMPLER_H

#include "runtime/signal/sample.h"

enum { FM_SAMPLING_HZ = 97 };

/* When the library is loaded: if no samples will be taken, libc's calls are left alone. */
void fm_sampler_loaded(bool measured);
/* When the segment is there: all threads that there are. */
void fm_sampler_start(void);
/* For good: before the segment is read, and at the end of the process. */
void fm_sampler_stop(void);
/* The calling thread begins; its end is seen. */
void fm_sampler_thread_begins(void);
/* One begins that cannot be sampled. */
void fm_sampler_thread_passed(void);
/* Load modules go into the segment's list, which no handler can do: before one is unloaded, when a thread is started, and
 * at the end. */
void fm_sampler_note_modules(void);
/* In a forked child: it is not sampled. */
void fm_sampler_forget(void);

/* The calling thread must not be sampled for a while, or can be again. */
void fm_sampler_pause(bool pause);
/* It is not sampled yet, and has a small stack, or an alternate one. */
void fm_sampler_note_little_room(void);
/* The program names the signal that is used: sampling goes to another one, or ends if there is none. */
void fm_sampler_yield_signal(int signal);
/* The program uses these signals in a way that cannot be seen later. */
void fm_sampler_avoid(uint64_t signals);

#endif
