/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about thread run-times, that is, about implementations of OpenMP: one row each. Nothing else names one.
 *
 * Their code either waits or works. It waits where a thread cannot continue: idle between parallel regions, in barriers,
 * at the end of a region, for tasks and for locks, whether it spins or sleeps. It works where it distributes iterations
 * or creates tasks. Installed libraries have no names but those that they export, so the exported function that the
 * program has called decides for everything that it calls. The rest waits: code that no program has called is that of an
 * idle worker, and a function without a name that is called from the program was reached by a jump at the end of an
 * exported one, which is how barriers and locks are left to the part that waits.
 *
 * Lists are those of base/names.h, with shell patterns. */
#ifndef FM_ANALYSE_CALLS_THREAD_RUNTIMES_H
#define FM_ANALYSE_CALLS_THREAD_RUNTIMES_H

#include "analyse/calls/calltree.h"

struct fm_thread_runtime {
    const char *libraries; /* names of its files */
    const char *functions; /* its functions, if it is linked statically */
    const char *waits;     /* functions that wait */
    const char *works;     /* other functions that programs call: those in `waits` are excepted */
};

enum { FM_THREAD_RUNTIMES = 2 };
extern const struct fm_thread_runtime fm_thread_runtimes[FM_THREAD_RUNTIMES];

/* What the innermost frame of a stack belongs to. */
enum fm_thread_state {
    FM_THREAD_PROGRAM, /* code outside thread run-times */
    FM_THREAD_WORKS,   /* a thread run-time, or the C library called by it */
    FM_THREAD_WAITS,
};

/* The state in a frame; `above` is that of its caller, FM_THREAD_PROGRAM if it has none. */
enum fm_thread_state fm_thread_state_in(enum fm_thread_state above, const struct fm_context *frame);
bool fm_is_thread_runtime(const char *module); /* by the path of a load module */
bool fm_context_in_thread_runtime(const struct fm_context *context);

#endif
