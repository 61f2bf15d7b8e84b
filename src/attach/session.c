#define _GNU_SOURCE
#include "attach/session.h"

#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/denied.h"
#include "attach/walk.h"
#include "base/clock.h"
#include "profile/order.h"
#include "reduce/node.h"

#define SETTLE_NS 2000000000u
#define SETTLE_PAUSE_NS 2000000
enum { LOOKS = 25, LOOK_US = 1000, MOST_UNLISTED = 10 };

struct fm_session_thread {
    struct fm_shot_thread of;
    uint32_t process;   /* number of the target */
    bool here;          /* seen in this moment's list */
    bool matters;       /* the first of its process, or was seen in the program itself */
    bool apart;         /* ran as the first did, and two are never asked at once: it has a moment of its own */
    uint64_t moment_ns; /* when it is looked at in this period; 0: it was */
    enum fm_shot_state state;
    struct fm_shot *shot, *last; /* of this moment and the one before; an unchanged stack has the same path: */
    bool seen;                   /* last and walked are of the moment before */
    struct fm_walked walked;
};

static void forget_thread(struct fm_session_thread *thread)
{
    fm_shot_close(&thread->of);
    free(thread->shot);
    free(thread->last);
    thread->shot = thread->last = NULL;
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
    if (!threads)
        return false;
    session->threads = threads;
    struct fm_session_thread *thread = &threads[session->n_threads++];
    *thread = (struct fm_session_thread){.process = process, .here = true, .matters = tid == pid};
    if (!fm_shot_open(&thread->of, pid, tid))
        session->n_threads--; /* gone already */
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
        if (session->threads[i].here || session->threads[i].state == FM_SHOT_ASKED) /* that one is to be waited for */
            session->threads[kept++] = session->threads[i];
        else
            forget_thread(&session->threads[i]);
    }
    session->n_threads = kept;
    return true;
}

/* Before anything is stopped: which threads must never be. */
static bool learn(struct fm_session *session)
{
    for (int look = 0; look < LOOKS; look++) {
        if (!list_all(session))
            return false;
        for (size_t i = 0; i < session->n_threads; i++)
            fm_shot_learn(&session->threads[i].of);
        usleep(LOOK_US);
    }
    return true;
}

/* ---- periods ---- */

static uint64_t moment_in(const struct fm_session *session)
{
    return session->period_start_ns + (uint64_t)(drand48() * (double)session->samples.period_ns);
}

/* At random, so as to be in step with nothing. Threads that do not matter are looked at with the first of their process,
 * which stands before them. */
static bool plan(struct fm_session *session)
{
    uint64_t first = 0;
    session->unlisted = session->asked ? session->unlisted + 1 : 0;
    if (!session->unlisted && !list_all(session)) /* that takes long: whoever stopped meanwhile would be held */
        return false;
    for (size_t i = 0; i < session->n_threads; i++) {
        struct fm_session_thread *thread = &session->threads[i];
        bool is_first = thread->of.tid == thread->of.pid;
        thread->moment_ns = thread->matters || thread->apart || !first ? moment_in(session) : first;
        first = is_first ? thread->moment_ns : first;
    }
    return true;
}

static bool next_period(struct fm_session *session)
{
    uint64_t period = session->samples.period_ns, now = fm_clock_ns(CLOCK_MONOTONIC);
    session->samples.moments++;
    for (session->period_start_ns += period; session->period_start_ns + period < now;) {
        session->period_start_ns += period; /* too late for this one */
        session->samples.lost += session->n_threads;
    }
    return plan(session);
}

/* ---- cores ---- */

static void go_anywhere(struct fm_session *session)
{
    if (session->near)
        sched_setaffinity(0, sizeof session->cores, &session->cores);
    session->near = 0;
}

/* To the core of the thread that is looked at next. Where that is not allowed we stay where we are. */
static void go_near(struct fm_session *session)
{
    const struct fm_session_thread *next = NULL;
    for (size_t i = 0; i < session->n_threads; i++) {
        const struct fm_session_thread *thread = &session->threads[i];
        if (thread->matters && thread->moment_ns && (!next || thread->moment_ns < next->moment_ns))
            next = thread;
    }
    int core = next ? fm_shot_core(&next->of) : -1;
    if (core < 0 || core >= CPU_SETSIZE || (unsigned)core + 1 == session->near)
        return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0)
        session->near = (unsigned)core + 1;
}

uint64_t fm_session_next_ns(const struct fm_session *session)
{
    uint64_t next = session->period_start_ns + session->samples.period_ns;
    for (size_t i = 0; i < session->n_threads; i++) {
        uint64_t moment = session->threads[i].moment_ns;
        next = moment && moment < next ? moment : next;
    }
    return next;
}

/* ---- the beginning ---- */

/* Short turns, so that on full cores we get ours soon: kernels from 6.12 on take a wish, and others may refuse. */
static void ask_for_short_turns(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime_ns, deadline_ns, period_ns;
    } wish = {.size = sizeof wish, .policy = SCHED_OTHER, .runtime_ns = 100000};
    wish.nice = getpriority(PRIO_PROCESS, 0);
    syscall(SYS_sched_setattr, 0, &wish, 0);
}

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

enum fm_status fm_session_open(struct fm_session *session, const struct fm_targets *targets, uint64_t period_ns,
                               struct fm_error *error)
{
    *session = (struct fm_session){.targets = targets};
    if (!fm_samples_open(&session->samples, targets, period_ns))
        return fm_fail(error, FM_ERR_MEMORY, "no memory left for samples");
    ask_for_short_turns();
    use_all_descriptors();
    if (sched_getaffinity(0, sizeof session->cores, &session->cores) != 0)
        memset(&session->cores, 0xff, sizeof session->cores);
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
    session->period_start_ns = fm_clock_ns(CLOCK_MONOTONIC);
    srand48((long)(session->period_start_ns ^ (uint64_t)getpid()));
    if (!session->walkers || !learn(session) || !plan(session))
        return fm_fail(error, FM_ERR_MEMORY, "no memory left for samples");
    return FM_OK;
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

/* Threads that sleep are taken at once; those that run are asked to stop, and let go as soon as they have. */
static void begin(struct fm_session *session, struct fm_session_thread *thread)
{
    if (!thread->shot)
        thread->shot = malloc(sizeof *thread->shot);
    if (!thread->last)
        thread->last = malloc(sizeof *thread->last);
    bool may_ask = true;
    for (size_t i = 0; i < session->n_threads && session->asked; i++)
        may_ask &= session->threads[i].state != FM_SHOT_ASKED || session->threads[i].process != thread->process;
    thread->state = thread->shot && thread->last ? fm_shot_begin(&thread->of, may_ask, thread->shot) : FM_SHOT_MISSED;
    session->asked += thread->state == FM_SHOT_ASKED;
}

static struct fm_session_thread *asked_thread(struct fm_session *session, pid_t tid)
{
    for (size_t i = 0; i < session->n_threads; i++)
        if (session->threads[i].of.tid == tid && session->threads[i].state == FM_SHOT_ASKED)
            return &session->threads[i];
    return NULL;
}

static void let_go(struct fm_session *session)
{
    int status;
    for (pid_t tid; (session->asked || session->given_up) && (tid = fm_shot_next(&status));) {
        struct fm_session_thread *thread = asked_thread(session, tid);
        if (thread) {
            thread->state = fm_shot_end(&thread->of, status, thread->shot);
            session->asked--;
        } else {
            fm_shot_release(tid, status);
        }
    }
}

/* Waits for all that were asked; but one that has changed its number by an exec will never come, and is given up. */
static void let_go_all(struct fm_session *session)
{
    const struct timespec pause = {0, SETTLE_PAUSE_NS};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    uint64_t end = fm_clock_ns(CLOCK_MONOTONIC) + SETTLE_NS;
    for (let_go(session); session->asked && fm_clock_ns(CLOCK_MONOTONIC) < end; let_go(session))
        sigtimedwait(&child, NULL, &pause);
    for (size_t i = 0; i < session->n_threads; i++)
        if (session->threads[i].state == FM_SHOT_ASKED)
            session->threads[i].state = FM_SHOT_MISSED;
    session->given_up += session->asked;
    session->asked = 0;
}

static bool as_before(const struct fm_session_thread *thread)
{
    const struct fm_shot *last = thread->last, *shot = thread->shot;
    return thread->seen && last->asleep && shot->asleep && last->pc == shot->pc && last->sp == shot->sp &&
           last->bytes == shot->bytes && memcmp(last->stack, shot->stack, shot->bytes) == 0;
}

/* What was found of a thread goes into the samples. */
static bool keep(struct fm_session *session, struct fm_session_thread *thread)
{
    bool first = thread->of.tid == thread->of.pid;
    enum fm_shot_state state = thread->state;
    thread->state = state == FM_SHOT_ASKED ? FM_SHOT_ASKED : FM_SHOT_NONE;
    switch (state) {
    case FM_SHOT_NONE:
    case FM_SHOT_ASKED:
        return true;
    case FM_SHOT_TAKEN:
        break;
    case FM_SHOT_UNSEEN:
        thread->seen = false;
        return !thread->matters ||
               fm_samples_add(&session->samples, thread->process, fm_samples_unseen(&session->samples), first, false);
    case FM_SHOT_MISSED:
        thread->apart = true;
        session->samples.lost++;
        return true;
    case FM_SHOT_DENIED: /* a debugger has come; it may leave again */
        session->samples.lost++;
        return true;
    default:
        fm_shot_close(&thread->of);
        return true;
    }
    if (!session->walkers[thread->process])
        return true;
    if (!note_stop(session, thread->shot->held_ns))
        return false;
    if (!as_before(thread))
        thread->walked = fm_walker_walk(session->walkers[thread->process], thread->of.tid, thread->shot,
                                        &session->samples);
    thread->matters |= thread->walked.own;
    bool counts = thread->walked.own || !thread->shot->asleep || first;
    struct fm_shot *last = thread->last;
    thread->last = thread->shot;
    thread->shot = last;
    thread->seen = true;
    return thread->walked.node && (!counts || fm_samples_add(&session->samples, thread->process, thread->walked.node,
                                                             first, thread->walked.complete));
}

static bool keep_all(struct fm_session *session)
{
    for (size_t i = 0; i < session->n_threads; i++)
        if (!keep(session, &session->threads[i]))
            return false;
    return true;
}

bool fm_session_settle(struct fm_session *session)
{
    let_go_all(session);
    go_anywhere(session);
    return keep_all(session);
}

/* Of the moment before something may still be there. It is given up if the thread has not had a core since then; what was
 * taken is kept first. */
static bool look_at(struct fm_session *session, struct fm_session_thread *thread)
{
    if (thread->state == FM_SHOT_ASKED) {
        session->samples.lost++;
        return true;
    }
    if (thread->state != FM_SHOT_NONE && !fm_session_settle(session))
        return false;
    begin(session, thread);
    let_go(session);
    return true;
}

static bool look_at_all(struct fm_session *session, uint64_t now)
{
    for (size_t i = 0; i < session->n_threads; i++) {
        struct fm_session_thread *thread = &session->threads[i];
        if (!thread->moment_ns || thread->moment_ns > now)
            continue;
        thread->moment_ns = 0;
        if (!look_at(session, thread))
            return false;
    }
    return true;
}

/* Finding the call path takes longer than a stop should: it is done when nothing is held. */
bool fm_session_look(struct fm_session *session)
{
    let_go(session);
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC), period_end = session->period_start_ns + session->samples.period_ns;
    bool good = look_at_all(session, now);
    if (good && !session->asked)
        good = fm_session_settle(session);
    if (good && now >= period_end) {
        if (session->unlisted >= MOST_UNLISTED)
            good = fm_session_settle(session);
        good = good && next_period(session);
    }
    if (session->asked) /* wherever there is a core first when they have stopped */
        go_anywhere(session);
    else
        go_near(session);
    return good;
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
