/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/interpose/own_syscalls.h"

#include <stdatomic.h>
#include <time.h>

#include "base/platform.h"
#include "runtime/interpose/state.h"

enum { PAUSE_NS = 100000, MAX_PAUSES = 10000 };
#define FORBIDDEN 0x80000000u

bool fm_syscalls_forbidden(void)
{
    return atomic_load_explicit(&fm_interpose.callers, memory_order_relaxed) & FORBIDDEN;
}

bool fm_syscalls_enter(void)
{
    unsigned n = atomic_load_explicit(&fm_interpose.callers, memory_order_relaxed);
    do
        if (n & FORBIDDEN)
            return false;
    while (!atomic_compare_exchange_weak(&fm_interpose.callers, &n, n + 1));
    return true;
}

void fm_syscalls_leave(void)
{
    atomic_fetch_sub(&fm_interpose.callers, 1);
}

/* Waits for at most a second: a thread that left a handler by siglongjmp stays counted. */
void fm_syscalls_forbid(void)
{
    const struct timespec pause = {0, PAUSE_NS};
    unsigned none = 0;
    for (int i = 0; i < MAX_PAUSES && !atomic_compare_exchange_strong(&fm_interpose.callers, &none, FORBIDDEN);
         i++, none = 0)
        fm_kernel(SYS_nanosleep, &pause, NULL);
    atomic_fetch_or(&fm_interpose.callers, FORBIDDEN);
}

void fm_syscalls_allow(void)
{
    atomic_fetch_and(&fm_interpose.callers, ~FORBIDDEN);
}
