/* SPDX-License-Identifier: BSD-3-Clause */
#include "http/tasks.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum {
    STOP_SECONDS = 2,
    LEAST_WORKERS = 3 /* findings and a large profile leave one for the rest */
};

void fm_tasks_init(struct fm_tasks *tasks)
{
    *tasks = (struct fm_tasks){0};
    pthread_mutex_init(&tasks->lock, NULL);
    pthread_cond_init(&tasks->changed, NULL);
}

struct fm_task *fm_tasks_find(struct fm_tasks *tasks, const char *key)
{
    struct fm_task *task = tasks->first;
    while (task && strcmp(task->key, key) != 0)
        task = task->next;
    return task;
}

static size_t count(const struct fm_tasks *tasks, const char *owner, bool only_running)
{
    size_t n = 0;
    for (const struct fm_task *task = tasks->first; task; task = task->next)
        n += (task->running || !only_running) && strcmp(task->owner, owner) == 0;
    return n;
}

size_t fm_tasks_of(const struct fm_tasks *tasks, const char *owner)
{
    return count(tasks, owner, false);
}

void fm_tasks_add(struct fm_tasks *tasks, struct fm_task *task)
{
    struct fm_task **last = &tasks->first;
    while (*last)
        last = &(*last)->next;
    task->next = NULL;
    task->since_ns = fm_clock_ns(CLOCK_MONOTONIC);
    *last = task;
    pthread_cond_signal(&tasks->changed);
}

/* ---- requests that wait ---- */

void fm_task_await(struct fm_task *task, struct fm_http_request *request)
{
    request->since_ns = fm_clock_ns(CLOCK_MONOTONIC);
    request->next = task->waiting;
    task->waiting = request;
    MHD_suspend_connection(request->connection);
}

static void give(struct fm_http_request *request, const struct fm_answer *answer)
{
    request->answer = fm_answer_copy(answer);
    MHD_resume_connection(request->connection);
}

static void give_all(struct fm_task *task, const struct fm_answer *answer)
{
    while (task->waiting) {
        struct fm_http_request *request = task->waiting;
        task->waiting = request->next;
        give(request, answer);
    }
}

void fm_tasks_tick(struct fm_tasks *tasks, uint64_t now_ns)
{
    for (struct fm_task *task = tasks->first; task; task = task->next) {
        struct fm_answer meanwhile = {0};
        for (struct fm_http_request **at = &task->waiting; *at;) {
            struct fm_http_request *request = *at;
            if (now_ns < request->since_ns + FM_PATIENCE_NS) {
                at = &request->next;
                continue;
            }
            if (!meanwhile.code)
                meanwhile = task->meanwhile(task);
            *at = request->next;
            give(request, &meanwhile);
        }
        fm_blob_release(meanwhile.blob);
    }
}

/* ---- workers ---- */

/* Whether an owner may have one more of the workers. */
static bool is_fair(const struct fm_tasks *tasks, const char *owner)
{
    size_t running = *owner ? count(tasks, owner, true) : 0;
    return !running || running + 1 < tasks->n_workers;
}

static bool can_run(const struct fm_tasks *tasks, const struct fm_task *task)
{
    bool free = !task->running && is_fair(tasks, task->owner);
    for (size_t i = 0; i < task->n_busy; i++)
        free = free && !*task->busy[i];
    return free;
}

static void set_busy(struct fm_task *task, bool busy)
{
    task->running = busy;
    for (size_t i = 0; i < task->n_busy; i++)
        *task->busy[i] = busy;
}

static void end_task(struct fm_tasks *tasks, struct fm_task *task)
{
    struct fm_task **at = &tasks->first;
    while (*at != task)
        at = &(*at)->next;
    *at = task->next;
    task->finish(task);
    give_all(task, &task->answer);
    fm_blob_release(task->answer.blob);
    free(task);
}

static void *work(void *context)
{
    struct fm_tasks *tasks = context;
    pthread_mutex_lock(&tasks->lock);
    while (!tasks->stopping) {
        struct fm_task *task = tasks->first;
        while (task && !can_run(tasks, task))
            task = task->next;
        if (!task) {
            pthread_cond_wait(&tasks->changed, &tasks->lock);
            continue;
        }
        set_busy(task, true);
        pthread_mutex_unlock(&tasks->lock);
        task->run(task);
        pthread_mutex_lock(&tasks->lock);
        set_busy(task, false);
        end_task(tasks, task);
        pthread_cond_broadcast(&tasks->changed); /* what it used is free again */
    }
    pthread_mutex_unlock(&tasks->lock);
    return NULL;
}

bool fm_tasks_start(struct fm_tasks *tasks)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = cores < LEAST_WORKERS ? LEAST_WORKERS : cores > FM_WORKERS ? FM_WORKERS : (size_t)cores;
    pthread_mutex_lock(&tasks->lock);
    while (tasks->n_workers < wanted && pthread_create(&tasks->workers[tasks->n_workers], NULL, work, tasks) == 0)
        tasks->n_workers++;
    pthread_mutex_unlock(&tasks->lock);
    return tasks->n_workers > 0;
}

static bool join(pthread_t worker, const struct timespec *until)
{
    return pthread_clockjoin_np(worker, NULL, CLOCK_MONOTONIC, until) == 0;
}

bool fm_tasks_stop(struct fm_tasks *tasks)
{
    struct fm_answer ending = fm_answer_error(503, "the server ends");
    struct timespec until;
    bool ended = true;
    pthread_mutex_lock(&tasks->lock);
    tasks->stopping = true;
    for (struct fm_task *task = tasks->first; task; task = task->next)
        give_all(task, &ending);
    pthread_cond_broadcast(&tasks->changed);
    pthread_mutex_unlock(&tasks->lock);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += STOP_SECONDS;
    for (size_t i = 0; i < tasks->n_workers; i++)
        ended = join(tasks->workers[i], &until) && ended;
    pthread_mutex_lock(&tasks->lock);
    while (ended && tasks->first)
        end_task(tasks, tasks->first);
    pthread_mutex_unlock(&tasks->lock);
    return ended;
}
