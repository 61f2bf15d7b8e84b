/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>

#include "base/platform.h"
#include "runtime/interpose/own_syscalls.h"

/* Waiters sleep instead of yielding: a yielding thread of higher priority would keep the holder from running. */
void fm_sleep_while(void *word, unsigned value)
{
    fm_kernel(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL);
}

static void wake(void *word, int max)
{
    fm_kernel(SYS_futex, word, FUTEX_WAKE_PRIVATE, max);
}

void fm_wake_all(void *word)
{
    wake(word, INT_MAX);
}

/* ---- locks ---- */

enum { FREE, HELD, CONTENDED, SPINS = 100 };

static bool try_acquire(atomic_uint *held)
{
    unsigned expected = FREE;
    return atomic_compare_exchange_weak_explicit(held, &expected, HELD, memory_order_acquire, memory_order_relaxed);
}

/* Without system calls (own_syscalls.h) it can only spin. */
static void acquire(struct fm_spin *lock, bool may_call)
{
    for (int i = 0; i < SPINS || !may_call; i++)
        if (try_acquire(&lock->held))
            return;
    while (atomic_exchange_explicit(&lock->held, CONTENDED, memory_order_acquire) != FREE)
        fm_sleep_while(&lock->held, CONTENDED);
}

static void release(struct fm_spin *lock, bool may_call)
{
    if (atomic_exchange_explicit(&lock->held, FREE, memory_order_release) == CONTENDED && may_call)
        wake(&lock->held, 1);
}

void fm_spin_lock(struct fm_spin *lock)
{
    bool may_call = fm_syscalls_enter();
    acquire(lock, may_call);
    lock->may_call = may_call;
}

/* System calls may have been allowed again since the lock was taken. Until then there are no sleepers to wake. */
static bool may_call_now(const struct fm_spin *lock)
{
    return lock->may_call || fm_syscalls_enter();
}

void fm_spin_unlock(struct fm_spin *lock)
{
    bool may_call = may_call_now(lock);
    release(lock, may_call);
    if (may_call)
        fm_syscalls_leave();
}

uint64_t fm_set_signals(uint64_t blocked)
{
    uint64_t before = 0;
    fm_kernel(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, &before, sizeof before);
    return before;
}

void fm_lock(struct fm_mutex *lock)
{
    bool may_call = fm_syscalls_enter();
    uint64_t before = may_call ? fm_set_signals(UINT64_MAX) : 0;
    acquire(&lock->spin, may_call);
    lock->spin.may_call = may_call;
    lock->signals = before;
}

void fm_unlock(struct fm_mutex *lock)
{
    uint64_t before = lock->signals;
    bool masked = lock->spin.may_call, may_call = may_call_now(&lock->spin);
    release(&lock->spin, may_call);
    if (masked)
        fm_set_signals(before);
    if (may_call)
        fm_syscalls_leave();
}
