/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/signal/deliver.h"

#include <unistd.h>

#include "base/platform.h"
#include "runtime/signal/sample.h"
#include "runtime/signal/thread_status.h"

/* The kernel lets one thread send another any siginfo, except for the codes that it uses itself (from 0 on): this is
 * subtracted from the code of a forwarded signal. */
enum { FORWARDED = 1 << 30 };

bool fm_deliver_as_sent(siginfo_t *info)
{
    bool forwarded = info->si_code < -(FORWARDED / 2);
    if (forwarded)
        info->si_code += FORWARDED;
    return forwarded;
}

/* ---- forwarding to the main thread ---- */

/* A thread that is not sampled has no tid there. */
static bool is_main_thread(int32_t main_tid)
{
    int32_t tid = fm_sampling_local.self ? fm_sampling_local.self->tid : 0;
    return (tid ? tid : (int32_t)fm_kernel(SYS_gettid)) == main_tid;
}

/* Whether the kernel, without us, would have chosen the main thread. Signals of CPU time clocks are for the thread that
 * runs; for sigqueue, timers and files it is unknown which thread they are for. */
static bool is_for_main_thread(int signal, const siginfo_t *info)
{
    if (info->si_code == SI_USER) /* sent by kill */
        return true;
    if (signal == SIGCHLD && info->si_code > 0)
        return fm_thread_made(fm_sampling.contexts.header->pid, info->si_pid);
    return info->si_code == SI_KERNEL && signal != SIGPROF && signal != SIGVTALRM && signal != SIGXCPU &&
           signal != SIGIO && signal != SIGURG;
}

static bool forward_signal(int32_t main_tid, int signal, const siginfo_t *info)
{
    siginfo_t copy = *info;
    copy.si_code -= FORWARDED;
    return fm_kernel(SYS_rt_tgsigqueueinfo, main_tid, main_tid, signal, &copy) == 0;
}

static __attribute__((noinline)) bool forward_to_main(int32_t main_tid, int signal, const siginfo_t *info)
{
    uint64_t blocked;
    return is_for_main_thread(signal, info) && getpid() == main_tid && fm_thread_blocks(main_tid, &blocked) &&
           !(blocked >> (signal - 1) & 1) && forward_signal(main_tid, signal, info);
}

/* ---- after a sample ---- */

/* A handler, perhaps that of a sample, has returned to the code that makes the system call for it, or is about to make
 * it. */
static bool is_returning(const ucontext_t *context)
{
    enum { PAGE = 4096, CODE_BYTES = 16 };
    uintptr_t pc = fm_ucontext_pc(context);
    return fm_ucontext_call(context) == SYS_rt_sigreturn || (pc % PAGE < PAGE - CODE_BYTES && fm_is_signal_return(pc));
}

static bool is_in_sample(const ucontext_t *context)
{
    uintptr_t sp = fm_ucontext_sp(context), frame = fm_sampling_local.frame;
    return fm_is_sample_entry(fm_ucontext_pc(context)) || is_returning(context) ||
           (frame && sp <= frame && frame - sp < FM_ALTSTACK_BYTES);
}

/* On its own the signal would have interrupted the system call that is restarted after the sample, whose action has
 * SA_RESTART. */
static void end_call(int signal, const ucontext_t *context)
{
    if (!(atomic_load_explicit(&fm_sampling.handlers.end_calls, memory_order_relaxed) >> (signal - 1) & 1))
        return;
    if (fm_sampling_local.context)
        fm_sample_end_call(fm_sampling_local.context);
    else if (fm_ucontext_pc(context) == (uintptr_t)fm_sample_signal)
        fm_sampling_local.ends_call = true;
}

/* Queues the signal for this thread again and blocks it until the handler of the sample returns, which restores its
 * mask. */
static bool defer_signal(int signal, const siginfo_t *info, ucontext_t *context)
{
    uint64_t bit = 1ull << (signal - 1), *blocked = (uint64_t *)(void *)&context->uc_sigmask, before = *blocked;
    fm_kernel(SYS_rt_sigprocmask, SIG_BLOCK, &bit, NULL, sizeof bit);
    *blocked |= bit;
    if (fm_kernel(SYS_rt_tgsigqueueinfo, getpid(), fm_kernel(SYS_gettid), signal, info) == 0) {
        end_call(signal, context);
        return true;
    }
    *blocked = before;
    return false;
}

void fm_deliver(int signal, siginfo_t *info, void *context)
{
    fm_handler *call = atomic_load_explicit(&fm_sampling.handlers.call[signal], memory_order_relaxed);
    bool forwarded = fm_deliver_as_sent(info);
    if (atomic_load_explicit(&fm_sampling.on, memory_order_relaxed)) {
        int32_t main_tid = fm_sampling.contexts.header->pid;
        if (!forwarded && !is_main_thread(main_tid) && forward_to_main(main_tid, signal, info))
            return;
        if (is_in_sample(context) && defer_signal(signal, info, context))
            return;
    }
    call(signal, info, context);
}
