/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that a signal interrupts: no sample interrupts them, nor keeps a signal of the program from doing so. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* so that both names of some calls are available */
#include <errno.h>
#include <stdbool.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/sem.h>

#include "runtime/interpose/functions.h"
#include "runtime/libc/sampling_mask.h"
#include "runtime/signal/deliver.h"

#define HELD_BY(hold, type, name, parameters, arguments) \
    type fm_wrapped_##name parameters                    \
    {                                                    \
        uint64_t held = hold();                          \
        type result = fm_real.name arguments;            \
        fm_sampling_unblock(held);                       \
        return result;                                   \
    }
#define WAIT(...) HELD_BY(fm_sampling_block, __VA_ARGS__)
#define RESTARTED(...) HELD_BY(fm_sampling_block_restarted, __VA_ARGS__)
FM_LIBC_WAITS(WAIT)
FM_LIBC_RESTARTED(RESTARTED)

/* ---- calls that do not wait but check for signals: repeated if interrupted by a sample ---- */

static uint64_t samples_of(const struct fm_sampled_thread *self)
{
    return __atomic_load_n(&self->samples, __ATOMIC_RELAXED);
}

static bool interrupted_by_sample(const struct fm_sampled_thread *self, int result, uint64_t samples)
{
    return result < 0 && errno == EINTR && samples_of(self) != samples;
}

/* ---- poll (helpers are inlined, so that samples show the wrapper as the waiting function) ---- */

FM_INLINE int poll_now(struct fm_sampled_thread *self, struct pollfd *fds, nfds_t n)
{
    uint64_t samples;
    int result;
    do {
        samples = samples_of(self);
        result = fm_real.poll(fds, n, 0);
    } while (interrupted_by_sample(self, result, samples));
    return result;
}

FM_INLINE int wait_poll(struct fm_sampled_thread *self, struct pollfd *fds, nfds_t n, int timeout)
{
    sigset_t room;
    struct timespec time = {timeout / 1000, timeout % 1000 * 1000000L};
    if (timeout == 0)
        return poll_now(self, fds, n);
    return fm_real.ppoll(fds, n, timeout < 0 ? NULL : &time, fm_sampling_blocked_mask(NULL, &room));
}

int fm_wrapped_poll(struct pollfd *fds, nfds_t n, int timeout)
{
    struct fm_sampled_thread *self = fm_sampled_self();
    return self ? wait_poll(self, fds, n, timeout) : fm_real.poll(fds, n, timeout);
}

int fm_wrapped___poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
    struct fm_sampled_thread *self = room / sizeof *fds >= n ? fm_sampled_self() : NULL;
    return self ? wait_poll(self, fds, n, timeout) : fm_real.__poll_chk(fds, n, timeout, room);
}

int fm_wrapped_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *mask)
{
    sigset_t room;
    return fm_real.ppoll(fds, n, time, fm_sampled_self() ? fm_sampling_blocked_mask(mask, &room) : mask);
}

int fm_wrapped___ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *mask, size_t room)
{
    sigset_t held;
    return fm_real.__ppoll_chk(fds, n, time, fm_sampled_self() ? fm_sampling_blocked_mask(mask, &held) : mask, room);
}

/* ---- select: only libc's returns the remaining time ---- */

int fm_wrapped_select(int n, fd_set *in, fd_set *out, fd_set *exceptions, struct timeval *time)
{
    uint64_t held = fm_sampling_block();
    int result = fm_real.select(n, in, out, exceptions, time);
    fm_sampling_unblock(held);
    return result;
}

int fm_wrapped_pselect(int n, fd_set *in, fd_set *out, fd_set *exceptions, const struct timespec *time,
                       const sigset_t *mask)
{
    sigset_t room;
    return fm_real.pselect(n, in, out, exceptions, time,
                           fm_sampled_self() ? fm_sampling_blocked_mask(mask, &room) : mask);
}

/* ---- epoll ---- */

FM_INLINE int epoll_now(struct fm_sampled_thread *self, int fd, struct epoll_event *events, int n)
{
    uint64_t samples;
    int result;
    do {
        samples = samples_of(self);
        result = fm_real.epoll_wait(fd, events, n, 0);
    } while (interrupted_by_sample(self, result, samples));
    return result;
}

int fm_wrapped_epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
    sigset_t room;
    struct fm_sampled_thread *self = fm_sampled_self();
    if (self && timeout == 0)
        return epoll_now(self, fd, events, n);
    return self ? fm_real.epoll_pwait(fd, events, n, timeout, fm_sampling_blocked_mask(NULL, &room))
                : fm_real.epoll_wait(fd, events, n, timeout);
}

int fm_wrapped_epoll_pwait(int fd, struct epoll_event *events, int n, int timeout, const sigset_t *mask)
{
    sigset_t room;
    return fm_real.epoll_pwait(fd, events, n, timeout,
                               fm_sampled_self() ? fm_sampling_blocked_mask(mask, &room) : mask);
}

int fm_wrapped_epoll_pwait2(int fd, struct epoll_event *events, int n, const struct timespec *time,
                            const sigset_t *mask)
{
    sigset_t room;
    return fm_real.epoll_pwait2(fd, events, n, time, fm_sampled_self() ? fm_sampling_blocked_mask(mask, &room) : mask);
}

/* ---- getrandom: no signal interrupts it up to this size ---- */

enum { UNINTERRUPTED_BYTES = 256 };

ssize_t fm_wrapped_getrandom(void *buffer, size_t size, unsigned flags)
{
    uint64_t held = size > UNINTERRUPTED_BYTES ? fm_sampling_block() : 0;
    ssize_t result = fm_real.getrandom(buffer, size, flags);
    fm_sampling_unblock(held);
    return result;
}

/* ---- signals ---- */

int fm_wrapped_sigsuspend(const sigset_t *mask)
{
    sigset_t room;
    return fm_real.sigsuspend(fm_sampled_self() ? fm_sampling_blocked_mask(mask, &room) : mask);
}

/* BSD's sigpause: the argument is a mask of the first 32 signals. */
int fm_wrapped_sigpause(int mask)
{
    sigset_t set, room;
    uint64_t signals = (uint32_t)mask;
    if (!fm_sampled_self())
        return fm_real.sigpause(mask);
    sigemptyset(&set);
    memcpy(&set, &signals, sizeof signals);
    return fm_real.sigsuspend(fm_sampling_blocked_mask(&set, &room));
}

/* A program that waits for signals has blocked them. If it waits for all of them, ours is blocked too, and a sample is
 * due when the wait ends. */
static void end_signal_wait(uint64_t held)
{
    struct fm_sampled_thread *self = fm_sampled_self();
    if (self && !held)
        fm_sample_blocked(self);
    fm_sampling_unblock(held);
}

#define SIGNAL_WAIT(name, parameters, arguments, siginfo) \
    int fm_wrapped_##name parameters                      \
    {                                                     \
        sigset_t room;                                    \
        set = fm_without_sampling_signal(set, &room);     \
        uint64_t held = fm_sampling_block();              \
        int result = fm_real.name arguments;              \
        end_signal_wait(held);                            \
        if (result > 0 && (siginfo))                      \
            fm_deliver_as_sent(siginfo);                  \
        return result;                                    \
    }
SIGNAL_WAIT(sigwait, (const sigset_t *set, int *signal), (set, signal), (siginfo_t *)NULL)
SIGNAL_WAIT(sigwaitinfo, (const sigset_t *set, siginfo_t *info), (set, info), info)
SIGNAL_WAIT(sigtimedwait, (const sigset_t *set, siginfo_t *info, const struct timespec *time), (set, info, time), info)
