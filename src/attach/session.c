/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "attach/denied.h"
#include "attach/walk.h"
#include "collect/node.h"
#include "model/order.h"

enum { SLEEPERS = 1 << 12 };

struct fm_sleeper {
    uint64_t key;
    struct fm_walked walked;
};

/* ---- the beginning and the end ---- */

/* Each thread takes some descriptors. */
static void use_all_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* Whether a process can be looked at: what guards ptrace guards this file, too. */
static bool may_look(pid_t pid)
{
    struct fm_shot_thread one;
    bool may = fm_shot_open(&one, pid, fm_proc_thread(pid)) && fm_shot_learn(&one) && !fm_tracer_of(pid);
    fm_shot_close(&one);
    return may;
}

enum fm_status fm_session_open(struct fm_session *session, const struct fm_targets *targets,
                               const struct fm_sampler_options *how, struct fm_error *error)
{
    *session = (struct fm_session){.targets = targets};
    if (!fm_samples_open(&session->samples, targets, how->period_ns))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for samples");
    use_all_descriptors();
    session->sleepers = fm_arena_alloc(&session->samples.arena, SLEEPERS * sizeof *session->sleepers);
    session->walkers = fm_arena_alloc(&session->samples.arena, targets->n * sizeof *session->walkers);
    for (size_t i = 0; i < targets->n && session->walkers; i++) {
        pid_t pid = targets->items[i].pid;
        if (fm_process_alive(pid, targets->items[i].start_time)) {
            session->walkers[i] = may_look(pid) ? fm_walker_open(fm_proc_thread(pid), targets->items[i].exe) : NULL;
            if (!session->walkers[i])
                return fm_denied(pid, FM_YAMA_SETTING, error);
            session->living++;
        }
    }
    if (session->walkers && session->sleepers)
        session->sampler = fm_sampler_start(targets, how);
    return session->sampler ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for samples");
}

void fm_session_close(struct fm_session *session)
{
    fm_sampler_destroy(session->sampler);
    for (size_t i = 0; session->walkers && i < session->targets->n; i++)
        fm_walker_close(session->walkers[i]);
    fm_samples_close(&session->samples);
}

void fm_session_pause(struct fm_session *session)
{
    if (session->sampler)
        fm_sampler_stop(session->sampler);
}

void fm_session_continue(struct fm_session *session)
{
    if (session->sampler)
        fm_sampler_go(session->sampler);
}

bool fm_session_end(struct fm_session *session)
{
    fm_sampler_stop(session->sampler);
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

/* Of a process and a stack. */
static uint64_t key_of(const struct fm_picture *picture)
{
    const struct fm_shot *shot = &picture->shot;
    uint64_t key = (picture->process ^ shot->sp << 20) * 0x9e3779b97f4a7c15u + shot->pc, word;
    for (size_t i = 0; i + sizeof word <= shot->bytes; i += sizeof word) {
        memcpy(&word, shot->stack + i, sizeof word);
        key = (key ^ word) * 0xc2b2ae3d27d4eb4fu;
        key ^= key >> 31;
    }
    return key;
}

static struct fm_walked walk(struct fm_session *session, const struct fm_picture *picture)
{
    struct fm_walker *walker = session->walkers[picture->process];
    if (!picture->shot.asleep)
        return fm_walker_walk(walker, picture->tid, &picture->shot, &session->samples);
    uint64_t key = key_of(picture);
    struct fm_sleeper *sleeper = &session->sleepers[key % SLEEPERS];
    if (sleeper->key != key || !sleeper->walked.node)
        *sleeper = (struct fm_sleeper){key, fm_walker_walk(walker, picture->tid, &picture->shot, &session->samples)};
    return sleeper->walked;
}

static bool keep(struct fm_session *session, struct fm_picture *picture)
{
    struct fm_walked walked = {.complete = false};
    if (picture->unseen) {
        walked.node = fm_samples_unseen(&session->samples);
    } else if (!session->walkers[picture->process]) {
        return true;
    } else {
        if (!note_stop(session, picture->shot.held_ns))
            return false;
        walked = walk(session, picture);
        picture->matters = walked.own;
        if (walked.node && !walked.own && picture->shot.asleep && !picture->first)
            return true;
    }
    const struct fm_samples *samples = &session->samples;
    struct fm_attach_sample sample = {.moment = picture->moment,
                                      .process = picture->process,
                                      .node = walked.node,
                                      .first = picture->first,
                                      .real_ns = picture->shot.asked_ns - samples->started_mono_ns +
                                                 samples->started_real_ns};
    return walked.node && fm_samples_add(&session->samples, &sample, walked.complete);
}

bool fm_session_gather(struct fm_session *session)
{
    struct fm_sampler *sampler = session->sampler;
    struct fm_sampler_counts counts = fm_sampler_counts(sampler); /* first: of these moments pictures have come */
    bool good = !counts.failed;
    struct fm_pictures *pictures = fm_sampler_pictures(sampler);
    for (struct fm_picture *picture = fm_pictures_taken(pictures), *next; picture; picture = next) {
        next = picture->next;
        good = good && keep(session, picture);
        fm_picture_give_back(pictures, picture);
    }
    for (size_t i = 0; i < session->targets->n; i++) {
        if (session->walkers[i] && !fm_sampler_alive(sampler, i)) {
            fm_walker_close(session->walkers[i]);
            session->walkers[i] = NULL;
        }
    }
    session->living = counts.living;
    session->samples.moments = counts.moments;
    session->samples.lost = counts.lost;
    return good;
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
