/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling of call paths: starts and stops it, and gives each thread its timer. What a sample does is in
 * runtime/signal. FATHOM_SAMPLE: samples per second and thread, or "off". */
#ifndef FM_RUNTIME_SAMPLER_H
#define FM_RUNTIME_SAMPLER_H

#include "runtime/signal/sample.h"

enum { FM_SAMPLING_HZ = 97 };

/* Called when the library is loaded. If there will be no sampling, the libc functions are left alone. */
void fm_sampler_loaded(bool measured);
/* Starts sampling of all existing threads. The segment must exist. */
void fm_sampler_start(void);
/* Stops sampling permanently: before the segment is read, and at the end of the process. */
void fm_sampler_stop(void);
/* Starts sampling of the calling thread, a new one, until it ends. */
void fm_sampler_thread_begins(void);
/* Counts a thread that cannot be sampled. */
void fm_sampler_thread_passed(void);
/* Adds load modules to the segment's list, which a signal handler cannot do: called before one is unloaded, when a
 * thread is started, and at the end. */
void fm_sampler_note_modules(void);
/* Turns sampling off in a forked child. */
void fm_sampler_forget(void);

/* Suspends or resumes sampling of the calling thread. */
void fm_sampler_pause(bool pause);
/* Notes that the calling thread, which is not sampled yet, has a small stack or an alternate one. */
void fm_sampler_note_little_room(void);
/* The program uses the sampling signal: switches to another one, or stops sampling if there is none. */
void fm_sampler_yield_signal(int signal);
/* The program uses these signals in a way that cannot be detected later: never use them for sampling. */
void fm_sampler_avoid(uint64_t signals);

#endif
