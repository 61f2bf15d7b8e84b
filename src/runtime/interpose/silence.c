/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/interpose/silence.h"

#include <stdatomic.h>
#include <time.h>

#include "base/platform.h"
#include "runtime/interpose/state.h"

enum { PAUSE_NS = 100000, MOST_PAUSES = 10000 };
#define SILENT 0x80000000u

bool fm_is_silent(void)
{
    return atomic_load_explicit(&fm_interpose.callers, memory_order_relaxed) & SILENT;
}

bool fm_calls_begin(void)
{
    unsigned n = atomic_load_explicit(&fm_interpose.callers, memory_order_relaxed);
    do
        if (n & SILENT)
            return false;
    while (!atomic_compare_exchange_weak(&fm_interpose.callers, &n, n + 1));
    return true;
}

void fm_calls_end(void)
{
    atomic_fetch_sub(&fm_interpose.callers, 1);
}

/* A handler of the program that left by siglongjmp has left its number behind: one is waited for for a second. */
void fm_silence_begin(void)
{
    const struct timespec pause = {0, PAUSE_NS};
    unsigned none = 0;
    for (int i = 0; i < MOST_PAUSES && !atomic_compare_exchange_strong(&fm_interpose.callers, &none, SILENT);
         i++, none = 0)
        fm_kernel(SYS_nanosleep, &pause, NULL);
    atomic_fetch_or(&fm_interpose.callers, SILENT);
}

void fm_silence_end(void)
{
    atomic_fetch_and(&fm_interpose.callers, ~SILENT);
}
