/* SPDX-License-Identifier: BSD-3-Clause */
/* The sampling signal is one that the program does not use. As soon as the program mentions it, sampling switches to
 * another one, and we do not interfere with the program's use of it. Until then it appears unused to the program. */
#define _GNU_SOURCE
#include <sys/signalfd.h>

#include "runtime/interpose/functions.h"
#include "runtime/libc/sampling_mask.h"
#include "runtime/runtime.h"
#include "runtime/sampler.h"
#include "runtime/signal/deliver.h"

bool fm_is_sampling_signal(int signal)
{
    return atomic_load_explicit(&fm_sampling.on, memory_order_relaxed) && signal == fm_sampling.signal &&
           getpid() == fm_rt.pid;
}

static void yield_signal(int signal)
{
    if (fm_is_sampling_signal(signal))
        fm_sampler_yield_signal(signal);
}

void fm_yield_signal(int signal)
{
    if (signal >= SIGRTMIN && signal <= FM_SIGNALS)
        fm_sampler_avoid(fm_signal_bit(signal));
    yield_signal(signal);
}

int fm_wrapped_sigaddset(sigset_t *set, int signal)
{
    fm_yield_signal(signal);
    return fm_real.sigaddset(set, signal);
}

#define SEND(type, name, parameters, arguments) \
    type fm_wrapped_##name parameters           \
    {                                           \
        fm_yield_signal(signal);                \
        return fm_real.name arguments;          \
    }
FM_LIBC_SENDS(SEND)

/* A program that requests a signal waits for it, perhaps in a set of all signals. A bad address is left for the kernel
 * to reject. */
static void name_event_signal(const struct sigevent *event)
{
    if (event && fm_is_readable((const sigset_t *)(const void *)&event->sigev_signo) &&
        event->sigev_notify != SIGEV_NONE)
        fm_yield_signal(event->sigev_signo);
}

int fm_wrapped_timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    name_event_signal(event);
    return fm_real.timer_create(clock, event, timer);
}

int fm_wrapped_mq_notify(int queue, const struct sigevent *event)
{
    name_event_signal(event);
    return fm_real.mq_notify(queue, event);
}

int fm_wrapped_sigpending(sigset_t *set)
{
    int result = fm_real.sigpending(set);
    if (result == 0 && fm_is_sampling_signal(fm_sampling.signal))
        sigdelset(set, fm_sampling.signal);
    return result;
}

/* The descriptor stays open, so none of its signals can be used for sampling later. */
int fm_wrapped_signalfd(int fd, const sigset_t *mask, int flags)
{
    sigset_t buffer;
    uint64_t signals;
    mask = fm_without_sampling_signal(mask, &buffer);
    int result = fm_real.signalfd(fd, mask, flags);
    if (result >= 0) {
        memcpy(&signals, mask, sizeof signals);
        fm_sampler_avoid(signals);
    }
    return result;
}

int fm_wrapped_sigaltstack(const stack_t *stack, stack_t *before)
{
    uint64_t held = fm_sampling_block(); /* no sample between the program's change of stack and ours */
    int result = fm_real.sigaltstack(stack, before);
    if (result == 0 && stack && !fm_sampling_local.self)
        fm_sampler_note_little_room();
    if (result == 0)
        fm_sampler_pause(!fm_altstack_follow(stack != NULL, before));
    fm_sampling_unblock(held);
    return result;
}

/* A set with most signals in it means "all signals"; one with few mentions each of them. */
const sigset_t *fm_without_sampling_signal(const sigset_t *set, sigset_t *buffer)
{
    enum { FEW = 32 };
    uint64_t signals;
    if (!fm_is_readable(set))
        return set;
    memcpy(&signals, set, sizeof signals);
    if (!(signals & fm_signal_bit(fm_sampling.signal ? fm_sampling.signal : 1)) ||
        !fm_is_sampling_signal(fm_sampling.signal))
        return set;
    if (__builtin_popcountll(signals) < FEW) {
        fm_sampler_yield_signal(fm_sampling.signal);
        return set;
    }
    *buffer = *set;
    sigdelset(buffer, fm_sampling.signal);
    return buffer;
}
