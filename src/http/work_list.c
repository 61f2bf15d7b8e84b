/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of profiles: looks into the served places again, if it was not done just now. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "http/work.h"
#include "report/profile_files.h"

#define LOOK_NS 2000000000ull /* at most every 2 s */

struct found {
    char *path;
    struct stat st;
};

struct look_task {
    struct fm_task task;
    struct fm_server *server;
    struct found *found;
    size_t n, capacity;
    struct fm_running running;
    bool has_running;
};

/* ---- the document ---- */

static enum fm_status write_list(void *context, FILE *out, struct fm_error *error)
{
    struct fm_server *server = context;
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_whole(&json, "fathom", 1);
    if (!fm_profile_store_json(&server->store, &json))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the list");
    fm_running_json(&server->running, &json);
    fm_json_end(&json);
    return FM_OK;
}

static struct fm_answer list_answer(struct fm_server *server)
{
    struct fm_answer answer = {.code = 200, .kind = FM_ANSWER_JSON};
    struct fm_error error;
    if (fm_blob_of(write_list, server, &answer.blob, &error))
        return fm_answer_failure(&error);
    return answer;
}

/* ---- looking ---- */

static enum fm_status add_found(void *context, const char *path, const struct stat *st)
{
    struct look_task *look = context;
    if (look->n == look->capacity) {
        size_t capacity = look->capacity ? 2 * look->capacity : 64;
        struct found *grown = realloc(look->found, capacity * sizeof *grown);
        if (!grown)
            return FM_ERR_MEMORY;
        look->found = grown;
        look->capacity = capacity;
    }
    look->found[look->n] = (struct found){.path = strdup(path), .st = *st};
    if (!look->found[look->n].path)
        return FM_ERR_MEMORY;
    look->n++;
    return FM_OK;
}

/* Enters what was found; fills the array with entries whose lines are to be read, and returns their number. */
static size_t enter(struct look_task *look, struct fm_stored **unread)
{
    struct fm_profile_store *store = &look->server->store;
    size_t n = 0;
    fm_profile_store_look_begin(store);
    for (size_t i = 0; i < look->n; i++) {
        struct fm_stored *entry = fm_profile_store_add(store, look->found[i].path, &look->found[i].st);
        if (entry && entry->line.state == FM_LINE_READING && !entry->line_begun) {
            entry->line_begun = true;
            entry->tasks++;
            unread[n++] = entry;
        }
    }
    fm_profile_store_look_end(store);
    return n;
}

static void walk(struct look_task *look)
{
    const struct fm_server_options *options = look->server->options;
    const struct fm_profile_files files = {.recursive = options->recursive, .found = add_found, .context = look};
    for (size_t i = 0; i < options->n_places; i++)
        fm_profile_files_walk(options->places[i], &files);
}

static void free_found(struct look_task *look)
{
    for (size_t i = 0; i < look->n; i++)
        free(look->found[i].path);
    free(look->found);
}

static void look_again(struct fm_task *task)
{
    struct look_task *look = (struct look_task *)task;
    pthread_mutex_t *lock = &look->server->service.tasks.lock;
    walk(look);
    look->has_running = fm_work_find_running(look->server, &look->running);
    struct fm_stored **unread = malloc((look->n + 1) * sizeof *unread);
    if (!unread)
        return;
    pthread_mutex_lock(lock);
    size_t n = enter(look, unread);
    if (look->has_running)
        fm_work_set_running(look->server, &look->running);
    for (size_t i = 0; i < n; i++) {
        struct fm_line line = {0};
        bool stopping = look->server->service.tasks.stopping;
        pthread_mutex_unlock(lock);
        if (!stopping)
            fm_line_read(&line, unread[i]);
        pthread_mutex_lock(lock);
        unread[i]->line = line;
        unread[i]->line_begun = false;
        unread[i]->tasks--;
    }
    pthread_mutex_unlock(lock);
    free(unread);
}

size_t fm_work_first_look(struct fm_server *server)
{
    struct look_task look = {.server = server};
    walk(&look);
    for (size_t i = 0; i < look.n; i++)
        fm_profile_store_add(&server->store, look.found[i].path, &look.found[i].st);
    free_found(&look);
    return look.n;
}

static void finish(struct fm_task *task)
{
    struct look_task *look = (struct look_task *)task;
    free_found(look);
    fm_running_close(&look->running);
    fm_work_findings(look->server);
    task->answer = list_answer(look->server);
}

static struct fm_answer so_far(const struct fm_task *task)
{
    return list_answer(((const struct look_task *)task)->server);
}

bool fm_work_list(struct fm_server *server, struct fm_http_request *request)
{
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
    struct fm_task *begun = fm_tasks_find(&server->service.tasks, "list");
    if (begun) {
        fm_task_await(begun, request);
        return false;
    }
    if (server->store.looked_ns && now < server->store.looked_ns + LOOK_NS) {
        request->answer = list_answer(server);
        return true;
    }
    struct look_task *look = calloc(1, sizeof *look);
    if (!look)
        return fm_service_begin(&server->service, NULL, request);
    look->server = server;
    look->task.run = look_again;
    look->task.finish = finish;
    look->task.meanwhile = so_far;
    strcpy(look->task.key, "list");
    return fm_service_begin(&server->service, &look->task, request);
}
