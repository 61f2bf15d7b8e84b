/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls that a program makes through libc's `syscall`. Samples do not interrupt those that wait, and those that
 * install a system call filter (seccomp, also through prctl) make Fathom stop its own system calls before they take
 * effect.
 *
 * All other calls are forwarded by a jump: a call that returns twice, such as vfork, must not find a frame of ours. */
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
#include "runtime/io/io.h"
#include "runtime/libc/sampling_mask.h"
#include "runtime/runtime.h"

/* ---- filters ---- */

enum filter { NO_FILTER, STRICT, PROGRAM };

/* Without a filter program, or with invalid flags, nothing is installed: such calls probe what the kernel supports. */
static enum filter seccomp_filter(long operation, long flags, long program)
{
    if (operation == SECCOMP_SET_MODE_STRICT)
        return flags == 0 ? STRICT : NO_FILTER;
    return operation == SECCOMP_SET_MODE_FILTER && program ? PROGRAM : NO_FILTER;
}

static enum filter prctl_filter(long option, long mode, long program)
{
    if (option != PR_SET_SECCOMP)
        return NO_FILTER;
    return mode == SECCOMP_MODE_STRICT ? STRICT : mode == SECCOMP_MODE_FILTER && program ? PROGRAM : NO_FILTER;
}

static bool forbid_syscalls(enum filter filter)
{
    struct fm_caller_state saved = fm_caller_state_save();
    bool forbidden = fm_runtime_forbid_syscalls();
    if (filter == STRICT) /* on x86 the thread also loses access to the time stamp counter */
        fm_thread_detach();
    fm_caller_state_restore(saved);
    return forbidden;
}

/* Success may also return a notification descriptor (SECCOMP_FILTER_FLAG_NEW_LISTENER) instead of 0. */
static void allow_syscalls(bool began, long result)
{
    if (began && result < 0)
        fm_runtime_allow_syscalls();
}

int fm_wrapped_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    enum filter filter = prctl_filter(option, (long)a, (long)b);
    bool forbidden = filter && forbid_syscalls(filter);
    int result = fm_real.prctl(option, a, b, c, d);
    allow_syscalls(forbidden, result);
    return result;
}

static enum filter filter_kind(long number, long a, long b, long c)
{
    return number == SYS_seccomp ? seccomp_filter(a, b, c) : number == SYS_prctl ? prctl_filter(a, b, c) : NO_FILTER;
}

/* Type of a function that is jumped to, with all arguments in place. */
typedef long forwarded_call(long number, long a, long b, long c, long d, long e FM_IN_REGISTER(, long f));
typedef long all_arguments(long number, long a, long b, long c, long d, long e, long f);
typedef void function(void);

static __attribute__((noinline)) long filter(long number, long a, long b, long c, long d, long e, long f)
{
    bool forbidden = forbid_syscalls(filter_kind(number, a, b, c));
    long result = ((all_arguments *)(function *)fm_real.syscall)(number, a, b, c, d, e, f);
    allow_syscalls(forbidden, result);
    return result;
}

/* ---- waits ---- */

/* System calls that are interrupted by a signal handler, but not by stopping and continuing the process. */
static bool is_interrupted_by_handler(long number)
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

static bool is_interruptible(long number, long operation, long timeout)
{
    if (number == SYS_futex)
        return timeout &&
               ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT || (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET);
    return fm_syscall_is_fragile(number) || fm_syscall_is_fragile_on_streams(number) ||
           fm_syscall_length(number) >= 0 || is_interrupted_by_handler(number);
}

/* Index of the argument that points to the signal mask in effect while the call waits; -1: none. */
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

/* pselect6 and io_pgetevents would need one argument too many: their last one points to the mask and its size. */
struct mask_and_size {
    const sigset_t *mask;
    size_t size;
};

/* Replacements for the arguments of a call that contain its signal mask. */
struct held_mask {
    sigset_t buffer;
    struct mask_and_size both;
    struct io_uring_getevents_arg ring;
};

static bool copy_argument(void *to, long from, size_t size)
{
    if (!from || !fm_is_readable((const sigset_t *)from) ||
        !fm_is_readable((const sigset_t *)(from + (long)size - (long)sizeof(uint64_t))))
        return false;
    memcpy(to, (const void *)from, size);
    return true;
}

static long hold_mask_and_size(long argument, struct held_mask *held)
{
    if (!copy_argument(&held->both, argument, sizeof held->both) || !held->both.mask)
        return argument;
    held->both.mask = fm_sampling_blocked_mask(held->both.mask, &held->buffer);
    return (long)&held->both;
}

static long hold_ring_mask(long flags, long argument, struct held_mask *held)
{
    if (!(flags & IORING_ENTER_EXT_ARG))
        return argument ? (long)fm_sampling_blocked_mask((const sigset_t *)argument, &held->buffer) : 0;
    if (!copy_argument(&held->ring, argument, sizeof held->ring) || !held->ring.sigmask)
        return argument;
    held->ring.sigmask = (uintptr_t)fm_sampling_blocked_mask((const sigset_t *)(uintptr_t)held->ring.sigmask,
                                                             &held->buffer);
    return (long)&held->ring;
}

/* Adds the sampling signal to the mask that a call takes as an argument, or removes it from the set that
 * rt_sigtimedwait waits for. */
static void hold_own_mask(long number, long arguments[6], struct held_mask *held)
{
    int mask = mask_argument(number);
    if (mask >= 0 && arguments[mask])
        arguments[mask] = (long)fm_sampling_blocked_mask((const sigset_t *)arguments[mask], &held->buffer);
    else if (number == SYS_pselect6)
        arguments[5] = hold_mask_and_size(arguments[5], held);
#ifdef SYS_io_pgetevents
    else if (number == SYS_io_pgetevents)
        arguments[5] = hold_mask_and_size(arguments[5], held);
#endif
    else if (number == SYS_io_uring_enter)
        arguments[4] = hold_ring_mask(arguments[3], arguments[4], held);
    else if (number == SYS_rt_sigtimedwait)
        arguments[0] = (long)fm_without_sampling_signal((const sigset_t *)arguments[0], &held->buffer);
}

static __attribute__((noinline)) long held_call(long number, long a, long b, long c, long d, long e, long f)
{
    struct held_mask held;
    long args[] = {a, b, c, d, e, f};
    uint64_t signals = fm_sampling_block();
    if (fm_sampled_self())
        hold_own_mask(number, args, &held);
    long result = ((all_arguments *)(function *)fm_real.syscall)(number, args[0], args[1], args[2], args[3], args[4],
                                                                 args[5]);
    fm_sampling_unblock(signals);
    return result;
}

/* Must be a tail call even in a debug build: otherwise the seventh argument would be in the wrong place, and vfork
 * would return into a frame that no longer exists. */
#ifndef __clang__
__attribute__((optimize("O2")))
#endif
long fm_wrapped_syscall(long number, long a, long b, long c, long d,
                                                        long e FM_IN_REGISTER(, long f))
{
    forwarded_call *next = fm_real.syscall;
    fm_io_note_syscall(number, a, b);
    if (FM_UNLIKELY(filter_kind(number, a, b, c)))
        next = (forwarded_call *)(function *)filter;
    else if (atomic_load_explicit(&fm_sampling.on, memory_order_relaxed) && is_interruptible(number, b, d))
        next = (forwarded_call *)(function *)held_call;
    /* the last argument is passed through in place: NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
    return next(number, a, b, c, d, e FM_IN_REGISTER(, f));
}
