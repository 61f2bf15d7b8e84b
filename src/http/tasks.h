/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that takes longer than a moment, done by a few threads while the thread that talks to clients goes on. Requests of
 * the same thing wait for one task. What takes longer than FM_PATIENCE_NS is answered with "still reading"; the task goes
 * on, and the client asks again.
 *
 * A task declares what it uses (flags `busy`); tasks that use the same thing run one after the other. If it has an owner, one worker
 * is always left for the tasks of others, and an owner has at most FM_TASKS_OF_ONE tasks.
 *
 * All functions need the lock of the queue to be held, except fm_tasks_init, _start and _stop. */
#ifndef FM_HTTP_TASKS_H
#define FM_HTTP_TASKS_H

#include <pthread.h>

#include "base/progress.h"
#include "http/request.h"

#define FM_PATIENCE_NS 1000000000ull

enum { FM_TASK_KEY_BYTES = 1024, FM_TASK_OWNER_BYTES = 256, FM_TASK_BUSY = 64, FM_WORKERS = 4, FM_TASKS_OF_ONE = 40 };

/* Allocated by malloc, possibly as the first member of a larger struct; freed by the queue. */
struct fm_task {
    struct fm_task *next;
    char key[FM_TASK_KEY_BYTES];
    char owner[FM_TASK_OWNER_BYTES]; /* whose it is; "": nobody's */
    bool running;
    uint64_t since_ns;
    bool *busy[FM_TASK_BUSY]; /* what it uses */
    size_t n_busy;
    void (*run)(struct fm_task *task);    /* by a worker, without the lock; sets `answer` */
    void (*finish)(struct fm_task *task); /* with the lock, also if it never ran; may set `answer` */
    /* What to answer those who have no patience. */
    struct fm_answer (*meanwhile)(const struct fm_task *task);
    const struct fm_progress *progress; /* NULL: unknown */
    struct fm_http_request *waiting;
    struct fm_answer answer;
};

struct fm_tasks {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct fm_task *first;
    bool stopping;
    pthread_t workers[FM_WORKERS];
    size_t n_workers;
};

void fm_tasks_init(struct fm_tasks *tasks);
bool fm_tasks_start(struct fm_tasks *tasks); /* the workers; false if there are none */
/* Answers all requests that wait, and ends the workers after what they are doing. Returns false if one of them takes too
 * long for a user who waits for the end; what it uses must then not be freed. */
bool fm_tasks_stop(struct fm_tasks *tasks);

struct fm_task *fm_tasks_find(struct fm_tasks *tasks, const char *key); /* NULL if there is none */
size_t fm_tasks_of(const struct fm_tasks *tasks, const char *owner);    /* how many there are */
void fm_tasks_add(struct fm_tasks *tasks, struct fm_task *task);
/* Suspends the connection of the request until the task has ended. Only by the thread that talks to clients. */
void fm_task_await(struct fm_task *task, struct fm_http_request *request);
/* Answers requests that have waited long enough. */
void fm_tasks_tick(struct fm_tasks *tasks, uint64_t now_ns);

#endif
