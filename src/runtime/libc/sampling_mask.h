/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks the sampling signal in the calling thread while it waits in libc: the wait is not interrupted, and the signal
 * that is delivered afterwards tells how many periods it took. What the program itself has blocked stays blocked. */
#ifndef FM_RUNTIME_LIBC_SAMPLING_MASK_H
#define FM_RUNTIME_LIBC_SAMPLING_MASK_H

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/platform.h"
#include "runtime/lock.h"
#include "runtime/runtime.h"
#include "runtime/signal/sample.h"

/* Finds the record of the calling thread if it existed before sampling began, and starts its timer. */
struct fm_sampled_thread *fm_sampler_find_self(void);

/* The calling thread's record, or NULL if it is not sampled, as in a forked child. */
FM_INLINE struct fm_sampled_thread *fm_sampled_self(void)
{
    struct fm_sampled_thread *self = fm_sampling_local.self;
    if (__builtin_expect(!self, 1)) {
        if (!atomic_load_explicit(&fm_sampling.on, memory_order_acquire))
            return NULL;
        self = fm_sampler_find_self();
    }
    return self->taken ? self : NULL;
}

static inline uint64_t fm_signal_bit(int signal)
{
    return 1ull << (signal - 1);
}

/* Direct system call: libc's sigprocmask removes the signals with which it cancels threads. */
static inline uint64_t fm_change_mask(int how, const uint64_t *signals)
{
    uint64_t before = 0;
    fm_kernel(SYS_rt_sigprocmask, how, signals, &before, sizeof before);
    return before;
}

/* Blocks the sampling signal. Returns the signals for fm_sampling_unblock to unblock; 0: none. */
FM_INLINE uint64_t fm_sampling_block(void)
{
    if (!fm_sampled_self() || !fm_syscalls_enter())
        return 0;
    uint64_t signals = fm_signal_bit(fm_sampling.signal);
    signals &= ~fm_change_mask(SIG_BLOCK, &signals);
    fm_syscalls_leave();
    return signals;
}

FM_INLINE void fm_sampling_unblock(uint64_t held)
{
    if (!held || !fm_syscalls_enter()) /* where system calls are forbidden there are no samples */
        return;
    fm_change_mask(SIG_UNBLOCK, &held);
    fm_syscalls_leave();
}

/* For calls that are restarted after a sample. If a handler of the program interrupts calls (it has no SA_RESTART) and
 * its signal arrives together with a sample, the kernel goes by the flags of the sample's handler to decide whether to
 * restart the call. So once there is such a handler, samples are held back in these calls. */
FM_INLINE uint64_t fm_sampling_block_restarted(void)
{
    return FM_UNLIKELY(fm_rt.sampler.program_ends_calls) ? fm_sampling_block() : 0;
}

/* A program may pass a bad address, and the kernel then returns an error. With an invalid `how`, the kernel reads the
 * set before it rejects the call. */
static inline bool fm_is_readable(const sigset_t *set)
{
    enum { NO_CHANGE = -1 };
    return set && fm_kernel(SYS_rt_sigprocmask, NO_CHANGE, set, NULL, sizeof(uint64_t)) != -EFAULT;
}

/* Mask for calls that take one: the program's, or the thread's current one if that is NULL, plus the sampling signal. A
 * bad address is passed through. */
static inline const sigset_t *fm_sampling_blocked_mask(const sigset_t *mask, sigset_t *buffer)
{
    memset(buffer, 0, sizeof *buffer);
    uint64_t signals = 0;
    if (mask && !fm_is_readable(mask))
        return mask;
    if (mask)
        memcpy(&signals, mask, sizeof signals);
    else
        signals = fm_change_mask(SIG_BLOCK, NULL);
    signals |= fm_signal_bit(fm_sampling.signal);
    memcpy(buffer, &signals, sizeof signals);
    return buffer;
}

/* Replaces all handlers of the program with fm_deliver; or restores them. */
void fm_handlers_find(void);
void fm_handlers_give_back(void);
/* Returns true if this process is being sampled with that signal. */
bool fm_is_sampling_signal(int signal);
/* The program uses a signal: it is never used for sampling again, and if it is the current sampling signal, sampling
 * switches to another one. */
void fm_yield_signal(int signal);
/* Removes the sampling signal from a set of signals to wait for, if the set contains it only because it contains
 * (nearly) all signals. */
const sigset_t *fm_without_sampling_signal(const sigset_t *set, sigset_t *buffer);

#endif
