/* SPDX-License-Identifier: BSD-3-Clause */
/* Signal actions of the program. During sampling its handlers are called through fm_deliver, but it sees them as it has
 * set them, and never sees ours. */
#define _GNU_SOURCE
#include "runtime/interpose/functions.h"
#include "runtime/libc/sampling_mask.h"
#include "runtime/lock.h"
#include "runtime/runtime.h"
#include "runtime/sampler.h"
#include "runtime/signal/deliver.h"

/* ---- handlers ---- */

static bool is_handler(__sighandler_t handler)
{
    return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR && handler != SIG_HOLD;
}

/* Signals caused by the thread itself: they do not interrupt calls, and are always delivered to that thread. */
static bool is_fault(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ||
           signal == SIGABRT || signal == SIGSYS || signal == SIGPIPE || signal == SIGXFSZ;
}

static bool is_ours(const struct sigaction *action)
{
    return action->sa_sigaction == fm_deliver || action->sa_sigaction == fm_sample_signal;
}

static void set_bit(atomic_ullong *signals, int signal, bool set)
{
    if (set)
        atomic_fetch_or(signals, fm_signal_bit(signal));
    else
        atomic_fetch_and(signals, ~fm_signal_bit(signal));
}

/* Replaces the program's handler, if it has one now, with fm_deliver. One-shot handlers (SA_RESETHAND) are left alone:
 * the handler would be gone by the time the signal is forwarded. The caller holds the lock. */
static void wrap_handler(int signal)
{
    struct sigaction action;
    if (is_fault(signal) || fm_real.sigaction(signal, NULL, &action) != 0 || !is_handler(action.sa_handler) ||
        is_ours(&action))
        return;
    if (!(action.sa_flags & SA_RESTART))
        fm_rt.sampler.program_ends_calls = true;
    if (action.sa_flags & (int)SA_RESETHAND)
        return;
    set_bit(&fm_sampling.handlers.plain, signal, !(action.sa_flags & SA_SIGINFO));
    set_bit(&fm_sampling.handlers.end_calls, signal, !(action.sa_flags & SA_RESTART));
    atomic_store(&fm_sampling.handlers.call[signal], action.sa_sigaction);
    action.sa_sigaction = fm_deliver;
    action.sa_flags |= SA_SIGINFO;
    fm_real.sigaction(signal, &action, NULL);
}

/* Turns an action as the kernel has it into the one that the program has set. */
static void unwrap(int signal, struct sigaction *action)
{
    if (action->sa_sigaction == fm_sample_signal)
        *action = (struct sigaction){.sa_handler = SIG_DFL};
    if (action->sa_sigaction != fm_deliver)
        return;
    action->sa_sigaction = atomic_load(&fm_sampling.handlers.call[signal]);
    if (atomic_load(&fm_sampling.handlers.plain) & fm_signal_bit(signal))
        action->sa_flags &= ~SA_SIGINFO;
}

static void restore_handler(int signal)
{
    struct sigaction action;
    if (fm_real.sigaction(signal, NULL, &action) != 0 || action.sa_sigaction != fm_deliver)
        return;
    unwrap(signal, &action);
    fm_real.sigaction(signal, &action, NULL);
}

void fm_handlers_find(void)
{
    fm_lock(&fm_rt.sampler.handlers_lock);
    for (int signal = 1; signal <= FM_SIGNALS; signal++)
        wrap_handler(signal);
    fm_unlock(&fm_rt.sampler.handlers_lock);
}

void fm_handlers_give_back(void)
{
    fm_lock(&fm_rt.sampler.handlers_lock);
    for (int signal = 1; signal <= FM_SIGNALS; signal++)
        restore_handler(signal);
    fm_unlock(&fm_rt.sampler.handlers_lock);
}

/* ---- calls ---- */

/* The program's current action, before it changes it. The change itself is made without the lock, which blocks signals:
 * some of these calls change the signal mask, and a fault due to a bad address is for the program to handle. Nothing is
 * recorded in a child, which is not sampled and may share our memory (vfork). */
static struct sigaction current_action(int signal)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    if (fm_real.sigaction(signal, NULL, &action) == 0)
        unwrap(signal, &action);
    return action;
}

static void action_changed(int signal)
{
    if (getpid() != fm_rt.pid)
        return;
    fm_lock(&fm_rt.sampler.handlers_lock);
    if (atomic_load_explicit(&fm_sampling.on, memory_order_relaxed))
        wrap_handler(signal);
    fm_unlock(&fm_rt.sampler.handlers_lock);
}

/* Returns true if the program only queries the action, or sets the default, which it already has. */
static bool leaves_default(const struct sigaction *action)
{
    return !action || (action->sa_handler == SIG_DFL && !action->sa_flags && sigisemptyset(&action->sa_mask));
}

int fm_wrapped_sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    if (fm_is_sampling_signal(signal)) {
        if (leaves_default(action)) {
            if (before)
                *before = (struct sigaction){.sa_handler = SIG_DFL};
            return 0;
        }
        fm_sampler_yield_signal(signal);
    }
    struct sigaction had = current_action(signal);
    int result = fm_real.sigaction(signal, action, before);
    if (result == 0 && before && is_ours(before))
        *before = had;
    if (result == 0 && action)
        action_changed(signal);
    return result;
}

static __sighandler_t set_handler(__sighandler_t (*next)(int, __sighandler_t), int signal, __sighandler_t handler)
{
    struct sigaction had = current_action(signal);
    __sighandler_t before = next(signal, handler);
    if (is_ours(&(struct sigaction){.sa_handler = before}))
        before = had.sa_handler;
    action_changed(signal);
    return before;
}

#define SIGNAL(name)                                                     \
    __sighandler_t fm_wrapped_##name(int signal, __sighandler_t handler) \
    {                                                                    \
        bool ours = fm_is_sampling_signal(signal);                       \
        if (ours && handler == SIG_DFL)                                  \
            return SIG_DFL;                                              \
        if (ours)                                                        \
            fm_sampler_yield_signal(signal);                             \
        return set_handler(fm_real.name, signal, handler);               \
    }
SIGNAL(signal)
SIGNAL(ssignal)
SIGNAL(bsd_signal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)

__sighandler_t fm_wrapped_sigset(int signal, __sighandler_t handler)
{
    if (fm_is_sampling_signal(signal))
        fm_sampler_yield_signal(signal);
    return set_handler(fm_real.sigset, signal, handler);
}

int fm_wrapped_sigignore(int signal)
{
    if (fm_is_sampling_signal(signal))
        fm_sampler_yield_signal(signal);
    return fm_real.sigignore(signal);
}

/* Changes the installed action, and how `signal` installs handlers from now on. */
int fm_wrapped_siginterrupt(int signal, int interrupt)
{
    if (fm_is_sampling_signal(signal))
        fm_sampler_yield_signal(signal);
    if (interrupt)
        fm_rt.sampler.program_ends_calls = true;
    int result = fm_real.siginterrupt(signal, interrupt);
    if (result == 0)
        set_bit(&fm_sampling.handlers.end_calls, signal, interrupt);
    return result;
}
