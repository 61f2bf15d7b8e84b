/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/signal/deliver.h"

#include <unistd.h>

#include "base/platform.h"
#include "runtime/signal/sample.h"
#include "runtime/signal/thread_status.h"

/* The kernel lets one thread describe a signal to another as it likes, but for those codes that are its own (from 0 on):
 * a code that was handed on is less by this. */
enum { HANDED_ON = 1 << 30 };

bool fm_deliver_as_sent(siginfo_t *info)
{
    bool handed_on = info->si_code < -(HANDED_ON / 2);
    if (handed_on)
        info->si_code += HANDED_ON;
    return handed_on;
}

/* ---- to the first thread ---- */

/* One that is not sampled has no number there. */
static bool is_main_thread(int32_t first)
{
    int32_t tid = fm_sampling_local.self ? fm_sampling_local.self->tid : 0;
    return (tid ? tid : (int32_t)fm_kernel(SYS_gettid)) == first;
}

/* Whether the kernel, left to itself, would have chosen the first thread. What counts the time of threads is for the one
 * that runs; and of sigqueue, timers and files nobody can tell whom they are for. */
static bool is_for_main_thread(int signal, const siginfo_t *info)
{
    if (info->si_code == SI_USER) /* by kill */
        return true;
    if (signal == SIGCHLD && info->si_code > 0)
        return fm_thread_made(fm_sampling.contexts.header->pid, info->si_pid);
    return info->si_code == SI_KERNEL && signal != SIGPROF && signal != SIGVTALRM && signal != SIGXCPU &&
           signal != SIGIO && signal != SIGURG;
}

static bool forward_signal(int32_t first, int signal, const siginfo_t *info)
{
    siginfo_t copy = *info;
    copy.si_code -= HANDED_ON;
    return fm_kernel(SYS_rt_tgsigqueueinfo, first, first, signal, &copy) == 0;
}

static __attribute__((noinline)) bool forward_to_main(int32_t first, int signal, const siginfo_t *info)
{
    uint64_t blocked;
    return is_for_main_thread(signal, info) && getpid() == first && fm_thread_blocks(first, &blocked) &&
           !(blocked >> (signal - 1) & 1) && forward_signal(first, signal, info);
}

/* ---- after a sample ---- */

static bool is_in_sample(const ucontext_t *context)
{
    enum { PAGE = 4096, LONGEST = 16 };
    uintptr_t pc = fm_ucontext_pc(context), sp = fm_ucontext_sp(context);
    return fm_is_sample_entry(pc) || (pc % PAGE < PAGE - LONGEST && fm_is_signal_return(pc)) ||
           (fm_sampling_local.frame && sp <= fm_sampling_local.frame &&
            fm_sampling_local.frame - sp < FM_ALTSTACK_BYTES);
}

/* Alone it would have ended the call that the sample's action, with SA_RESTART, lets go on. */
static void end_call(int signal, const ucontext_t *context)
{
    if (!(atomic_load_explicit(&fm_sampling.handlers.end_calls, memory_order_relaxed) >> (signal - 1) & 1))
        return;
    if (fm_sampling_local.context)
        fm_sample_end_call(fm_sampling_local.context);
    else if (fm_ucontext_pc(context) == (uintptr_t)fm_sample_signal)
        fm_sampling_local.ends_call = true;
}

/* The thread gets it once more when the sample's handler returns, whose mask is then in force; until then it is blocked. */
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
    bool handed_on = fm_deliver_as_sent(info);
    if (atomic_load_explicit(&fm_sampling.on, memory_order_relaxed)) {
        int32_t first = fm_sampling.contexts.header->pid;
        if (!handed_on && !is_main_thread(first) && forward_to_main(first, signal, info))
            return;
        if (is_in_sample(context) && defer_signal(signal, info, context))
            return;
    }
    call(signal, info, context);
}
