/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls that a program makes itself, by libc's `syscall`: those that wait are not broken by a sample either, and
 * those that filter what the process may call (seccomp, also by prctl) make Fathom stop its own system calls before they take effect.
 *
 * A number that is of no interest is passed on by a jump: a call that returns twice, as vfork's, finds no frame of ours. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/syscalls.h"
#include "runtime/end.h"
#include "runtime/interpose/functions.h"
#include "runtime/libc/sampling_mask.h"
#include "runtime/runtime.h"

/* ---- filters ---- */

enum filter { NO_FILTER, STRICT, PROGRAM };

/* Without a program, or with flags that there are not, nothing is installed: that is how a kernel is asked what it can. */
static enum filter asked_of_seccomp(long operation, long flags, long program)
{
    if (operation == SECCOMP_SET_MODE_STRICT)
        return flags == 0 ? STRICT : NO_FILTER;
    return operation == SECCOMP_SET_MODE_FILTER && program ? PROGRAM : NO_FILTER;
}

static enum filter asked_of_prctl(long option, long mode, long program)
{
    if (option != PR_SET_SECCOMP)
        return NO_FILTER;
    return mode == SECCOMP_MODE_STRICT ? STRICT : mode == SECCOMP_MODE_FILTER && program ? PROGRAM : NO_FILTER;
}

static bool forbid_syscalls(enum filter filter)
{
    struct fm_caller_state saved = fm_caller_state_save();
    bool forbidden = fm_runtime_forbid_syscalls();
    if (filter == STRICT) /* x86 takes its counter away from it, too */
        fm_thread_detach();
    fm_caller_state_restore(saved);
    return forbidden;
}

/* A new descriptor of notifications (SECCOMP_FILTER_FLAG_NEW_LISTENER) is as good as 0. */
static void allow_syscalls(bool began, long result)
{
    if (began && result < 0)
        fm_runtime_allow_syscalls();
}

int fm_wrapped_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    enum filter filter = asked_of_prctl(option, (long)a, (long)b);
    bool forbidden = filter && forbid_syscalls(filter);
    int result = fm_real.prctl(option, a, b, c, d);
    allow_syscalls(forbidden, result);
    return result;
}

static enum filter asked_of(long number, long a, long b, long c)
{
    return number == SYS_seccomp ? asked_of_seccomp(a, b, c)
           : number == SYS_prctl ? asked_of_prctl(a, b, c)
                                 : NO_FILTER;
}

/* Jumped to with all arguments where they were. */
typedef long passed_on(long number, long a, long b, long c, long d, long e FM_IN_REGISTER(, long f));
typedef long all_arguments(long number, long a, long b, long c, long d, long e, long f);
typedef void function(void);

static __attribute__((noinline)) long filter(long number, long a, long b, long c, long d, long e, long f)
{
    bool forbidden = forbid_syscalls(asked_of(number, a, b, c));
    long result = ((all_arguments *)(function *)fm_real.syscall)(number, a, b, c, d, e, f);
    allow_syscalls(forbidden, result);
    return result;
}

/* ---- waits ---- */

/* Those that a stop does not break, but a handler does. */
static bool is_broken_by_handler(long number)
{
    static const long calls[] = {
#if defined __x86_64__
        SYS_poll,
        SYS_select,
        SYS_pause,
#endif
#ifdef SYS_futex_waitv
        SYS_futex_waitv,
#endif
        SYS_ppoll,
        SYS_pselect6,
        SYS_nanosleep,
        SYS_clock_nanosleep,
        SYS_msgrcv,
        SYS_msgsnd,
        SYS_rt_sigsuspend,
        SYS_fallocate,
        SYS_preadv,
        SYS_preadv2,
        SYS_pwritev,
        SYS_pwritev2
    };
    return fm_syscall_is_among(number, calls, sizeof calls / sizeof *calls);
}

static bool is_broken(long number, long operation, long timeout)
{
    if (number == SYS_futex)
        return timeout &&
               ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT || (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET);
    return fm_syscall_is_fragile(number) || fm_syscall_is_fragile_on_streams(number) ||
           fm_syscall_length(number) >= 0 || is_broken_by_handler(number);
}

/* The argument that points to a mask of signals, which is in force while the call waits; -1: none. */
static int mask_argument(long number)
{
    switch (number) {
    case SYS_rt_sigsuspend:
        return 0;
    case SYS_ppoll:
        return 3;
    case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
        return 4;
    default:
        return -1;
    }
}

/* pselect6 and io_pgetevents have one argument too many: the last points to the mask and its size. */
struct mask_and_size {
    const sigset_t *mask;
    size_t size;
};

/* What a call is given in place of its own mask. */
struct held_mask {
    sigset_t room;
    struct mask_and_size both;
    struct io_uring_getevents_arg ring;
};

static bool copy_in(void *to, long from, size_t size)
{
    if (!from || !fm_is_readable((const sigset_t *)from) ||
        !fm_is_readable((const sigset_t *)(from + (long)size - (long)sizeof(uint64_t))))
        return false;
    memcpy(to, (const void *)from, size);
    return true;
}

static long hold_mask_and_size(long argument, struct held_mask *held)
{
    if (!copy_in(&held->both, argument, sizeof held->both) || !held->both.mask)
        return argument;
    held->both.mask = fm_sampling_blocked_mask(held->both.mask, &held->room);
    return (long)&held->both;
}

static long hold_ring_mask(long flags, long argument, struct held_mask *held)
{
    if (!(flags & IORING_ENTER_EXT_ARG))
        return argument ? (long)fm_sampling_blocked_mask((const sigset_t *)argument, &held->room) : 0;
    if (!copy_in(&held->ring, argument, sizeof held->ring) || !held->ring.sigmask)
        return argument;
    held->ring.sigmask = (uintptr_t)fm_sampling_blocked_mask((const sigset_t *)(uintptr_t)held->ring.sigmask,
                                                             &held->room);
    return (long)&held->ring;
}

/* The mask that a call has of its own has the sampling signal in it, too. */
static void hold_own_mask(long number, long arguments[6], struct held_mask *held)
{
    int mask = mask_argument(number);
    if (mask >= 0 && arguments[mask])
        arguments[mask] = (long)fm_sampling_blocked_mask((const sigset_t *)arguments[mask], &held->room);
    else if (number == SYS_pselect6)
        arguments[5] = hold_mask_and_size(arguments[5], held);
#ifdef SYS_io_pgetevents
    else if (number == SYS_io_pgetevents)
        arguments[5] = hold_mask_and_size(arguments[5], held);
#endif
    else if (number == SYS_io_uring_enter)
        arguments[4] = hold_ring_mask(arguments[3], arguments[4], held);
    else if (number == SYS_rt_sigtimedwait)
        arguments[0] = (long)fm_without_sampling_signal((const sigset_t *)arguments[0], &held->room);
}

static __attribute__((noinline)) long wait_in(long number, long a, long b, long c, long d, long e, long f)
{
    struct held_mask held;
    long given[] = {a, b, c, d, e, f};
    uint64_t signals = fm_sampling_block();
    if (fm_sampled_self())
        hold_own_mask(number, given, &held);
    long result = ((all_arguments *)(function *)fm_real.syscall)(number, given[0], given[1], given[2], given[3],
                                                                 given[4], given[5]);
    fm_sampling_unblock(signals);
    return result;
}

/* Jumps also in a build for debugging: else the seventh argument would be somewhere else, and vfork would return into
 * nothing. */
#ifndef __clang__
__attribute__((optimize("O2")))
#endif
long fm_wrapped_syscall(long number, long a, long b, long c, long d,
                                                        long e FM_IN_REGISTER(, long f))
{
    passed_on *next = fm_real.syscall;
    if (FM_UNLIKELY(asked_of(number, a, b, c)))
        next = (passed_on *)(function *)filter;
    else if (atomic_load_explicit(&fm_sampling.on, memory_order_relaxed) && is_broken(number, b, d))
        next = (passed_on *)(function *)wait_in;
    /* the last argument is passed on where it is: NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
    return next(number, a, b, c, d, e FM_IN_REGISTER(, f));
}
