/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices of profiles, and comparisons of profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/work.h"
#include "pages/slice_scale.h"

enum { OPENING_PERCENT = 80 };    /* of a comparison: opening its profiles */
#define OPEN_LIMIT (768ull << 20) /* bytes of profiles that stay open while nobody uses them */

/* What uses profiles; for a slice, one. */
struct profile_task {
    struct fm_task task;
    struct fm_server *server;
    struct fm_stored *entries[FM_SCALE_RUNS];
    size_t n;
    char slice[FM_SLICE_BYTES];
    struct fm_scaling_options scaling;
    struct fm_progress progress; /* of a comparison */
    /* result */
    enum fm_status status;
    struct fm_blob *blob;
    struct fm_error error;
};
_Static_assert((int)FM_SCALE_RUNS <= (int)FM_TASK_BUSY, "a comparison can use all of its profiles");

static enum fm_status open_all(struct profile_task *work)
{
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < work->n && !status; i++) {
        fm_progress_set(&work->progress, 0, OPENING_PERCENT, i, work->n);
        status = fm_stored_open(work->entries[i], &work->server->options->source, &work->error);
    }
    fm_progress_set(&work->progress, 0, OPENING_PERCENT, 1, 1);
    return status;
}

static void finish(struct fm_task *task)
{
    struct profile_task *work = (struct profile_task *)task;
    struct fm_server *server = work->server;
    fm_service_finish(&server->service, task, work->status, work->blob, &work->error);
    for (size_t i = 0; i < work->n; i++)
        work->entries[i]->tasks--;
    fm_profile_store_forget_gone(&server->store);
    fm_profile_store_trim(&server->store, OPEN_LIMIT);
}

static struct profile_task *create(struct fm_server *server, const char *key, void (*run)(struct fm_task *task))
{
    struct profile_task *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->server = server;
    work->task.run = run;
    work->task.finish = finish;
    work->task.meanwhile = fm_service_still_reading;
    snprintf(work->task.key, sizeof work->task.key, "%s", key);
    return work;
}

static void use(struct profile_task *work, struct fm_stored *entry)
{
    work->entries[work->n++] = entry;
    work->task.busy[work->task.n_busy++] = &entry->busy;
    entry->tasks++;
}

/* ---- slices ---- */

static void make_slice(struct fm_task *task)
{
    struct profile_task *work = (struct profile_task *)task;
    work->status = open_all(work);
    if (!work->status)
        work->status = fm_source_slice(&work->entries[0]->source, work->slice, &work->blob, &work->error);
}

bool fm_work_slice(struct fm_server *server, struct fm_http_request *request)
{
    char key[FM_TASK_KEY_BYTES];
    struct fm_stored *entry = fm_profile_store_find(&server->store, request->route.id);
    if (!entry) {
        request->answer = fm_answer_error(404, "there is no such profile, or it has changed");
        return true;
    }
    snprintf(key, sizeof key, "%s/%s", entry->id, request->route.slice);
    enum fm_service_state state = fm_service_join(&server->service, key, request);
    if (state != FM_SERVICE_NEW)
        return state == FM_SERVICE_ANSWERED;
    struct profile_task *work = create(server, key, make_slice);
    if (!work)
        return fm_service_begin(&server->service, NULL, request);
    strcpy(work->slice, request->route.slice);
    use(work, entry);
    work->task.progress = &entry->progress;
    return fm_service_begin(&server->service, &work->task, request);
}

/* ---- comparisons ---- */

static enum fm_status write_scaling(void *context, FILE *out, struct fm_error *error)
{
    return fm_slice_scale(context, out, error);
}

static void compare(struct fm_task *task)
{
    struct profile_task *work = (struct profile_task *)task;
    struct fm_scaling_run runs[FM_SCALE_RUNS] = {0};
    struct fm_scaling scaling;
    work->status = open_all(work);
    if (work->status)
        return;
    for (size_t i = 0; i < work->n; i++) {
        runs[i].file = work->entries[i]->path;
        runs[i].profile = work->entries[i]->source.profile;
        runs[i].symbols = work->entries[i]->source.symbols;
    }
    work->status = fm_scaling_open(&scaling, runs, work->n, &work->scaling, &work->error);
    if (!work->status)
        work->status = fm_blob_of(write_scaling, &scaling, &work->blob, &work->error);
    fm_scaling_close(&scaling);
    if (work->status == FM_ERR_USAGE) /* these profiles cannot be compared: not an unknown address */
        work->status = work->error.status = FM_ERR_INPUT;
}

static bool find_word(const char *const *words, const char *word, unsigned *index)
{
    for (*index = 0; words[*index]; ++*index)
        if (*words[*index] && strcmp(words[*index], word) == 0)
            return true;
    return false;
}

/* The profiles of the list, each once. Returns what is wrong, or NULL. */
static const char *find_entries(struct fm_server *server, const char *list, struct fm_stored **entries, size_t *n)
{
    char id[FM_ID_CHARS + 1];
    bool wrong;
    *n = 0;
    while (fm_route_next_id(&list, id, &wrong)) {
        struct fm_stored *entry = fm_profile_store_find(&server->store, id);
        if (!entry)
            return "there is no such profile, or it has changed";
        for (size_t i = 0; i < *n; i++)
            if (entries[i] == entry)
                return "a profile is given twice";
        if (*n == FM_SCALE_RUNS)
            return "too many profiles";
        entries[(*n)++] = entry;
    }
    return wrong ? "profiles must be a list of identities" : *n < 2 ? "at least two profiles are needed" : NULL;
}

bool fm_work_scale(struct fm_server *server, struct fm_http_request *request, const char *mode, const char *view,
                   const char *profiles)
{
    static const char *const modes[] = {"strong", "weak", "same", NULL};
    static const enum fm_scale_mode mode_of[] = {FM_SCALE_STRONG, FM_SCALE_WEAK, FM_SCALE_SAME};
    struct fm_stored *entries[FM_SCALE_RUNS];
    unsigned word = 0, shown = FM_SCALING_USUAL;
    size_t n = 0;
    const char *wrong = !mode || !find_word(modes, mode, &word) ? "mode must be strong, weak or same"
                        : view && !find_word(fm_scaling_views, view, &shown)
                            ? "view must be calls, callers, flat, mpi, timers, costs, efficiency or split"
                        : !profiles ? "profiles are needed"
                                    : find_entries(server, profiles, entries, &n);
    if (!wrong && mode_of[word] == FM_SCALE_SAME && n > 2)
        wrong = "same compares two profiles";
    if (wrong) {
        request->answer = fm_answer_error(400, wrong);
        return true;
    }
    char key[FM_TASK_KEY_BYTES];
    int length = snprintf(key, sizeof key, "scale/%s/%s", modes[word], fm_scaling_views[shown]);
    for (size_t i = 0; i < n; i++)
        length += snprintf(key + length, sizeof key - (size_t)length, "/%s", entries[i]->id);
    enum fm_service_state state = fm_service_join(&server->service, key, request);
    if (state != FM_SERVICE_NEW)
        return state == FM_SERVICE_ANSWERED;
    struct profile_task *work = create(server, key, compare);
    if (!work)
        return fm_service_begin(&server->service, NULL, request);
    work->scaling = (struct fm_scaling_options){
        .mode = mode_of[word], .view = (enum fm_scaling_view)shown, .threshold = FM_EFFICIENCY_LEAST};
    for (size_t i = 0; i < n; i++)
        use(work, entries[i]);
    work->task.progress = &work->progress;
    return fm_service_begin(&server->service, &work->task, request);
}
