/* The sampling signal is one that the program does not use. As soon as it names it, sampling goes to another one, and
 * what the program does with it is between the program and the kernel; until then it looks as if nobody used it. */
#define _GNU_SOURCE
#include <sys/signalfd.h>

#include "measure/libc/functions.h"
#include "measure/libc/hold.h"
#include "measure/runtime.h"
#include "measure/sampler.h"

enum { LAST = 64 }; /* of all signals */

bool fm_program_ends_calls;

/* What the program names in a child of vfork or _Fork, which nobody samples, is its own affair. */
static bool is_sampling(int signal)
{
    return atomic_load_explicit(&fm_sampling.on, memory_order_relaxed) && signal == fm_sampling.signal &&
           getpid() == fm_rt.pid;
}

/* ---- actions ---- */

static bool is_handler(__sighandler_t handler)
{
    return handler != SIG_DFL && handler != SIG_IGN && handler != SIG_ERR;
}

/* Those that come of what a thread does itself end no calls. */
static bool is_fault(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ||
           signal == SIGABRT || signal == SIGSYS;
}

static void note_handler(int signal, __sighandler_t handler, int flags)
{
    if (is_handler(handler) && !(flags & SA_RESTART) && !is_fault(signal))
        fm_program_ends_calls = true;
}

void fm_handlers_find(void)
{
    struct sigaction action;
    for (int signal = 1; signal <= LAST; signal++)
        if (fm_libc.sigaction(signal, NULL, &action) == 0)
            note_handler(signal, action.sa_handler, action.sa_flags);
}

/* Whether the program asks only, or for what it has. */
static bool leaves_default(const struct sigaction *action)
{
    return !action || (action->sa_handler == SIG_DFL && !action->sa_flags && sigisemptyset(&action->sa_mask));
}

/* A child has our handler with all others, and is not to see it. */
static void hide_handler(struct sigaction *before)
{
    if (before && before->sa_sigaction == fm_sample_signal)
        *before = (struct sigaction){.sa_handler = SIG_DFL};
}

int fm_wrapped_sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    struct sigaction asked = action ? *action : (struct sigaction){.sa_handler = SIG_DFL};
    if (is_sampling(signal)) {
        if (leaves_default(action)) {
            if (before)
                *before = (struct sigaction){.sa_handler = SIG_DFL};
            return 0;
        }
        fm_sampler_make_way(signal);
    }
    int result = fm_libc.sigaction(signal, action, before);
    if (result == 0) {
        note_handler(signal, asked.sa_handler, asked.sa_flags);
        hide_handler(before);
    }
    return result;
}

/* Of the ways to set a handler all but BSD's end calls; with that one a program may ask for it (siginterrupt). */
#define SIGNAL(name, flags)                                              \
    __sighandler_t fm_wrapped_##name(int signal, __sighandler_t handler) \
    {                                                                    \
        bool ours = is_sampling(signal);                                 \
        if (ours && handler != SIG_DFL)                                  \
            fm_sampler_make_way(signal);                                 \
        else if (ours)                                                   \
            return SIG_DFL;                                              \
        note_handler(signal, handler, flags);                            \
        return fm_libc.name(signal, handler);                            \
    }
SIGNAL(signal, SA_RESTART)
SIGNAL(ssignal, SA_RESTART)
SIGNAL(bsd_signal, SA_RESTART)
SIGNAL(sysv_signal, 0)
SIGNAL(__sysv_signal, 0)

static void make_way(int signal)
{
    if (is_sampling(signal))
        fm_sampler_make_way(signal);
}

__sighandler_t fm_wrapped_sigset(int signal, __sighandler_t handler)
{
    make_way(signal);
    note_handler(signal, handler == SIG_HOLD ? SIG_DFL : handler, 0);
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
    if (interrupt)
        fm_program_ends_calls = true;
    return fm_libc.siginterrupt(signal, interrupt);
}

void fm_name_signal(int signal)
{
    if (signal >= SIGRTMIN && signal <= LAST)
        fm_sampler_avoid(fm_signal_bit(signal));
    make_way(signal);
}

int fm_wrapped_sigaddset(sigset_t *set, int signal)
{
    fm_name_signal(signal);
    return fm_libc.sigaddset(set, signal);
}

#define SEND(type, name, parameters, arguments) \
    type fm_wrapped_##name parameters           \
    {                                           \
        fm_name_signal(signal);                 \
        return fm_libc.name arguments;          \
    }
FM_LIBC_SENDS(SEND)

/* Who is to be sent a signal waits for it, perhaps with all others. A wrong address is the kernel's to refuse. */
static void name_signal_of(const struct sigevent *event)
{
    if (event && fm_is_readable((const sigset_t *)(const void *)&event->sigev_signo) &&
        event->sigev_notify != SIGEV_NONE)
        fm_name_signal(event->sigev_signo);
}

int fm_wrapped_timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    name_signal_of(event);
    return fm_libc.timer_create(clock, event, timer);
}

int fm_wrapped_mq_notify(int queue, const struct sigevent *event)
{
    name_signal_of(event);
    return fm_libc.mq_notify(queue, event);
}

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
    if (result == 0 && stack && !fm_sampled_self)
        fm_sampler_note_little_room();
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
