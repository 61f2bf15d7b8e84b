/* SPDX-License-Identifier: BSD-3-Clause */
/* The timers of all sampled threads, and the signal that they send. */
#ifndef FM_RUNTIME_SAMPLER_THREADS_H
#define FM_RUNTIME_SAMPLER_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Chooses a signal that the program does not use. Returns false if there is none. */
bool fm_sampler_prepare(clockid_t clock);
/* Starts sampling of all threads, existing and future; or stops sampling. */
void fm_sampler_begin(void);
void fm_sampler_end(void);
/* Returns true if any thread has unwind rules for code in this range. */
bool fm_sampler_has_rules_of(uintptr_t start, uintptr_t end);

#endif
