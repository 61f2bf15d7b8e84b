/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/http/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "format/encode.h"

enum { READ_AT_ONCE = 500 };
#define LOOK_NS 30000000000ull

bool fm_site_kept_has(struct fm_site_server *server, const struct fm_site_job *job)
{
    pthread_mutex_t *lock = &server->service.tasks.lock;
    pthread_mutex_lock(lock);
    bool has = fm_site_kept_find(&server->kept, job->record.key, job->uid);
    pthread_mutex_unlock(lock);
    return has;
}

/* ---- looking ---- */

struct kept_look_task {
    struct fm_task task;
    struct fm_site_server *server;
    struct fm_site_kept_look *look;
};

/* What is known is not changed meanwhile: only this task would. */
static void look(struct fm_task *task)
{
    struct kept_look_task *work = (struct kept_look_task *)task;
    work->look = fm_site_kept_look(&work->server->kept, work->server->config->keep, READ_AT_ONCE);
}

static void end_look(struct fm_task *task)
{
    struct kept_look_task *work = (struct kept_look_task *)task;
    struct fm_site_kept *kept = &work->server->kept;
    if (work->look)
        fm_site_kept_replace(kept, work->look);
    kept->look_ns = kept->complete ? fm_clock_ns(CLOCK_MONOTONIC) + LOOK_NS : 0;
}

void fm_site_kept_tick(struct fm_site_server *server, uint64_t now_ns)
{
    if (!*server->config->keep || server->service.tasks.stopping || now_ns < server->kept.look_ns ||
        fm_tasks_find(&server->service.tasks, "kept"))
        return;
    struct kept_look_task *work = calloc(1, sizeof *work);
    if (!work)
        return;
    strcpy(work->task.key, "kept");
    work->server = server;
    work->task.run = look;
    work->task.finish = end_look;
    work->task.meanwhile = fm_service_still_reading;
    work->task.busy[work->task.n_busy++] = &server->kept.busy;
    fm_tasks_add(&server->service.tasks, &work->task);
}

/* ---- slices ---- */

/* Programs are named by profiles, and those are their users': they are read only if the site wants that. */
static struct fm_symbols *symbols_for(const struct fm_site_server *server, const struct fm_profile *profile)
{
    const struct fm_symbols_options options = {.no_modules = !server->config->http_symbols,
                                               .directory = profile->job.cwd,
                                               .owner = profile->owner,
                                               .threads = 1};
    return fm_symbols_create(&options);
}

static enum fm_status open_profile(struct fm_site_server *server, const struct fm_site_kept_profile *found,
                                   struct fm_site_kept_source *to, struct fm_error *error)
{
    const struct fm_source_options options = {0};
    struct fm_profile *profile;
    enum fm_status status = fm_profile_read(found->path, &profile, error);
    if (status)
        return status;
    char key[FM_RECORD_KEY_CHARS];
    fm_record_key_of(profile->job.key, key);
    struct fm_symbols *symbols = strcmp(key, found->key) == 0 ? symbols_for(server, profile) : NULL;
    if (!symbols) {
        fm_profile_destroy(profile);
        return fm_fail(error, FM_ERR_INPUT, "the profile is another one by now");
    }
    status = fm_source_open(&to->source, profile, symbols, &options, error);
    if (status)
        return status;
    strcpy(to->key, found->key);
    to->owner = found->owner;
    to->inode = found->inode;
    return FM_OK;
}

/* The open profile, or the place of the one that was not used for the longest time. */
static struct fm_site_kept_source *find_open(struct fm_site_kept *kept, const struct fm_site_kept_profile *found)
{
    struct fm_site_kept_source *oldest = &kept->open[0];
    for (size_t i = 0; i < FM_SITE_KEPT_OPEN; i++) {
        struct fm_site_kept_source *at = &kept->open[i];
        if (at->source.is_open && strcmp(at->key, found->key) == 0 && at->owner == found->owner &&
            at->inode == found->inode)
            return at;
        if (at->used_ns < oldest->used_ns)
            oldest = at;
    }
    fm_source_close(&oldest->source);
    return oldest;
}

/* A copy of what is known of the job's profile, in the arena; NULL if it is not kept. */
static const struct fm_site_kept_profile *find_profile(struct fm_site_answering *answering,
                                                       const struct fm_site_job *job)
{
    pthread_mutex_t *lock = &answering->server->service.tasks.lock;
    struct fm_site_kept_profile *copy = NULL;
    pthread_mutex_lock(lock);
    const struct fm_site_kept_profile *found = fm_site_kept_find(&answering->server->kept, job->record.key, job->uid);
    if (found && (copy = fm_arena_alloc(&answering->arena, sizeof *copy))) {
        *copy = *found;
        copy->path = fm_arena_strndup(&answering->arena, found->path, strlen(found->path));
    }
    pthread_mutex_unlock(lock);
    return copy && copy->path ? copy : NULL;
}

enum fm_status fm_site_answer_profile(struct fm_site_answering *answering, struct fm_error *error)
{
    struct fm_site_job job;
    struct fm_error why;
    bool found;
    enum fm_status status = fm_site_job_find(answering->store, answering->request->route.job, answering->scope.owner,
                                             &answering->arena, &job, &found, error);
    if (status)
        return status;
    const struct fm_site_kept_profile *profile = found ? find_profile(answering, &job) : NULL;
    if (!profile)
        return fm_site_refuse(answering, 404, FM_SITE_NOT_FOUND);
    struct fm_site_kept_source *source = find_open(&answering->server->kept, profile);
    if (!source->source.is_open && open_profile(answering->server, profile, source, &why))
        return fm_site_refuse(answering, 422, "the profile of the job cannot be read");
    source->used_ns = fm_clock_ns(CLOCK_MONOTONIC);
    status = fm_slice_write(&source->source.slices, answering->request->route.slice, answering->out, &why);
    return status == FM_ERR_USAGE    ? fm_site_refuse(answering, 404, FM_SITE_NOT_FOUND)
           : status == FM_ERR_MEMORY ? fm_fail(error, status, "not enough memory for a profile")
           : status                  ? fm_site_refuse(answering, 422, "the profile of the job cannot be read")
                                     : FM_OK;
}
