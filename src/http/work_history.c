/* SPDX-License-Identifier: BSD-3-Clause */
/* The history of all profiles that are served (report/history.h). */
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "base/crc.h"
#include "format/encode.h"
#include "http/work.h"
#include "report/history.h"

enum { MOST = 2000 }; /* profiles: more would keep a core busy for minutes */

struct history_task {
    struct fm_task task;
    struct fm_server *server;
    struct fm_stored **entries;
    size_t n;
    struct fm_progress progress;
    /* result */
    enum fm_status status;
    struct fm_blob *blob;
    struct fm_error error;
};

static enum fm_status add(struct history_task *work, struct fm_history *history, const struct fm_stored *entry)
{
    struct fm_profile *profile;
    struct fm_error error = {0};
    enum fm_status status = fm_stored_read(entry, &profile, &error);
    if (status) /* the list says what is wrong with it */
        return status == FM_ERR_MEMORY ? fm_fail(&work->error, status, "%s", error.text) : FM_OK;
    struct fm_symbols *symbols = fm_symbols_for(profile, work->server->options->source.debug_path, NULL, NULL);
    status = fm_history_add(history, entry->id, fm_basename(entry->path), profile, symbols, &work->error);
    fm_symbols_destroy(symbols);
    fm_profile_destroy(profile);
    return status;
}

static enum fm_status write_history(void *context, FILE *out, struct fm_error *error)
{
    return fm_history_json(context, out, error);
}

static void make_history(struct fm_task *task)
{
    struct history_task *work = (struct history_task *)task;
    struct fm_history history = {0};
    for (size_t i = 0; i < work->n && !work->status && !work->server->service.tasks.stopping; i++) {
        work->status = add(work, &history, work->entries[i]);
        fm_progress_set(&work->progress, 0, 100, i + 1, work->n);
    }
    if (!work->status)
        work->status = fm_blob_of(write_history, &history, &work->blob, &work->error);
    fm_history_close(&history);
}

static void finish(struct fm_task *task)
{
    struct history_task *work = (struct history_task *)task;
    fm_service_finish(&work->server->service, task, work->status, work->blob, &work->error);
    for (size_t i = 0; i < work->n; i++)
        work->entries[i]->tasks--;
    free(work->entries);
    fm_profile_store_forget_gone(&work->server->store);
}

/* All profiles, and a key that differs if they do. */
static bool find_entries(struct fm_server *server, struct history_task *work)
{
    uint64_t digest = 0;
    size_t known = 0;
    for (struct fm_stored *entry = server->store.entries; entry; entry = entry->next)
        known += !entry->gone;
    work->entries = calloc(known ? known : 1, sizeof(struct fm_stored *));
    if (!work->entries)
        return false;
    for (struct fm_stored *entry = server->store.entries; entry && work->n < MOST; entry = entry->next) {
        if (entry->gone)
            continue;
        work->entries[work->n++] = entry;
        digest = digest * 31 + fm_crc64(entry->id, strlen(entry->id));
    }
    snprintf(work->task.key, sizeof work->task.key, "history/%zu/%016llx", work->n, (unsigned long long)digest);
    return true;
}

bool fm_work_history(struct fm_server *server, struct fm_http_request *request)
{
    struct history_task *work = calloc(1, sizeof *work);
    if (!work || !find_entries(server, work)) {
        free(work);
        return fm_service_begin(&server->service, NULL, request);
    }
    enum fm_service_state state = fm_service_join(&server->service, work->task.key, request);
    if (state != FM_SERVICE_NEW) {
        free(work->entries);
        free(work);
        return state == FM_SERVICE_ANSWERED;
    }
    work->server = server;
    work->task.run = make_history;
    work->task.finish = finish;
    work->task.meanwhile = fm_service_still_reading;
    work->task.progress = &work->progress;
    for (size_t i = 0; i < work->n; i++)
        work->entries[i]->tasks++;
    return fm_service_begin(&server->service, &work->task, request);
}
