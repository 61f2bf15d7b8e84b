/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "attach/sampler.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/affinity.h"
#include "attach/sampled_process.h"
#include "base/clock.h"
#include "model/order.h"

#define SETTLE_NS 2000000000u
#define SETTLE_PAUSE_NS 2000000
/* How often to look for new and ended threads and processes, unless one is known to have ended; and how often even if
 * that means waiting for a thread to stop. */
#define LIST_INTERVAL_NS 500000000u
#define LIST_MAX_INTERVAL_NS 3000000000u
enum { LOOKS = 25, MAX_LOOKS = 1000, LOOK_US = 1000 };

/* When a thread is sampled; or all threads of a process that do not matter, together. */
struct turn {
    uint64_t moment_ns;
    uint32_t process, thread;
};
#define QUIET_THREADS UINT32_MAX

struct fm_attach_sampler {
    struct fm_sampled_process *processes;
    size_t n;
    struct fm_attach_sampler_options how;
    uint64_t period_start_ns;
    struct turn *turns; /* of this period */
    size_t turn, n_turns, turns_capacity;
    uint64_t listed_ns;
    size_t asked;                /* threads that were asked to stop and have not yet */
    struct fm_affinity affinity; /* to the thread that is next */
    struct fm_capture_queue queue;
    pthread_t thread;
    bool running;
    atomic_bool stop;
    _Atomic uint32_t moments;
    _Atomic size_t living;
    _Atomic uint64_t lost;
    atomic_bool failed;
};

/* ---- threads ---- */

static bool list_all(struct fm_attach_sampler *sampler)
{
    size_t living = 0;
    sampler->listed_ns = fm_clock_ns(CLOCK_MONOTONIC);
    for (size_t i = 0; i < sampler->n; i++) {
        if (!fm_sampled_process_list(&sampler->processes[i], &sampler->queue))
            return false;
        living += sampler->processes[i].alive;
    }
    sampler->living = living;
    return true;
}

static bool learn_once(struct fm_attach_sampler *sampler)
{
    bool enough = true;
    for (size_t p = 0; p < sampler->n; p++)
        for (size_t i = 0; i < sampler->processes[p].n; i++) {
            struct fm_capture_thread *thread = &sampler->processes[p].threads[i].of;
            fm_capture_probe(thread);
            enough = enough && thread->looks >= LOOKS;
        }
    return enough;
}

/* Before any thread is stopped: finds those that must never be. */
static bool learn(struct fm_attach_sampler *sampler)
{
    bool enough = false;
    for (int look = 0; look < MAX_LOOKS && !enough && !sampler->stop; look++) {
        if (!list_all(sampler))
            return false;
        enough = learn_once(sampler);
        usleep(LOOK_US);
    }
    return true;
}

/* ---- sampling ---- */

/* The consumer has marked the threads that matter. */
static void recycle_captures(struct fm_attach_sampler *sampler)
{
    for (struct fm_capture_item *at = fm_capture_queue_returned(&sampler->queue), *next; at; at = next) {
        next = at->next;
        struct fm_sampled_process_thread *thread = at->matters ? fm_sampled_process_find(
                                                                     &sampler->processes[at->process], at->tid)
                                                               : NULL;
        if (thread)
            thread->matters = true;
        fm_capture_queue_recycle(&sampler->queue, at);
    }
}

static void put_capture(struct fm_attach_sampler *sampler, uint32_t process, struct fm_sampled_process_thread *thread,
                        bool unseen)
{
    struct fm_capture_item *item = thread->item;
    thread->item = NULL;
    item->process = process;
    item->tid = thread->of.tid;
    item->first = thread->of.tid == thread->of.pid;
    item->unseen = unseen;
    item->matters = false;
    thread->pc = unseen || !item->capture.asleep ? 0 : item->capture.pc;
    thread->sp = item->capture.sp;
    fm_capture_queue_put(&sampler->queue, item);
}

static void handle_state(struct fm_attach_sampler *sampler, uint32_t p, struct fm_sampled_process_thread *thread,
                         enum fm_capture_state state)
{
    switch (state) {
    case FM_CAPTURE_STOPPING:
        thread->asked = sampler->processes[p].asked = true;
        sampler->asked++;
        break;
    case FM_CAPTURE_DONE:
        put_capture(sampler, p, thread, false);
        break;
    case FM_CAPTURE_NOT_STOPPABLE:
        if (thread->matters)
            put_capture(sampler, p, thread, true);
        break;
    case FM_CAPTURE_MISSED:
        thread->apart = true;
        sampler->lost++;
        break;
    case FM_CAPTURE_DENIED: /* a debugger has attached; it may detach again */
        sampler->lost++;
        break;
    default:
        thread->ended = true;
        sampler->listed_ns = 0;
    }
}

/* A thread whose earlier request to stop is still pending has had no core since then; its sample is lost. */
static void sample_thread(struct fm_attach_sampler *sampler, uint32_t p, struct fm_sampled_process_thread *thread)
{
    if (thread->ended)
        return;
    if (!thread->asked && !thread->item)
        thread->item = fm_capture_queue_new(&sampler->queue);
    if (thread->asked || !thread->item) {
        sampler->lost++;
        return;
    }
    thread->item->moment = sampler->moments;
    bool may_ask = !sampler->processes[p].asked;
    handle_state(sampler, p, thread, fm_capture_begin(&thread->of, may_ask, &thread->item->capture));
}

static void finish_stopped(struct fm_attach_sampler *sampler)
{
    int status;
    for (pid_t tid; (tid = fm_capture_next_stopped(&status));) {
        struct fm_sampled_process_thread *thread = NULL;
        uint32_t p = 0;
        for (; p < sampler->n && !thread; p++)
            if (sampler->processes[p].asked)
                thread = fm_sampled_process_find(&sampler->processes[p], tid);
        if (!thread || !thread->asked) {
            fm_capture_release(tid, status);
            continue;
        }
        enum fm_capture_state state = fm_capture_finish(&thread->of, status, &thread->item->capture);
        thread->asked = sampler->processes[p - 1].asked = false;
        sampler->asked--;
        handle_state(sampler, p - 1, thread, state);
    }
}

static void abandon_pending(struct fm_attach_sampler *sampler)
{
    for (size_t p = 0; p < sampler->n; p++) {
        struct fm_sampled_process *process = &sampler->processes[p];
        for (size_t i = 0; i < process->n && process->asked; i++)
            process->threads[i].asked = false;
        process->asked = false;
    }
    sampler->lost += sampler->asked;
    sampler->asked = 0;
}

/* Returns early if a thread stops, or if the sampler is signalled. */
static void sleep_for(uint64_t ns)
{
    const struct timespec wait = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigtimedwait(&child, NULL, &wait);
}

/* Waits for all pending requests, but not forever: a thread whose tid was changed by exec never reports. */
static void settle(struct fm_attach_sampler *sampler)
{
    uint64_t end = fm_clock_ns(CLOCK_MONOTONIC) + SETTLE_NS;
    fm_affinity_unbind(&sampler->affinity);
    for (finish_stopped(sampler); sampler->asked && fm_clock_ns(CLOCK_MONOTONIC) < end; finish_stopped(sampler))
        sleep_for(SETTLE_PAUSE_NS);
    abandon_pending(sampler);
}

/* ---- periods ---- */

static bool is_quiet(const struct fm_sampled_process_thread *thread)
{
    return !thread->matters && !thread->apart;
}

/* For all threads, and one more per process for its quiet threads. */
static bool reserve_turns(struct fm_attach_sampler *sampler)
{
    size_t max = 0;
    for (size_t p = 0; p < sampler->n; p++)
        max += sampler->processes[p].n + 1;
    if (max > sampler->turns_capacity) {
        free(sampler->turns);
        sampler->turns = calloc(max, sizeof *sampler->turns);
        sampler->turns_capacity = sampler->turns ? max : 0;
    }
    return max <= sampler->turns_capacity;
}

static uint64_t moment_in(const struct fm_attach_sampler *sampler)
{
    return sampler->period_start_ns + (uint64_t)(drand48() * (double)sampler->how.period_ns);
}

static int by_moment(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    int order = fm_compare_number(x->moment_ns, y->moment_ns);
    return order ? order : fm_compare_number(x->thread, y->thread);
}

/* At random, so as not to be in step with the program. Threads that do not matter are sampled together with the main
 * thread of their process. */
static void plan_process(struct fm_attach_sampler *sampler, uint32_t p)
{
    const struct fm_sampled_process *process = &sampler->processes[p];
    uint64_t first = 0;
    size_t quiet = 0;
    for (uint32_t i = 0; i < process->n; i++) {
        const struct fm_sampled_process_thread *thread = &process->threads[i];
        uint64_t moment = moment_in(sampler);
        quiet += is_quiet(thread);
        if (is_quiet(thread) || thread->ended)
            continue;
        first = first ? first : moment;
        sampler->turns[sampler->n_turns++] = (struct turn){moment, p, i};
    }
    if (quiet)
        sampler->turns[sampler->n_turns++] = (struct turn){first ? first : moment_in(sampler), p, QUIET_THREADS};
}

/* Listing takes long: a thread that stopped meanwhile would be held. */
static bool should_list(const struct fm_attach_sampler *sampler)
{
    return !sampler->asked && fm_clock_ns(CLOCK_MONOTONIC) - sampler->listed_ns > LIST_INTERVAL_NS;
}

static bool plan(struct fm_attach_sampler *sampler)
{
    recycle_captures(sampler);
    if (sampler->asked && fm_clock_ns(CLOCK_MONOTONIC) - sampler->listed_ns > LIST_MAX_INTERVAL_NS)
        settle(sampler);
    sampler->turn = sampler->n_turns = 0;
    if ((should_list(sampler) && !list_all(sampler)) || !reserve_turns(sampler))
        return false;
    for (uint32_t p = 0; p < sampler->n; p++)
        plan_process(sampler, p);
    if (sampler->n_turns)
        qsort(sampler->turns, sampler->n_turns, sizeof *sampler->turns, by_moment);
    return true;
}

static bool is_finished(const struct fm_attach_sampler *sampler)
{
    return sampler->failed || !sampler->living ||
           (sampler->how.most_moments && sampler->moments >= sampler->how.most_moments);
}

static bool next_period(struct fm_attach_sampler *sampler)
{
    uint64_t period = sampler->how.period_ns, now = fm_clock_ns(CLOCK_MONOTONIC);
    sampler->moments++;
    for (sampler->period_start_ns += period; sampler->period_start_ns + period < now;) {
        sampler->period_start_ns += period; /* too late for this period */
        sampler->lost += sampler->n_turns;
    }
    return is_finished(sampler) || plan(sampler);
}

/* ---- sampler thread ---- */

/* A thread that does not matter and still sleeps where it slept need not be captured again. */
static void sample_quiet(struct fm_attach_sampler *sampler, uint32_t p)
{
    struct fm_sampled_process *process = &sampler->processes[p];
    for (size_t i = 0; i < process->n; i++) {
        struct fm_sampled_process_thread *thread = &process->threads[i];
        if (is_quiet(thread) && !(thread->pc && fm_capture_is_asleep_at(&thread->of, thread->pc, thread->sp)))
            sample_thread(sampler, p, thread);
    }
}

/* Moves to the core of the thread that is sampled next. */
static void move_near(struct fm_attach_sampler *sampler)
{
    if (sampler->turn == sampler->n_turns || sampler->turns[sampler->turn].thread == QUIET_THREADS)
        return;
    const struct turn *next = &sampler->turns[sampler->turn];
    fm_affinity_bind(&sampler->affinity, fm_capture_core(&sampler->processes[next->process].threads[next->thread].of));
}

static bool look(struct fm_attach_sampler *sampler)
{
    bool ok = true;
    finish_stopped(sampler);
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
    for (; sampler->turn < sampler->n_turns && sampler->turns[sampler->turn].moment_ns <= now; sampler->turn++) {
        const struct turn *turn = &sampler->turns[sampler->turn];
        if (turn->thread == QUIET_THREADS)
            sample_quiet(sampler, turn->process);
        else
            sample_thread(sampler, turn->process, &sampler->processes[turn->process].threads[turn->thread]);
        finish_stopped(sampler);
    }
    if (now >= sampler->period_start_ns + sampler->how.period_ns)
        ok = next_period(sampler);
    if (sampler->asked) /* run on whichever core is free first when they have stopped */
        fm_affinity_unbind(&sampler->affinity);
    else
        move_near(sampler);
    return ok;
}

static uint64_t next_ns(const struct fm_attach_sampler *sampler)
{
    return sampler->turn < sampler->n_turns ? sampler->turns[sampler->turn].moment_ns
                                            : sampler->period_start_ns + sampler->how.period_ns;
}

/* When it ends, the kernel releases the threads that it still holds. */
static void *sample(void *context)
{
    struct fm_attach_sampler *sampler = context;
    fm_affinity_raise_priority();
    bool ok = learn(sampler);
    sampler->period_start_ns = fm_clock_ns(CLOCK_MONOTONIC);
    srand48((long)(sampler->period_start_ns ^ (uint64_t)getpid()));
    sampler->failed = !ok || !plan(sampler);
    while (!sampler->stop && !is_finished(sampler)) {
        uint64_t now = fm_clock_ns(CLOCK_MONOTONIC), next = next_ns(sampler);
        if (next > now)
            sleep_for(next - now);
        sampler->failed = !look(sampler);
    }
    settle(sampler);
    return NULL;
}

/* ---- caller ---- */

struct fm_attach_sampler *fm_attach_sampler_start(const struct fm_targets *targets,
                                                  const struct fm_attach_sampler_options *how)
{
    struct fm_attach_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler)
        return NULL;
    sampler->how = *how;
    sampler->processes = calloc(targets->n + 1, sizeof *sampler->processes);
    for (; sampler->processes && sampler->n < targets->n; sampler->n++) {
        struct fm_sampled_process *process = &sampler->processes[sampler->n];
        fm_sampled_process_open(process, &targets->items[sampler->n]);
        sampler->living += process->alive;
    }
    fm_affinity_open(&sampler->affinity);
    if (sampler->processes && fm_attach_sampler_go(sampler))
        return sampler;
    fm_attach_sampler_destroy(sampler);
    return NULL;
}

/* On any core: that of the next thread may be busy. */
void fm_attach_sampler_stop(struct fm_attach_sampler *sampler)
{
    if (!sampler->running)
        return;
    sampler->stop = true;
    pthread_setaffinity_np(sampler->thread, sizeof sampler->affinity.cores, &sampler->affinity.cores);
    pthread_kill(sampler->thread, SIGCHLD);
    pthread_join(sampler->thread, NULL);
    sampler->running = false;
}

bool fm_attach_sampler_go(struct fm_attach_sampler *sampler)
{
    sampler->stop = false;
    sampler->running = sampler->running || pthread_create(&sampler->thread, NULL, sample, sampler) == 0;
    if (!sampler->running)
        sampler->failed = true;
    return sampler->running;
}

struct fm_capture_queue *fm_attach_sampler_queue(struct fm_attach_sampler *sampler)
{
    return &sampler->queue;
}

struct fm_attach_sampler_counts fm_attach_sampler_counts(const struct fm_attach_sampler *sampler)
{
    return (struct fm_attach_sampler_counts){sampler->moments, sampler->living, sampler->lost, sampler->failed};
}

bool fm_attach_sampler_alive(const struct fm_attach_sampler *sampler, size_t process)
{
    return sampler->processes[process].alive;
}

void fm_attach_sampler_destroy(struct fm_attach_sampler *sampler)
{
    if (!sampler)
        return;
    fm_attach_sampler_stop(sampler);
    for (size_t p = 0; p < sampler->n; p++)
        fm_sampled_process_close(&sampler->processes[p], &sampler->queue);
    fm_capture_queue_free(&sampler->queue);
    free(sampler->processes);
    free(sampler->turns);
    free(sampler);
}
