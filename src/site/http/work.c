/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/http/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "http/source.h"
#include "site/http/kept.h"

enum { STATE = 256 };
#define SAY_AGAIN_NS 60000000000ull

typedef enum fm_status answer_function(struct fm_site_answering *answering, struct fm_error *error);

/* kept: until the state of the database changes. */
static const struct {
    enum fm_site_route_kind kind;
    answer_function *answer;
    enum fm_db_access access;
    bool kept;
} answers[] = {
    {FM_SITE_ME, fm_site_answer_me, FM_DB_READ, true},
    {FM_SITE_JOBS, fm_site_answer_jobs, FM_DB_READ, false},
    {FM_SITE_JOB, fm_site_answer_job, FM_DB_READ, false},
    {FM_SITE_TAG, fm_site_answer_tag, FM_DB_WRITE, false},
    {FM_SITE_UNTAG, fm_site_answer_tag, FM_DB_WRITE, false},
    {FM_SITE_SUMMARY, fm_site_answer_summary, FM_DB_READ, true},
    {FM_SITE_LOAD, fm_site_answer_load, FM_DB_READ, true},
    {FM_SITE_INSIGHTS, fm_site_answer_insights, FM_DB_READ, false},
    {FM_SITE_PROGRAM, fm_site_answer_program, FM_DB_READ, true},
    {FM_SITE_PROFILE, fm_site_answer_profile, FM_DB_READ, false},
    {FM_SITE_METRICS, fm_site_answer_metrics, FM_DB_READ, false},
};

struct site_task {
    struct fm_task task;
    struct fm_site_server *server;
    struct fm_site_request request;
    size_t answer; /* in the table */
    char kept_key[FM_TASK_KEY_BYTES + STATE];
    bool was_kept;
    /* result */
    enum fm_status status;
    bool late; /* the database took too long */
    unsigned code;
    const char *sentence;
    struct fm_blob *blob;
    struct fm_error error;
};

/* ---- by a worker ---- */

/* What changes whenever records are added or replaced, the analysis has run, or a tag is given. */
static enum fm_status find_state(struct fm_db *db, char state[STATE], struct fm_error *error)
{
    static const char *const statements[] = {
        "SELECT value FROM fathom WHERE name IN ('next_job', 'closed', 'thinned') ORDER BY name",
        "SELECT position FROM positions ORDER BY source DESC LIMIT 4",
        "SELECT SUM(records) FROM refused",
        "SELECT MAX(at) FROM tags",
        "SELECT value FROM fathom WHERE name LIKE 'analys%'",
    };
    size_t length = 0;
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < sizeof statements / sizeof *statements && !status; i++) {
        struct fm_query *query;
        bool row;
        status = fm_query_open(&query, db, statements[i], error);
        if (status)
            break;
        while (!(status = fm_query_next(query, &row, error)) && row && length + 1 < STATE)
            length += (size_t)snprintf(state + length, STATE - length, "/%s", fm_column_text(query, 0));
        fm_query_close(query);
    }
    return status;
}

static bool find_kept(struct site_task *work)
{
    struct fm_service *service = &work->server->service;
    pthread_mutex_lock(&service->tasks.lock);
    work->blob = fm_cache_find(&service->cache, work->kept_key);
    pthread_mutex_unlock(&service->tasks.lock);
    work->was_kept = work->blob;
    return work->was_kept;
}

struct writing {
    struct site_task *work;
    struct fm_store *store;
};

static enum fm_status write_answer(void *context, FILE *out, struct fm_error *error)
{
    struct writing *writing = context;
    struct site_task *work = writing->work;
    struct fm_site_answering answering = {
        .server = work->server,
        .request = &work->request,
        .scope = fm_site_scope_of(&work->request),
        .store = writing->store,
        .db = fm_store_db(writing->store),
        .out = out,
        .code = 200,
    };
    enum fm_status status = answers[work->answer].answer(&answering, error);
    work->code = answering.code;
    work->sentence = answering.sentence;
    fm_arena_destroy(&answering.arena);
    return status;
}

static enum fm_status make(struct site_task *work, struct fm_store *store)
{
    char state[STATE] = "";
    if (answers[work->answer].kept) {
        enum fm_status status = find_state(fm_store_db(store), state, &work->error);
        if (status)
            return status;
        snprintf(work->kept_key, sizeof work->kept_key, "%s|%s", work->task.key, state);
        if (find_kept(work)) {
            work->code = 200;
            return FM_OK;
        }
    }
    return fm_blob_of(write_answer, &(struct writing){work, store}, &work->blob, &work->error);
}

static void run(struct fm_task *task)
{
    struct site_task *work = (struct site_task *)task;
    struct fm_site_connections *connections = &work->server->connections;
    bool again = true;
    while (again) {
        struct fm_store *store;
        bool used = false;
        work->status = fm_site_connection_take(connections, answers[work->answer].access, &store, &used, &work->error);
        if (work->status)
            return;
        work->status = make(work, store);
        work->late = work->status && fm_db_was_late(fm_store_db(store));
        fm_site_connection_give(connections, store, work->status != FM_OK);
        again = work->status == FM_ERR_SYSTEM && used && !work->late; /* the database may have been restarted since */
    }
}

/* ---- by the thread that talks to clients ---- */

/* One line a minute: an administrator needs to know why, and not a thousand times. */
struct fm_answer fm_site_unavailable(const struct fm_error *error)
{
    static uint64_t said_ns;
    uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
    if (!said_ns || now > said_ns + SAY_AGAIN_NS) {
        fprintf(stderr, "fathom serve: %s\n", error->text);
        said_ns = now;
    }
    return fm_answer_error(503, "the database of the site does not answer at the moment; try again later");
}

static void finish(struct fm_task *task)
{
    struct site_task *work = (struct site_task *)task;
    struct fm_service *service = &work->server->service;
    enum fm_site_route_kind kind = work->request.route.kind;
    if (!work->code && !work->status) {
        task->answer = fm_answer_error(503, "the server ends");
    } else if (work->late) {
        task->answer = fm_answer_error(503,
                                       "the database takes too long for this question; ask for a shorter time or less");
    } else if (work->status) {
        task->answer = fm_site_unavailable(&work->error);
    } else if (work->code != 200) {
        task->answer = fm_answer_error(work->code, work->sentence);
        fm_blob_release(work->blob);
    } else {
        task->answer = (struct fm_answer){
            .code = 200, .kind = kind == FM_SITE_METRICS ? FM_ANSWER_METRICS : FM_ANSWER_JSON, .blob = work->blob};
        if (*work->kept_key)
            fm_service_tag(service, work->kept_key, task->answer.tag);
        if (*work->kept_key && !work->was_kept)
            fm_cache_put(&service->cache, work->kept_key, work->blob);
    }
}

/* The same for the same question of the same viewer, and for no other: names have no control characters. */
static bool write_key(const struct fm_site_request *request, char key[FM_TASK_KEY_BYTES])
{
    int length = snprintf(key, FM_TASK_KEY_BYTES, "site\t%d\t%lld\t%s\t%d", (int)request->route.kind,
                          (long long)request->route.job, request->viewer.name, request->viewer.staff);
    if (*request->route.slice)
        length += snprintf(key + length, (size_t)(FM_TASK_KEY_BYTES - length), "\t%s", request->route.slice);
    for (int i = 0; i < FM_SITE_N_PARAMETERS && length < FM_TASK_KEY_BYTES; i++)
        if (request->parameters.values[i])
            length += snprintf(key + length, (size_t)(FM_TASK_KEY_BYTES - length), "\t%d=%s", i,
                               request->parameters.values[i]);
    return length < FM_TASK_KEY_BYTES;
}

bool fm_site_work(struct fm_site_server *server, struct fm_http_request *request)
{
    const struct fm_site_request *asked = request->asked;
    char key[FM_TASK_KEY_BYTES];
    size_t i = 0;
    while (answers[i].kind != asked->route.kind)
        i++;
    if (!write_key(asked, key)) {
        request->answer = fm_answer_error(414, "the address is too long");
        return true;
    }
    if (answers[i].access == FM_DB_READ && fm_service_join(&server->service, key, request) == FM_SERVICE_WAITS)
        return false;
    struct site_task *work = calloc(1, sizeof *work);
    if (!work)
        return fm_service_begin(&server->service, NULL, request);
    strcpy(work->task.key, key);
    strcpy(work->task.owner, asked->viewer.name);
    work->server = server;
    work->answer = i;
    work->request = *asked;
    for (int j = 0; j < FM_SITE_N_PARAMETERS; j++) /* their texts are in the copy now */
        if (asked->parameters.values[j])
            work->request.parameters.values[j] = work->request.parameters.text +
                                                 (asked->parameters.values[j] - asked->parameters.text);
    if (asked->route.kind == FM_SITE_PROFILE)
        work->task.busy[work->task.n_busy++] = &server->kept.busy;
    if (answers[i].access == FM_DB_WRITE)
        work->task.busy[work->task.n_busy++] = &server->writes;
    work->task.run = run;
    work->task.finish = finish;
    work->task.meanwhile = fm_service_still_reading;
    return fm_service_begin(&server->service, &work->task, request);
}
