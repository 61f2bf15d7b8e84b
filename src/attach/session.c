/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "attach/denied.h"
#include "attach/unwinder.h"
#include "collect/node.h"
#include "model/order.h"

enum { SLEEPERS = 1 << 12 };

struct fm_sleeper {
    uint64_t key;
    struct fm_unwound unwound;
};

/* ---- open and close ---- */

/* Each thread needs several file descriptors. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Whether we may attach to a process: this file has the same access check as ptrace. */
static bool can_attach(pid_t pid)
{
    struct fm_capture_thread one;
    bool may = fm_capture_open(&one, pid, fm_proc_thread(pid)) && fm_capture_probe(&one) && !fm_tracer_of(pid);
    fm_capture_close(&one);
    return may;
}

enum fm_status fm_session_open(struct fm_session *session, const struct fm_targets *targets,
                               const struct fm_attach_sampler_options *how, struct fm_error *error)
{
    *session = (struct fm_session){.targets = targets};
    if (!fm_attach_samples_open(&session->samples, targets, how->period_ns))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for samples");
    raise_descriptor_limit();
    session->sleepers = fm_arena_alloc(&session->samples.arena, SLEEPERS * sizeof *session->sleepers);
    session->unwinders = fm_arena_alloc(&session->samples.arena, targets->n * sizeof *session->unwinders);
    for (size_t i = 0; i < targets->n && session->unwinders; i++) {
        pid_t pid = targets->items[i].pid;
        if (fm_process_alive(pid, targets->items[i].start_time)) {
            session->unwinders[i] = can_attach(pid) ? fm_dwfl_unwinder_open(fm_proc_thread(pid), targets->items[i].exe)
                                                    : NULL;
            if (!session->unwinders[i])
                return fm_denied(pid, FM_YAMA_SETTING, error);
            session->living++;
        }
    }
    if (session->unwinders && session->sleepers)
        session->sampler = fm_attach_sampler_start(targets, how);
    return session->sampler ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for samples");
}

void fm_session_close(struct fm_session *session)
{
    fm_attach_sampler_destroy(session->sampler);
    for (size_t i = 0; session->unwinders && i < session->targets->n; i++)
        fm_dwfl_unwinder_close(session->unwinders[i]);
    fm_attach_samples_close(&session->samples);
}

void fm_session_pause(struct fm_session *session)
{
    if (session->sampler)
        fm_attach_sampler_stop(session->sampler);
}

void fm_session_continue(struct fm_session *session)
{
    if (session->sampler)
        fm_attach_sampler_go(session->sampler);
}

bool fm_session_end(struct fm_session *session)
{
    fm_attach_sampler_stop(session->sampler);
    return fm_session_gather(session);
}

/* ---- samples ---- */

static bool note_stop(struct fm_session *session, uint64_t ns)
{
    if (!ns)
        return true;
    uint64_t *held = fm_arena_grow(&session->samples.arena, session->held_ns, &session->held_capacity,
                                   session->stops + 1, sizeof *held);
    if (!held)
        return false;
    session->held_ns = held;
    held[session->stops++] = ns;
    return true;
}

/* Hash of a process and a stack. */
static uint64_t key_of(const struct fm_capture_item *item)
{
    const struct fm_capture *capture = &item->capture;
    uint64_t key = (item->process ^ capture->sp << 20) * 0x9e3779b97f4a7c15u + capture->pc, word;
    for (size_t i = 0; i + sizeof word <= capture->bytes; i += sizeof word) {
        memcpy(&word, capture->stack + i, sizeof word);
        key = (key ^ word) * 0xc2b2ae3d27d4eb4fu;
        key ^= key >> 31;
    }
    return key;
}

static struct fm_unwound unwind(struct fm_session *session, const struct fm_capture_item *item)
{
    struct fm_dwfl_unwinder *unwinder = session->unwinders[item->process];
    if (!item->capture.asleep)
        return fm_dwfl_unwinder_unwind(unwinder, item->tid, &item->capture, &session->samples);
    uint64_t key = key_of(item);
    struct fm_sleeper *sleeper = &session->sleepers[key % SLEEPERS];
    if (sleeper->key != key || !sleeper->unwound.node)
        *sleeper = (struct fm_sleeper){key,
                                       fm_dwfl_unwinder_unwind(unwinder, item->tid, &item->capture, &session->samples)};
    return sleeper->unwound;
}

static bool add_sample(struct fm_session *session, struct fm_capture_item *item)
{
    struct fm_unwound unwound = {.complete = false};
    if (item->unseen) {
        unwound.node = fm_attach_samples_unseen(&session->samples);
    } else if (!session->unwinders[item->process]) {
        return true;
    } else {
        if (!note_stop(session, item->capture.held_ns))
            return false;
        unwound = unwind(session, item);
        item->matters = unwound.own;
        if (unwound.node && !unwound.own && item->capture.asleep && !item->first)
            return true;
    }
    const struct fm_attach_samples *samples = &session->samples;
    struct fm_attach_sample sample = {.moment = item->moment,
                                      .process = item->process,
                                      .node = unwound.node,
                                      .first = item->first,
                                      .real_ns = item->capture.asked_ns - samples->started_mono_ns +
                                                 samples->started_real_ns};
    return unwound.node && fm_attach_samples_add(&session->samples, &sample, unwound.complete);
}

bool fm_session_gather(struct fm_session *session)
{
    struct fm_attach_sampler *sampler = session->sampler;
    struct fm_attach_sampler_counts counts = fm_attach_sampler_counts(
        sampler); /* first: the captures of these moments have arrived */
    bool ok = !counts.failed;
    struct fm_capture_queue *queue = fm_attach_sampler_queue(sampler);
    for (struct fm_capture_item *item = fm_capture_queue_take(queue), *next; item; item = next) {
        next = item->next;
        ok = ok && add_sample(session, item);
        fm_capture_queue_return(queue, item);
    }
    for (size_t i = 0; i < session->targets->n; i++) {
        if (session->unwinders[i] && !fm_attach_sampler_alive(sampler, i)) {
            fm_dwfl_unwinder_close(session->unwinders[i]);
            session->unwinders[i] = NULL;
        }
    }
    session->living = counts.living;
    session->samples.moments = counts.moments;
    session->samples.lost = counts.lost;
    return ok;
}

/* ---- stops ---- */

static int by_length(const void *a, const void *b)
{
    return fm_compare_number(*(const uint64_t *)a, *(const uint64_t *)b);
}

struct fm_held fm_session_held(struct fm_session *session)
{
    size_t n = session->stops;
    if (!n)
        return (struct fm_held){0};
    qsort(session->held_ns, n, sizeof *session->held_ns, by_length);
    return (struct fm_held){session->held_ns[n / 2], session->held_ns[n - 1]};
}
