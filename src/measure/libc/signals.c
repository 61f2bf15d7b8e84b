/* The sampling signal is one that the program does not use. As soon as it names it, sampling goes to another one, and
 * what the program does with it is between the program and the kernel; until then it looks as if nobody used it. */
#define _GNU_SOURCE
#include <sys/signalfd.h>

#include "measure/libc/functions.h"
#include "measure/libc/hold.h"
#include "measure/runtime.h"
#include "measure/sampler.h"

static bool is_sampling(int signal)
{
    if (!atomic_load_explicit(&fm_sampling.on, memory_order_relaxed) || signal != fm_sampling.signal)
        return false;
    if (getpid() == fm_rt.pid)
        return true;
    struct sigaction usual = {.sa_handler = SIG_DFL}; /* a child of vfork or _Fork, which nobody samples */
    fm_libc.sigaction(signal, &usual, NULL);
    return false;
}

/* Whether the program asks only, or for what it has. */
static bool leaves_default(const struct sigaction *action)
{
    return !action || (action->sa_handler == SIG_DFL && !action->sa_flags && sigisemptyset(&action->sa_mask));
}

int fm_wrapped_sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    if (is_sampling(signal)) {
        if (leaves_default(action)) {
            if (before)
                *before = (struct sigaction){.sa_handler = SIG_DFL};
            return 0;
        }
        fm_sampler_make_way(signal);
    }
    return fm_libc.sigaction(signal, action, before);
}

#define SIGNAL(name)                                                     \
    __sighandler_t fm_wrapped_##name(int signal, __sighandler_t handler) \
    {                                                                    \
        bool ours = is_sampling(signal);                                 \
        if (ours && handler != SIG_DFL)                                  \
            fm_sampler_make_way(signal);                                 \
        else if (ours)                                                   \
            return SIG_DFL;                                              \
        return fm_libc.name(signal, handler);                            \
    }
SIGNAL(signal)
SIGNAL(ssignal)
SIGNAL(bsd_signal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)

static void make_way(int signal)
{
    if (is_sampling(signal))
        fm_sampler_make_way(signal);
}

__sighandler_t fm_wrapped_sigset(int signal, __sighandler_t handler)
{
    make_way(signal);
    return fm_libc.sigset(signal, handler);
}

int fm_wrapped_sigignore(int signal)
{
    make_way(signal);
    return fm_libc.sigignore(signal);
}

int fm_wrapped_siginterrupt(int signal, int interrupt)
{
    make_way(signal);
    return fm_libc.siginterrupt(signal, interrupt);
}

/* From now on it is the program's, also if it is another one that samples use. */
static void name_signal(int signal)
{
    enum { LAST = 64 };
    if (signal >= SIGRTMIN && signal <= LAST)
        fm_sampler_avoid(fm_signal_bit(signal));
    make_way(signal);
}

int fm_wrapped_sigaddset(sigset_t *set, int signal)
{
    name_signal(signal);
    return fm_libc.sigaddset(set, signal);
}

#define SEND(type, name, parameters, arguments) \
    type fm_wrapped_##name parameters           \
    {                                           \
        name_signal(signal);                    \
        return fm_libc.name arguments;          \
    }
FM_LIBC_SENDS(SEND)

int fm_wrapped_sigpending(sigset_t *set)
{
    int result = fm_libc.sigpending(set);
    if (result == 0 && is_sampling(fm_sampling.signal))
        sigdelset(set, fm_sampling.signal);
    return result;
}

/* A descriptor for all signals stays open: none of its signals can be used for samples later. */
int fm_wrapped_signalfd(int fd, const sigset_t *mask, int flags)
{
    sigset_t room;
    uint64_t signals;
    mask = fm_without_sampling(mask, &room);
    int result = fm_libc.signalfd(fd, mask, flags);
    if (result >= 0) {
        memcpy(&signals, mask, sizeof signals);
        fm_sampler_avoid(signals);
    }
    return result;
}

int fm_wrapped_sigaltstack(const stack_t *stack, stack_t *before)
{
    uint64_t held = fm_hold(); /* a sample must not come between the program's stack and ours */
    int result = fm_libc.sigaltstack(stack, before);
    if (result == 0)
        fm_sampler_pause(!fm_alternate_follow(stack != NULL, before));
    fm_hold_end(held);
    return result;
}

/* A set with most signals in it is that of all; one with few names them. */
const sigset_t *fm_without_sampling(const sigset_t *set, sigset_t *room)
{
    enum { FEW = 32 };
    uint64_t signals;
    if (!fm_is_readable(set))
        return set;
    memcpy(&signals, set, sizeof signals);
    if (!(signals & fm_signal_bit(fm_sampling.signal ? fm_sampling.signal : 1)) || !is_sampling(fm_sampling.signal))
        return set;
    if (__builtin_popcountll(signals) < FEW) {
        fm_sampler_make_way(fm_sampling.signal);
        return set;
    }
    *room = *set;
    sigdelset(room, fm_sampling.signal);
    return room;
}
