/* SPDX-License-Identifier: BSD-3-Clause */
#include "attach/watched.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "collect/node.h"

static bool is_alive(const struct fm_watched *watched)
{
    return fm_process_alive(watched->target->pid, watched->target->start_time);
}

void fm_watched_open(struct fm_watched *watched, const struct fm_target *target)
{
    watched->target = target;
    watched->alive = is_alive(watched);
}

struct fm_watched_thread *fm_watched_find(struct fm_watched *watched, pid_t tid)
{
    for (size_t i = 0; i < watched->n; i++)
        if (watched->threads[i].of.tid == tid)
            return &watched->threads[i];
    return NULL;
}

static void forget(struct fm_watched_thread *thread, struct fm_pictures *pictures)
{
    fm_shot_close(&thread->of);
    if (thread->picture)
        fm_picture_spare(pictures, thread->picture);
}

void fm_watched_close(struct fm_watched *watched, struct fm_pictures *pictures)
{
    for (size_t i = 0; i < watched->n; i++)
        forget(&watched->threads[i], pictures);
    free(watched->threads);
}

static bool add(struct fm_watched *watched, pid_t tid)
{
    if (watched->n == watched->capacity) {
        size_t capacity = watched->capacity ? 2 * watched->capacity : 8;
        struct fm_watched_thread *threads = realloc(watched->threads, capacity * sizeof *threads);
        if (!threads)
            return false;
        watched->threads = threads;
        watched->capacity = capacity;
    }
    pid_t pid = watched->target->pid;
    struct fm_watched_thread *thread = &watched->threads[watched->n];
    *thread = (struct fm_watched_thread){.here = true, .matters = tid == pid};
    watched->n += fm_shot_open(&thread->of, pid, tid); /* or is it gone already */
    return true;
}

static bool list_threads(struct fm_watched *watched)
{
    char path[40];
    const struct dirent *entry;
    bool good = true;
    snprintf(path, sizeof path, "/proc/%d/task", (int)watched->target->pid);
    DIR *stream = opendir(path);
    while (stream && good && (entry = readdir(stream))) {
        pid_t tid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
        struct fm_watched_thread *known = tid ? fm_watched_find(watched, tid) : NULL;
        if (known)
            known->here = true;
        else if (tid)
            good = add(watched, tid);
    }
    if (stream)
        closedir(stream);
    return good;
}

bool fm_watched_list(struct fm_watched *watched, struct fm_pictures *pictures)
{
    for (size_t i = 0; i < watched->n; i++)
        watched->threads[i].here = false;
    watched->alive = watched->alive && is_alive(watched);
    if (watched->alive && !list_threads(watched))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < watched->n; i++) {
        struct fm_watched_thread *thread = &watched->threads[i];
        if (thread->asked || (thread->here && !thread->ended)) /* who was asked is to be waited for */
            watched->threads[kept++] = *thread;
        else
            forget(thread, pictures);
    }
    watched->n = kept;
    return true;
}
