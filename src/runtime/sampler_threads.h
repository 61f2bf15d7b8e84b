/* SPDX-License-Identifier: BSD-3-Clause */
/* The timers of all sampled threads, and the signal that they send. */
#ifndef FM_RUNTIME_SAMPLER_THREADS_H
#define FM_RUNTIME_SAMPLER_THREADS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Chooses a signal that the program does not use; false: there is none. */
bool fm_sampler_prepare(clockid_t clock);
/* Samples all threads that there are, and those that are started from now on; or none any more. */
void fm_sampler_begin(void);
void fm_sampler_end(void);
/* Whether samples of any thread have led into the code that lies there. */
bool fm_sampler_has_rules_of(uintptr_t start, uintptr_t end);

#endif
