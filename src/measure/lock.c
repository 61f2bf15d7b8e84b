#define _GNU_SOURCE
#include "measure/lock.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool silent;
static atomic_uint masked_holders;

bool fm_is_silent(void)
{
    return atomic_load_explicit(&silent, memory_order_relaxed);
}

/* Whoever waits sleeps: yielding, a thread of a higher priority would keep the holder from running. */
void fm_sleep_while(void *word, unsigned value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL);
}

static void wake(void *word, int most)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, most);
}

void fm_wake_all(void *word)
{
    wake(word, INT_MAX);
}

enum { FREE, HELD, WAITED_FOR, SPINS = 100 };

static bool try_lock(atomic_uint *lock)
{
    unsigned expected = FREE;
    return atomic_compare_exchange_weak_explicit(lock, &expected, HELD, memory_order_acquire, memory_order_relaxed);
}

void fm_spin_lock(atomic_uint *lock)
{
    for (int i = 0; i < SPINS || fm_is_silent(); i++)
        if (try_lock(lock))
            return;
    int error = errno;
    while (atomic_exchange_explicit(lock, WAITED_FOR, memory_order_acquire) != FREE)
        fm_sleep_while(lock, WAITED_FOR);
    errno = error;
}

void fm_spin_unlock(atomic_uint *lock)
{
    if (atomic_exchange_explicit(lock, FREE, memory_order_release) == WAITED_FOR && !fm_is_silent())
        wake(lock, 1);
}

/* The kernel's own call: libc's leaves the signals out that cancel threads. */
uint64_t fm_set_signals(uint64_t blocked)
{
    uint64_t before = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, &before, sizeof before);
    return before;
}

void fm_lock(struct fm_mutex *lock)
{
    uint64_t before = 0;
    atomic_fetch_add(&masked_holders, 1);
    bool masked = !atomic_load(&silent);
    if (masked)
        before = fm_set_signals(UINT64_MAX);
    else
        atomic_fetch_sub(&masked_holders, 1);
    fm_spin_lock(&lock->held);
    lock->signals = before;
    lock->masked = masked;
}

void fm_unlock(struct fm_mutex *lock)
{
    uint64_t before = lock->signals;
    bool masked = lock->masked;
    fm_spin_unlock(&lock->held);
    if (!masked)
        return;
    fm_set_signals(before);
    atomic_fetch_sub(&masked_holders, 1);
}

void fm_silence_begin(void)
{
    atomic_store(&silent, true);
    while (atomic_load(&masked_holders))
        sched_yield();
}

void fm_silence_end(void)
{
    atomic_store(&silent, false);
}
