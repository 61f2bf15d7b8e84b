/* SPDX-License-Identifier: BSD-3-Clause */
/* Running jobs: the list of them, their versions and slices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "http/stream.h"
#include "http/work.h"

#define RUNNING_NS 1000000000ull /* the list is made at most once a second */
#define DEAD_NS 3000000000ull    /* a collector has this long to write the profile of a job that was killed */

/* ---- the list ---- */

struct list_task {
    struct fm_task task;
    struct fm_server *server;
    struct fm_running running;
    bool found;
};

static enum fm_status write_jobs(void *context, FILE *out, struct fm_error *error)
{
    struct fm_server *server = context;
    struct fm_json json = {.out = out};
    (void)error;
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_whole(&json, "fathom", 1);
    fm_running_json(&server->running, &json);
    fm_json_end(&json);
    return FM_OK;
}

static struct fm_answer jobs_answer(struct fm_server *server)
{
    struct fm_answer answer = {.code = 200, .kind = FM_ANSWER_JSON};
    struct fm_error error;
    if (fm_blob_of(write_jobs, server, &answer.blob, &error))
        return fm_answer_failure(&error);
    return answer;
}

void fm_work_set_running(struct fm_server *server, struct fm_running *running)
{
    if (!running->looked) { /* what was found last is still the best that is known */
        struct fm_host_jobs found = server->running.all;
        server->running.all = running->all;
        running->all = found;
        running->looked = server->running.looked;
    }
    fm_running_close(&server->running);
    server->running = *running;
    server->running_ns = fm_clock_ns(CLOCK_MONOTONIC);
    *running = (struct fm_running){0};
}

/* Looking at all processes takes at most the same part of the time as reading a job. */
bool fm_work_find_running(struct fm_server *server, struct fm_running *running)
{
    pthread_mutex_t *lock = &server->service.tasks.lock;
    if (!fm_running_find(running, NULL))
        return false;
    pthread_mutex_lock(lock);
    bool due = fm_clock_ns(CLOCK_MONOTONIC) >= server->look_ns;
    if (due)
        server->look_ns = UINT64_MAX; /* nobody else does it meanwhile */
    pthread_mutex_unlock(lock);
    if (!due)
        return true;
    uint64_t from = fm_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    fm_running_find_all(running);
    uint64_t pause = (fm_clock_ns(CLOCK_THREAD_CPUTIME_ID) - from) * FM_WATCH_PART;
    pthread_mutex_lock(lock);
    server->look_ns = fm_clock_ns(CLOCK_MONOTONIC) + (pause < RUNNING_NS        ? RUNNING_NS
                                                      : pause > FM_WATCH_MAX_NS ? FM_WATCH_MAX_NS
                                                                                : pause);
    pthread_mutex_unlock(lock);
    return true;
}

static void find_running(struct fm_task *task)
{
    struct list_task *list = (struct list_task *)task;
    list->found = fm_work_find_running(list->server, &list->running);
}

static void finish_list(struct fm_task *task)
{
    struct list_task *list = (struct list_task *)task;
    if (list->found)
        fm_work_set_running(list->server, &list->running);
    fm_running_close(&list->running);
    task->answer = jobs_answer(list->server);
}

static struct fm_answer list_so_far(const struct fm_task *task)
{
    return jobs_answer(((const struct list_task *)task)->server);
}

bool fm_work_jobs(struct fm_server *server, struct fm_http_request *request)
{
    struct fm_task *begun = fm_tasks_find(&server->service.tasks, "jobs");
    if (begun) {
        fm_task_await(begun, request);
        return false;
    }
    if (server->running_ns && fm_clock_ns(CLOCK_MONOTONIC) < server->running_ns + RUNNING_NS) {
        request->answer = jobs_answer(server);
        return true;
    }
    struct list_task *list = calloc(1, sizeof *list);
    if (!list)
        return fm_service_begin(&server->service, NULL, request);
    list->server = server;
    list->task.run = find_running;
    list->task.finish = finish_list;
    list->task.meanwhile = list_so_far;
    strcpy(list->task.key, "jobs");
    return fm_service_begin(&server->service, &list->task, request);
}

/* ---- one job ---- */

struct job_task {
    struct fm_task task;
    struct fm_server *server;
    struct fm_watched *watched;
    char slice[FM_SLICE_BYTES];       /* "": only a new version */
    bool due;                         /* a new version is to be made first */
    uint64_t version;                 /* that the slice is made of */
    struct fm_job_sampling *sampling; /* of the job, when the task was made; or NULL */
    bool tell;                        /* that a sampling has ended */
    char hosts[256];                  /* others of the job */
    enum fm_status status;
    struct fm_blob *blob;
    struct fm_error error;
};

/* It is known now whether the job goes on. */
static void take_reading(struct fm_server *server, struct fm_watched *watched, struct fm_reading *reading)
{
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
    uint64_t pause = watched->version ? reading->cost_ns * FM_WATCH_PART : 0; /* the first one also reads symbols */
    pause = pause < FM_WATCH_NS ? FM_WATCH_NS : pause > FM_WATCH_MAX_NS ? FM_WATCH_MAX_NS : pause;
    watched->next_ns = now + pause;
    if (reading->event) {
        free(watched->event);
        watched->event = reading->event;
        watched->version++;
    }
    watched->dead_ns = reading->alive ? 0 : watched->dead_ns ? watched->dead_ns : now;
    if (watched->version && (!reading->exists || (watched->dead_ns && now > watched->dead_ns + DEAD_NS))) {
        struct stat st;
        watched->ended = true;
        struct fm_stored *entry = *reading->path && stat(reading->path, &st) == 0
                                      ? fm_profile_store_add(&server->store, reading->path, &st)
                                      : NULL;
        if (entry) {
            entry->kept = true;
            snprintf(watched->profile, sizeof watched->profile, "%s", entry->id);
        }
    }
    fm_streams_wake(watched);
}

static void refresh(struct job_task *work)
{
    struct fm_server *server = work->server;
    const struct fm_server_options *options = server->options;
    struct fm_watched *watched = work->watched;
    struct fm_reading reading;
    const struct fm_reading_options how = {.version = work->version + 1,
                                           .sampling = work->sampling,
                                           .tell = work->tell,
                                           .source = &options->source,
                                           .map = &server->map};
    if (*work->hosts)
        memcpy(watched->hosts, work->hosts, sizeof watched->hosts);
    work->status = fm_watched_read(watched, &how, &reading, &work->error);
    if (!work->status && (!reading.exists || !reading.alive))
        fm_watched_find_profile(watched, options->places, options->n_places, options->recursive, reading.path);
    pthread_mutex_lock(&server->service.tasks.lock);
    take_reading(server, watched, &reading);
    work->version = watched->version;
    pthread_mutex_unlock(&server->service.tasks.lock);
}

static void run(struct fm_task *task)
{
    struct job_task *work = (struct job_task *)task;
    if (work->due)
        refresh(work);
    bool needed = *work->slice || !work->watched->not_measured; /* a stream of a job that cannot be sampled says why */
    if (!work->status && !work->watched->source.is_open && needed)
        work->status = fm_fail(&work->error, FM_ERR_USAGE, "there is no such job, or it has ended");
    else if (!work->status && *work->slice)
        work->status = fm_source_slice(&work->watched->source, work->slice, &work->blob, &work->error);
}

static void slice_key(const struct fm_watched *watched, uint64_t version, const char *slice, char *key)
{
    snprintf(key, FM_TASK_KEY_BYTES, "job/%s/%llu/%s", watched->key, (unsigned long long)version, slice);
}

static void finish(struct fm_task *task)
{
    struct job_task *work = (struct job_task *)task;
    struct fm_watched *watched = work->watched;
    watched->tasks--;
    if (*work->slice || work->status) {
        slice_key(watched, work->version, work->slice, task->key); /* the version may be a new one */
        fm_service_finish(&work->server->service, task, work->status, work->blob, &work->error);
    } else {
        task->answer = (struct fm_answer){.code = 200};
    }
    if (!watched->version && !watched->tasks && !watched->streams && !watched->not_measured)
        watched->used_ns = 0; /* to be forgotten: there is no such job */
}

static bool is_due(const struct fm_watched *watched)
{
    bool news = !watched->sampling || fm_sampling_has_news(watched->sampling);
    return !watched->ended && news && fm_clock_ns(CLOCK_MONOTONIC) >= watched->next_ns;
}

static struct fm_task *create(struct fm_server *server, struct fm_watched *watched, const char *slice, const char *key)
{
    struct job_task *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->server = server;
    work->watched = watched;
    work->version = watched->version;
    work->due = is_due(watched);
    work->sampling = watched->sampling;
    work->tell = work->due && watched->stopped;
    watched->stopped &= !work->due;
    const struct fm_host_job *job = fm_running_job(&server->running, watched->key);
    snprintf(work->hosts, sizeof work->hosts, "%s", job ? job->hosts : "");
    strcpy(work->slice, slice);
    strcpy(work->task.key, key);
    work->task.run = run;
    work->task.finish = finish;
    work->task.meanwhile = fm_service_still_reading;
    work->task.busy[work->task.n_busy++] = &watched->busy;
    watched->tasks++;
    return &work->task;
}

bool fm_work_job(struct fm_server *server, struct fm_http_request *request)
{
    char key[FM_TASK_KEY_BYTES];
    bool is_stream = request->route.kind == FM_ROUTE_JOB_STREAM;
    const char *slice = is_stream ? "" : request->route.slice;
    bool by_pid = strncmp(request->route.id, FM_PID_KEY, strlen(FM_PID_KEY)) == 0;
    struct fm_watched *watched = by_pid ? fm_watched_find(server->watched, request->route.id)
                                        : fm_watched_add(&server->watched, request->route.id);
    if (!watched && by_pid) {
        request->answer = fm_answer_error(404, "the job is not being sampled, or there is no such job");
        return true;
    }
    if (!watched)
        return fm_service_begin(&server->service, NULL, request);
    watched->used_ns = fm_clock_ns(CLOCK_MONOTONIC);
    if (watched->sampling && !watched->version && !is_stream) {
        request->answer = fm_answer_wait((double)fm_sampling_age_ns(watched->sampling) / 1e9, -1);
        return true;
    }
    if (is_stream && (watched->version || watched->sampling)) {
        request->answer = (struct fm_answer){.code = 200};
        return true;
    }
    slice_key(watched, watched->version, slice, key);
    if (!is_due(watched) && fm_service_cached(&server->service, key, &request->answer))
        return true;
    struct fm_task *task = fm_tasks_find(&server->service.tasks, key);
    if (task) {
        fm_task_await(task, request);
        return false;
    }
    return fm_service_begin(&server->service, create(server, watched, slice, key), request);
}

void fm_work_jobs_tick(struct fm_server *server, uint64_t now_ns)
{
    for (struct fm_watched **at = &server->watched; *at;) {
        struct fm_watched *watched = *at;
        char key[FM_TASK_KEY_BYTES];
        fm_streams_tick(watched, now_ns);
        fm_work_sampling_tick(server, watched, now_ns);
        if (!watched->sampling && !watched->tasks && !watched->streams &&
            now_ns > watched->used_ns + FM_WATCH_FORGET_NS) {
            *at = watched->next;
            fm_watched_close(watched);
            continue;
        }
        if (watched->streams && !watched->tasks && is_due(watched)) {
            slice_key(watched, watched->version, "", key);
            struct fm_task *task = create(server, watched, "", key);
            if (task)
                fm_tasks_add(&server->service.tasks, task);
        }
        at = &watched->next;
    }
}

void fm_work_jobs_end(struct fm_server *server)
{
    for (struct fm_watched *watched = server->watched; watched; watched = watched->next)
        fm_streams_wake(watched);
    fm_work_samplings_end(server);
}

void fm_work_jobs_close(struct fm_server *server)
{
    while (server->watched) {
        struct fm_watched *watched = server->watched;
        server->watched = watched->next;
        fm_watched_close(watched);
    }
    fm_running_close(&server->running);
}
