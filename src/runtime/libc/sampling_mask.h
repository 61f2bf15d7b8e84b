/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks the sampling signal of the calling thread while it waits in libc: the wait is not interrupted, and the signal
 * that arrives afterwards tells how many periods it took. Signals that the program has blocked stay blocked. */
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

/* Finds out whether the calling thread existed before sampling began. */
struct fm_sampled_thread *fm_sampler_find_self(void);

/* The calling thread's record; NULL: it is not sampled, as in a forked child. */
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

/* The system call itself: the function of libc leaves out the signals that cancel threads. */
static inline uint64_t fm_change_mask(int how, const uint64_t *signals)
{
    uint64_t before = 0;
    fm_kernel(SYS_rt_sigprocmask, how, signals, &before, sizeof before);
    return before;
}

/* Returns what fm_sampling_unblock has to unblock; 0: nothing. */
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

/* A handler of the program ends calls (it has no SA_RESTART). If its signal comes together with a sample, the kernel asks
 * the sample's handler whether the call is to go on, so from then on there are none in calls that would be begun again. */
FM_INLINE uint64_t fm_sampling_block_restarted(void)
{
    return FM_UNLIKELY(fm_rt.sampler.program_ends_calls) ? fm_sampling_block() : 0;
}

/* A program may pass a wrong address and is told so by the kernel. Of an unknown change that is what it looks at first. */
static inline bool fm_is_readable(const sigset_t *set)
{
    enum { NO_CHANGE = -1 };
    return set && fm_kernel(SYS_rt_sigprocmask, NO_CHANGE, set, NULL, sizeof(uint64_t)) != -EFAULT;
}

/* A mask for calls that take one: the program's, or the thread's if that is NULL, with the sampling signal. A
 * wrong one stays wrong. */
static inline const sigset_t *fm_sampling_blocked_mask(const sigset_t *mask, sigset_t *room)
{
    memset(room, 0, sizeof *room);
    uint64_t signals = 0;
    if (mask && !fm_is_readable(mask))
        return mask;
    if (mask)
        memcpy(&signals, mask, sizeof signals);
    else
        signals = fm_change_mask(SIG_BLOCK, NULL);
    signals |= fm_signal_bit(fm_sampling.signal);
    memcpy(room, &signals, sizeof signals);
    return room;
}

/* Installs our handler in front of all handlers of the program, and removes it. */
void fm_handlers_find(void);
void fm_handlers_give_back(void);
/* Whether samples of this process are taken with that signal. */
bool fm_is_sampling_signal(int signal);
/* From now on the signal is the program's; if samples used it, they use another one. */
void fm_yield_signal(int signal);
/* What a program waits for, without the sampling signal where it is there with all others. */
const sigset_t *fm_without_sampling_signal(const sigset_t *set, sigset_t *room);

#endif
