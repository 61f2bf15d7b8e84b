/* Workers are shared: nobody's tasks keep those of others waiting. */
#include "http/tasks.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "tap.h"

#define PATIENCE_NS 60000000000ull

static atomic_int running, done;
static atomic_bool may_end;

static bool becomes(atomic_int *number, int wanted)
{
    uint64_t until = fm_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
    while (atomic_load(number) != wanted && fm_clock_ns(CLOCK_MONOTONIC) < until)
        usleep(1000);
    return atomic_load(number) == wanted;
}

static void wait_for_leave(struct fm_task *task)
{
    (void)task;
    atomic_fetch_add(&running, 1);
    while (!atomic_load(&may_end))
        usleep(1000);
}

static void do_nothing(struct fm_task *task)
{
    (void)task;
}

static void finish(struct fm_task *task)
{
    (void)task;
    atomic_fetch_add(&done, 1);
}

static void add(struct fm_tasks *tasks, const char *owner, int number, void (*run)(struct fm_task *))
{
    struct fm_task *task = calloc(1, sizeof *task);
    snprintf(task->key, sizeof task->key, "%s %d", owner, number);
    snprintf(task->owner, sizeof task->owner, "%s", owner);
    task->run = run;
    task->finish = finish;
    pthread_mutex_lock(&tasks->lock);
    fm_tasks_add(tasks, task);
    pthread_mutex_unlock(&tasks->lock);
}

int main(void)
{
    struct fm_tasks tasks;
    fm_tasks_init(&tasks);
    tap_ok(fm_tasks_start(&tasks) && tasks.n_workers >= 3, "%zu workers", tasks.n_workers);
    for (int i = 0; i < 10; i++)
        add(&tasks, "ann", i, wait_for_leave);
    tap_ok(becomes(&running, (int)tasks.n_workers - 1), "somebody has all workers but one: %d", atomic_load(&running));
    pthread_mutex_lock(&tasks.lock);
    tap_ok(fm_tasks_of(&tasks, "ann") == 10 && fm_tasks_of(&tasks, "bob") == 0, "and tasks that wait");
    pthread_mutex_unlock(&tasks.lock);
    for (int i = 0; i < 20; i++)
        add(&tasks, i % 2 ? "bob" : "", i, do_nothing);
    tap_ok(becomes(&done, 20) && atomic_load(&running) == (int)tasks.n_workers - 1, "the tasks of others are done: %d",
           atomic_load(&done));
    atomic_store(&may_end, true);
    tap_ok(becomes(&done, 30), "and then the rest: %d", atomic_load(&done));
    tap_ok(fm_tasks_stop(&tasks), "they end");
    return tap_done();
}
