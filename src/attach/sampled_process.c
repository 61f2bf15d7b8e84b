/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/sampled_process.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "collect/node.h"

static bool is_alive(const struct fm_sampled_process *process)
{
    return fm_process_alive(process->target->pid, process->target->start_time);
}

void fm_sampled_process_open(struct fm_sampled_process *process, const struct fm_target *target)
{
    process->target = target;
    process->alive = is_alive(process);
}

struct fm_sampled_process_thread *fm_sampled_process_find(struct fm_sampled_process *process, pid_t tid)
{
    for (size_t i = 0; i < process->n; i++)
        if (process->threads[i].of.tid == tid)
            return &process->threads[i];
    return NULL;
}

static void release(struct fm_sampled_process_thread *thread, struct fm_capture_queue *queue)
{
    fm_capture_close(&thread->of);
    if (thread->item)
        fm_capture_queue_recycle(queue, thread->item);
}

void fm_sampled_process_close(struct fm_sampled_process *process, struct fm_capture_queue *queue)
{
    for (size_t i = 0; i < process->n; i++)
        release(&process->threads[i], queue);
    free(process->threads);
}

static bool add(struct fm_sampled_process *process, pid_t tid)
{
    if (process->n == process->capacity) {
        size_t capacity = process->capacity ? 2 * process->capacity : 8;
        struct fm_sampled_process_thread *threads = realloc(process->threads, capacity * sizeof *threads);
        if (!threads)
            return false;
        process->threads = threads;
        process->capacity = capacity;
    }
    pid_t pid = process->target->pid;
    struct fm_sampled_process_thread *thread = &process->threads[process->n];
    *thread = (struct fm_sampled_process_thread){.here = true, .matters = tid == pid};
    process->n += fm_capture_open(&thread->of, pid, tid); /* unless it has ended already */
    return true;
}

static bool list_threads(struct fm_sampled_process *process)
{
    char path[40];
    const struct dirent *entry;
    bool ok = true;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process->target->pid);
    DIR *stream = opendir(path);
    while (stream && ok && (entry = readdir(stream))) {
        pid_t tid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        struct fm_sampled_process_thread *known = tid ? fm_sampled_process_find(process, tid) : NULL;
        if (known)
            known->here = true;
        else if (tid)
            ok = add(process, tid);
    }
    if (stream)
        closedir(stream);
    return ok;
}

bool fm_sampled_process_list(struct fm_sampled_process *process, struct fm_capture_queue *queue)
{
    for (size_t i = 0; i < process->n; i++)
        process->threads[i].here = false;
    process->alive = process->alive && is_alive(process);
    if (process->alive && !list_threads(process))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < process->n; i++) {
        struct fm_sampled_process_thread *thread = &process->threads[i];
        if (thread->asked || (thread->here && !thread->ended)) /* threads that were asked to stop must be waited for */
            process->threads[kept++] = *thread;
        else
            release(thread, queue);
    }
    process->n = kept;
    return true;
}
