/* SPDX-License-Identifier: BSD-3-Clause */
/* When to sample, when to update the display, and when to end. */
#include <errno.h>
#include <signal.h>

#include "base/clock.h"
#include "cli/attach_watch.h"

enum { DEFAULT_SECONDS = 30, FIRST_LOOK_SECONDS = 2, GATHER_MS = 50 };

/* Signals that would terminate or stop us are handled between samples, when no thread is held. */
void fm_signals_block(sigset_t *set, sigset_t *before)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGTSTP);
    sigaddset(set, SIGCHLD); /* sent when threads stop and children end, unless our parent has set it to be ignored */
    signal(SIGCHLD, SIG_DFL);
    sigset_t all = *set;
    sigaddset(&all, SIGTTOU); /* these would stop us for writing to or reading from a terminal */
    sigaddset(&all, SIGTTIN);
    sigprocmask(SIG_BLOCK, &all, before);
}

void fm_watch_start_clock(struct fm_watch *watch)
{
    watch->started_ns = fm_clock_ns(CLOCK_MONOTONIC);
    watch->next_ns = watch->started_ns + FIRST_LOOK_SECONDS * 1000000000ull;
}

bool fm_sleep_until(struct fm_watch *watch, uint64_t then_ns, const sigset_t *signals)
{
    sigset_t ours = *signals;
    if (watch->session.targets)
        sigdelset(&ours, SIGCHLD); /* belongs to the sampler */
    for (;;) {
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC), left = then_ns > now ? then_ns - now : 0;
        struct timespec wait = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
        int signal = sigtimedwait(&ours, NULL, &wait);
        if (signal == SIGTSTP) {
            fm_session_pause(&watch->session);
            raise(SIGSTOP);
            fm_session_continue(&watch->session);
        } else if (signal > 0) {
            return signal == SIGCHLD;
        } else if (errno == EAGAIN) {
            return true;
        }
    }
}

static bool has_segments_alone(const struct fm_watch *watch)
{
    return !watch->session.targets && !watch->result.counts.sampled;
}

/* 0: the limit is something else. */
static double max_seconds(const struct fm_watch *watch)
{
    const struct fm_attach_request *request = watch->request;
    bool segments = has_segments_alone(watch);
    bool limit = request->seconds > 0 || request->moments || (request->until > 0 && !segments);
    return limit ? request->seconds : segments ? 1e-9 : DEFAULT_SECONDS;
}

static bool is_enough(const struct fm_watch *watch)
{
    const struct fm_attach_request *request = watch->request;
    double seconds = (double)(fm_clock_ns(CLOCK_MONOTONIC) - watch->started_ns) / 1e9, max = max_seconds(watch);
    bool segments = has_segments_alone(watch);
    uint64_t moments = watch->session.targets ? watch->session.samples.moments : watch->result.counts.least;
    return (max > 0 && seconds >= max) || (request->until > 0 && watch->widest < request->until) ||
           (request->moments && (segments || moments >= request->moments));
}

/* The expected end, unless something happens before. */
static uint64_t end_of(const struct fm_watch *watch)
{
    const struct fm_attach_request *request = watch->request;
    bool limit = request->seconds > 0 || request->moments || request->until > 0;
    double seconds = request->seconds > 0 ? request->seconds : limit ? 0 : DEFAULT_SECONDS;
    double all = request->moments ? ((double)request->moments + 1.5) / (double)request->hz : 0;
    if (all > 0 && (!(seconds > 0) || all < seconds))
        seconds = all;
    return seconds > 0 ? watch->started_ns + (uint64_t)(seconds * 1e9) : UINT64_MAX;
}

/* Not after each capture: unwinding should not take a core more often than necessary. */
static uint64_t next_gathering(const struct fm_watch *watch)
{
    uint64_t next = fm_clock_ns(CLOCK_MONOTONIC) + GATHER_MS * 1000000ull;
    double seconds = max_seconds(watch);
    uint64_t end = seconds > 0 ? watch->started_ns + (uint64_t)(seconds * 1e9) : UINT64_MAX;
    return end < next ? end : next;
}

enum fm_status fm_watch_sample(struct fm_watch *watch, const sigset_t *signals, struct fm_error *error)
{
    struct fm_session *session = &watch->session;
    enum fm_status status = FM_OK;
    bool ok = true;
    watch->widest = watch->last_widest = 1;
    while (ok && !status && !watch->ended && !is_enough(watch) &&
           fm_sleep_until(watch, next_gathering(watch), signals)) {
        ok = fm_session_gather(session);
        watch->ended |= !session->living && !watch->agents;
        if (ok && !watch->ended && fm_clock_ns(CLOCK_MONOTONIC) >= watch->next_ns)
            status = fm_watch_show(watch, error);
    }
    ok &= fm_session_end(session);
    return ok || status ? status : fm_fail(error, FM_ERR_MEMORY, "not enough memory for samples");
}

enum fm_status fm_watch_follow(struct fm_watch *watch, const sigset_t *signals, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    uint64_t end = end_of(watch);
    watch->widest = watch->last_widest = 1;
    while (!status && !watch->ended && !is_enough(watch)) {
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
        if (!fm_sleep_until(watch, now < end && end < watch->next_ns ? end : watch->next_ns, signals))
            return FM_OK;
        if (!is_enough(watch))
            status = fm_watch_show(watch, error);
    }
    return status;
}
