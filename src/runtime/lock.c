#define _GNU_SOURCE
#include "runtime/lock.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "base/platform.h"

/* How many threads may make system calls at this moment, and the mark of silence, which is set when there are none. */
enum { PAUSE_NS = 100000, MOST_PAUSES = 10000 };
#define SILENT 0x80000000u
static atomic_uint callers;

bool fm_is_silent(void)
{
    return atomic_load_explicit(&callers, memory_order_relaxed) & SILENT;
}

bool fm_calls_begin(void)
{
    unsigned n = atomic_load_explicit(&callers, memory_order_relaxed);
    do
        if (n & SILENT)
            return false;
    while (!atomic_compare_exchange_weak(&callers, &n, n + 1));
    return true;
}

void fm_calls_end(void)
{
    atomic_fetch_sub(&callers, 1);
}

/* A handler of the program that left by siglongjmp has left its number behind: one is waited for for a second. */
void fm_silence_begin(void)
{
    const struct timespec pause = {0, PAUSE_NS};
    unsigned none = 0;
    for (int i = 0; i < MOST_PAUSES && !atomic_compare_exchange_strong(&callers, &none, SILENT); i++, none = 0)
        fm_kernel(SYS_nanosleep, &pause, NULL);
    atomic_fetch_or(&callers, SILENT);
}

void fm_silence_end(void)
{
    atomic_fetch_and(&callers, ~SILENT);
}

/* Whoever waits sleeps: yielding, a thread of a higher priority would keep the holder from running. */
void fm_sleep_while(void *word, unsigned value)
{
    fm_kernel(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL);
}

static void wake(void *word, int most)
{
    fm_kernel(SYS_futex, word, FUTEX_WAKE_PRIVATE, most);
}

void fm_wake_all(void *word)
{
    wake(word, INT_MAX);
}

/* ---- locks ---- */

enum { FREE, HELD, WAITED_FOR, SPINS = 100 };

static bool try_to_take(atomic_uint *held)
{
    unsigned expected = FREE;
    return atomic_compare_exchange_weak_explicit(held, &expected, HELD, memory_order_acquire, memory_order_relaxed);
}

/* In silence there is nothing but to try again. */
static void take(struct fm_spin *lock, bool may_call)
{
    for (int i = 0; i < SPINS || !may_call; i++)
        if (try_to_take(&lock->held))
            return;
    while (atomic_exchange_explicit(&lock->held, WAITED_FOR, memory_order_acquire) != FREE)
        fm_sleep_while(&lock->held, WAITED_FOR);
}

static void give_back(struct fm_spin *lock, bool may_call)
{
    if (atomic_exchange_explicit(&lock->held, FREE, memory_order_release) == WAITED_FOR && may_call)
        wake(&lock->held, 1);
}

void fm_spin_lock(struct fm_spin *lock)
{
    bool may_call = fm_calls_begin();
    take(lock, may_call);
    lock->may_call = may_call;
}

/* Silence may have ended meanwhile; as long as it lasts nobody sleeps. */
static bool may_call_now(const struct fm_spin *lock)
{
    return lock->may_call || fm_calls_begin();
}

void fm_spin_unlock(struct fm_spin *lock)
{
    bool may_call = may_call_now(lock);
    give_back(lock, may_call);
    if (may_call)
        fm_calls_end();
}

uint64_t fm_set_signals(uint64_t blocked)
{
    uint64_t before = 0;
    fm_kernel(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, &before, sizeof before);
    return before;
}

void fm_lock(struct fm_mutex *lock)
{
    bool may_call = fm_calls_begin();
    uint64_t before = may_call ? fm_set_signals(UINT64_MAX) : 0;
    take(&lock->spin, may_call);
    lock->spin.may_call = may_call;
    lock->signals = before;
}

void fm_unlock(struct fm_mutex *lock)
{
    uint64_t before = lock->signals;
    bool masked = lock->spin.may_call, may_call = may_call_now(&lock->spin);
    give_back(&lock->spin, may_call);
    if (masked)
        fm_set_signals(before);
    if (may_call)
        fm_calls_end();
}
