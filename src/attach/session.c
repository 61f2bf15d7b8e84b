#include "attach/session.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/denied.h"
#include "attach/walk.h"
#include "profile/order.h"
#include "reduce/node.h"

struct fm_session_thread {
    struct fm_shot_thread of;
    uint32_t process, number; /* of the target; among the samples */
    bool here;                /* seen in this moment's list */
    /* what was seen last: an unchanged stack has the same path */
    uint32_t node;
    bool complete;
    struct fm_shot *last; /* NULL: nothing, or it was not asleep */
};

enum fm_status fm_session_open(struct fm_session *session, const struct fm_targets *targets, uint64_t period_ns,
                               struct fm_error *error)
{
    *session = (struct fm_session){.targets = targets};
    if (!fm_samples_open(&session->samples, targets, period_ns))
        return fm_fail(error, FM_ERR_MEMORY, "no memory left for samples");
    session->walkers = fm_arena_alloc(&session->samples.arena, targets->n * sizeof *session->walkers);
    for (size_t i = 0; i < targets->n && session->walkers; i++) {
        pid_t pid = targets->items[i].pid;
        struct fm_shot_thread first;
        enum fm_shot_end status = fm_shot_open(&first, pid, pid) ? fm_shot_take(&first, &session->shot)
                                                                 : FM_SHOT_DENIED;
        fm_shot_close(&first);
        if (status != FM_SHOT_GONE && status != FM_SHOT_DENIED)
            session->walkers[i] = fm_walker_open(pid);
        session->living += session->walkers[i] != NULL;
        if (status == FM_SHOT_DENIED || (status == FM_SHOT_TAKEN && !session->walkers[i])) {
            fm_session_close(session);
            return fm_denied(pid, FM_YAMA_SETTING, error);
        }
    }
    return session->walkers ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "no memory left for samples");
}

static void forget_thread(struct fm_session_thread *thread)
{
    fm_shot_close(&thread->of);
    free(thread->last);
    thread->last = NULL;
}

void fm_session_close(struct fm_session *session)
{
    for (size_t i = 0; i < session->n_threads; i++)
        forget_thread(&session->threads[i]);
    for (size_t i = 0; session->walkers && i < session->targets->n; i++)
        fm_walker_close(session->walkers[i]);
    fm_samples_close(&session->samples);
}

/* ---- threads ---- */

static bool add_thread(struct fm_session *session, uint32_t process, pid_t tid)
{
    pid_t pid = session->targets->items[process].pid;
    struct fm_session_thread *threads = fm_arena_grow(
        &session->samples.arena, session->threads, &session->threads_capacity, session->n_threads + 1, sizeof *threads);
    uint32_t number = fm_samples_thread(&session->samples, process, tid == pid);
    if (!threads || number == UINT32_MAX)
        return false;
    session->threads = threads;
    struct fm_session_thread *thread = &threads[session->n_threads++];
    *thread = (struct fm_session_thread){.process = process, .number = number, .here = true};
    fm_shot_open(&thread->of, pid, tid);
    return true;
}

static bool list_threads(struct fm_session *session, uint32_t process)
{
    char path[40];
    const struct dirent *entry;
    bool good = true;
    snprintf(path, sizeof path, "/proc/%d/task", (int)session->targets->items[process].pid);
    DIR *stream = opendir(path);
    while (stream && good && (entry = readdir(stream))) {
        pid_t tid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        bool known = !tid;
        for (size_t i = 0; i < session->n_threads && !known; i++) {
            struct fm_session_thread *thread = &session->threads[i];
            known = thread->of.tid == tid && thread->process == process && thread->of.place >= 0;
            thread->here |= known;
        }
        if (!known)
            good = add_thread(session, process, tid);
    }
    if (stream)
        closedir(stream);
    return good;
}

static void forget_process(struct fm_session *session, uint32_t process)
{
    fm_walker_close(session->walkers[process]);
    session->walkers[process] = NULL;
    session->living--;
}

static bool list_all(struct fm_session *session)
{
    for (size_t i = 0; i < session->n_threads; i++)
        session->threads[i].here = false;
    for (uint32_t i = 0; i < session->targets->n; i++) {
        const struct fm_target *target = &session->targets->items[i];
        if (session->walkers[i] && !fm_process_alive(target->pid, target->start_time))
            forget_process(session, i);
        if (session->walkers[i] && !list_threads(session, i))
            return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < session->n_threads; i++) {
        if (session->threads[i].here)
            session->threads[kept++] = session->threads[i];
        else
            forget_thread(&session->threads[i]);
    }
    session->n_threads = kept;
    return true;
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

static bool as_before(const struct fm_session_thread *thread, const struct fm_shot *shot)
{
    const struct fm_shot *last = thread->last;
    return last && shot->asleep && last->pc == shot->pc && last->sp == shot->sp && last->bytes == shot->bytes &&
           memcmp(last->stack, shot->stack, shot->bytes) == 0;
}

static void remember(struct fm_session_thread *thread, const struct fm_shot *shot)
{
    if (!shot->asleep) {
        free(thread->last);
        thread->last = NULL;
        return;
    }
    if (!thread->last)
        thread->last = malloc(sizeof *thread->last);
    if (thread->last)
        *thread->last = *shot;
}

static bool sample(struct fm_session *session, struct fm_session_thread *thread)
{
    struct fm_shot *shot = &session->shot;
    switch (fm_shot_take(&thread->of, shot)) {
    case FM_SHOT_TAKEN:
        break;
    case FM_SHOT_MISSED:
    case FM_SHOT_DENIED: /* a debugger has come; it may leave again */
        session->samples.lost++;
        return true;
    default:
        forget_thread(thread);
        return true;
    }
    if (!note_stop(session, shot->held_ns))
        return false;
    if (!as_before(thread, shot)) {
        thread->node = fm_walker_node(session->walkers[thread->process], shot, &session->samples, &thread->complete);
        remember(thread, shot);
    }
    return thread->node && fm_samples_add(&session->samples, thread->number, thread->node, thread->complete);
}

bool fm_session_moment(struct fm_session *session)
{
    if (!list_all(session))
        return false;
    for (size_t i = 0; i < session->n_threads; i++)
        if (session->threads[i].of.place >= 0 && !sample(session, &session->threads[i]))
            return false;
    session->samples.moments++;
    return true;
}

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
