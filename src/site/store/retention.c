/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "site/store/retention.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site/store/classes.h"
#include "site/store/schema.h"

enum { DAY_S = 86400 };

/* ---- common ---- */

static enum fm_status number_of(struct fm_db *db, const char *sql, int64_t from, int64_t to, int64_t *number,
                                struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(&query, db, sql, error);
    if (status)
        return status;
    fm_query_whole(query, 1, from);
    fm_query_whole(query, 2, to);
    status = fm_query_next(query, &row, error);
    *number = !status && row && !fm_column_is_null(query, 0) ? fm_column_whole(query, 0) : -1;
    fm_query_close(query);
    return status;
}

static enum fm_status run_between(struct fm_db *db, const char *sql, int64_t from, int64_t to, struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, db, sql, error);
    if (status)
        return status;
    fm_query_whole(query, 1, from);
    fm_query_whole(query, 2, to);
    status = fm_query_run(query, error);
    fm_query_close(query);
    return status;
}

/* Moves a mark of the table `fathom` forward, never back. */
static enum fm_status set_mark(struct fm_db *db, const char *name, int64_t value, struct fm_error *error)
{
    char *old, text[24];
    enum fm_status status = fm_schema_get(db, name, &old, error);
    snprintf(text, sizeof text, "%" PRId64, value);
    if (!status && (!old || strtoll(old, NULL, 10) < value))
        status = fm_schema_set(db, name, text, error);
    free(old);
    return status;
}

/* What is done with the jobs that started on a day, within a transaction. */
typedef enum fm_status treat_day(struct fm_store *store, int64_t from, int64_t to, const struct fm_thinning *thinning,
                                 uint64_t *deleted, struct fm_error *error);

static enum fm_status treat_one(struct fm_store *store, int64_t from, int64_t to, const struct fm_thinning *thinning,
                                treat_day *treat, const char *mark, uint64_t *deleted, struct fm_error *error)
{
    uint64_t now_deleted = 0;
    enum fm_status status = fm_store_begin(store, error);
    if (status)
        return status;
    status = set_mark(fm_store_db(store), "closed", to, error);
    if (!status && mark)
        status = set_mark(fm_store_db(store), mark, to, error);
    if (!status)
        status = treat(store, from, to, thinning, &now_deleted, error);
    if (status) {
        fm_store_rollback(store);
        return status;
    }
    status = fm_store_commit(store, error);
    *deleted += status ? 0 : now_deleted;
    return status;
}

static enum fm_status treat_days(struct fm_store *store, int64_t from, int64_t before,
                                 const struct fm_thinning *thinning, treat_day *treat, const char *mark,
                                 uint64_t *deleted, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    int64_t first = 0;
    while (!status && first >= 0) {
        status = number_of(fm_store_db(store), "SELECT MIN(started) FROM jobs WHERE started >= $1 AND started < $2",
                           from, before, &first, error);
        if (status || first < 0)
            break;
        int64_t to = (fm_day_of(first) + 1) * DAY_S;
        status = treat_one(store, first, to < before ? to : before, thinning, treat, mark, deleted, error);
        from = to;
    }
    return status;
}

/* ---- deleting ---- */

/* From tags to jobs: there are few tags. */
#define DELETE_TAGS                                                                        \
    "DELETE FROM tags WHERE job IN (SELECT t.job FROM tags t JOIN jobs j ON j.id = t.job " \
    "WHERE j.started >= $1 AND j.started < $2)"

static enum fm_status delete_day(struct fm_store *store, int64_t from, int64_t to, const struct fm_thinning *thinning,
                                 uint64_t *deleted, struct fm_error *error)
{
    static const char *const statements[] = {
#define OF_THESE_JOBS \
    " WHERE started >= $1 AND started < $2 AND job IN (SELECT id FROM jobs WHERE started >= $1 AND started < $2)"
        DELETE_TAGS,
        "DELETE FROM documents" OF_THESE_JOBS,
        "DELETE FROM findings" OF_THESE_JOBS,
        "DELETE FROM hosts" OF_THESE_JOBS,
#undef OF_THESE_JOBS
        "DELETE FROM jobs WHERE started >= $1 AND started < $2",
    };
    (void)thinning;
    struct fm_db *db = fm_store_db(store);
    int64_t jobs;
    enum fm_status status = number_of(db, "SELECT COUNT(*) FROM jobs WHERE started >= $1 AND started < $2", from, to,
                                      &jobs, error);
    for (size_t i = 0; i < sizeof statements / sizeof *statements && !status; i++)
        status = run_between(db, statements[i], from, to, error);
    *deleted = status ? 0 : (uint64_t)jobs;
    return status;
}

/* PostgreSQL: a month that is over as a whole goes with its partitions. */
static enum fm_status drop_month(struct fm_store *store, int64_t start, int64_t before, uint64_t *deleted,
                                 struct fm_error *error)
{
    struct fm_db *db = fm_store_db(store);
    int year, month;
    int64_t from = fm_month_start(start, 0, &year, &month), to = fm_month_start(start, 1, NULL, NULL), jobs = 0;
    char sql[256];
    if (to > before)
        return FM_OK;
    snprintf(sql, sizeof sql,
             "DROP TABLE IF EXISTS jobs_%04d_%02d, documents_%04d_%02d, findings_%04d_%02d, hosts_%04d_%02d", year,
             month, year, month, year, month, year, month);
    enum fm_status status = fm_store_begin(store, error);
    if (!status)
        status = number_of(db, "SELECT COUNT(*) FROM jobs WHERE started >= $1 AND started < $2", from, to, &jobs,
                           error);
    if (!status)
        status = set_mark(db, "closed", to, error);
    if (!status)
        status = run_between(db, DELETE_TAGS, from, to, error);
    if (!status)
        status = fm_db_run(db, sql, error);
    if (status) {
        fm_store_rollback(store);
        return status;
    }
    status = fm_store_commit(store, error);
    *deleted += status ? 0 : (uint64_t)jobs;
    return status;
}

static enum fm_status drop_months(struct fm_store *store, int64_t before, uint64_t *deleted, struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    int64_t starts[1024];
    size_t n = 0;
    enum fm_status status = fm_query_open(&query, fm_store_db(store),
                                          "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid "
                                          "WHERE i.inhparent = CAST('jobs' AS regclass)",
                                          error);
    if (status)
        return status;
    while (!(status = fm_query_next(query, &row, error)) && row && n < 1024) {
        int year, month;
        if (sscanf(fm_column_text(query, 0), "jobs_%4d_%2d", &year, &month) == 2)
            starts[n++] = fm_month_start(0, (year - 1970) * 12 + month - 1, NULL, NULL);
    }
    fm_query_close(query);
    for (size_t i = 0; i < n && !status; i++)
        status = drop_month(store, starts[i], before, deleted, error);
    return status;
}

enum fm_status fm_store_delete(struct fm_store *store, int64_t before, uint64_t *deleted, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    *deleted = 0;
    if (fm_db_kind(fm_store_db(store)) == FM_DB_POSTGRES)
        status = drop_months(store, before, deleted, error);
    return status ? status : treat_days(store, 0, before, NULL, delete_day, NULL, deleted, error);
}

/* ---- thinning ---- */

/* A tiny job. Those that are alike in all but CPU time have the same group. */
struct tiny_job {
    int64_t job, started;
    double weight;
    uint32_t group;
    bool kept;
};

struct tiny_jobs {
    struct tiny_job *items;
    size_t n, capacity;
};

static enum fm_status read_tiny(struct fm_query *query, struct tiny_jobs *jobs, struct fm_error *error)
{
    bool row;
    char *last = NULL;
    uint32_t group = 0;
    enum fm_status status;
    while (!(status = fm_query_next(query, &row, error)) && row) {
        char *alike = NULL;
        if (jobs->n == jobs->capacity) {
            size_t capacity = jobs->capacity ? 2 * jobs->capacity : 1024;
            struct tiny_job *larger = realloc(jobs->items, capacity * sizeof *larger);
            if (larger)
                jobs->capacity = capacity;
            jobs->items = larger ? larger : jobs->items;
        }
        if (jobs->n == jobs->capacity || asprintf(&alike, "%s\n%s\n%" PRId64, fm_column_text(query, 3),
                                                  fm_column_text(query, 4), fm_column_whole(query, 5)) < 0) {
            status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the jobs of a day");
            break;
        }
        group += last && strcmp(last, alike) != 0;
        free(last);
        last = alike;
        jobs->items[jobs->n++] = (struct tiny_job){.job = fm_column_whole(query, 0),
                                                   .started = fm_column_whole(query, 1),
                                                   .weight = fm_column_real(query, 2),
                                                   .group = group};
    }
    free(last);
    return status;
}

static enum fm_status find_tiny(struct fm_db *db, int64_t from, int64_t to, const struct fm_thinning *thinning,
                                struct tiny_jobs *jobs, struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(
        &query, db,
        "SELECT id, started, weight, user_name, program, ranks FROM jobs WHERE started >= $1 AND started < $2 "
        "AND cpu_s < $3 AND wall_s < $4 AND ranks < $5 ORDER BY user_name, program, ranks, cpu_s, id",
        error);
    if (status)
        return status;
    fm_query_whole(query, 1, from);
    fm_query_whole(query, 2, to);
    fm_query_real(query, 3, thinning->cpu_s);
    fm_query_real(query, 4, thinning->wall_s);
    fm_query_whole(query, 5, thinning->ranks);
    status = read_tiny(query, jobs, error);
    fm_query_close(query);
    return status;
}

/* Keeps one of so many of a group, evenly over its order, and gives them the weight of all. */
static void choose(struct tiny_job *group, size_t n, unsigned one_of)
{
    size_t wanted = (n + one_of - 1) / one_of;
    double all = 0, kept = 0;
    for (size_t i = 0; i < n; i++) {
        group[i].kept = (i * wanted + n / 2) / n != ((i + 1) * wanted + n / 2) / n;
        all += group[i].weight;
        kept += group[i].kept ? group[i].weight : 0;
    }
    for (size_t i = 0; i < n; i++)
        group[i].weight *= group[i].kept ? all / kept : 1;
}

static enum fm_status set_weights(struct fm_db *db, const struct tiny_jobs *jobs, struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, db, "UPDATE jobs SET weight = $3 WHERE id = $1 AND started = $2",
                                          error);
    if (status)
        return status;
    for (size_t i = 0; i < jobs->n && !status; i++) {
        if (!jobs->items[i].kept)
            continue;
        fm_query_whole(query, 1, jobs->items[i].job);
        fm_query_whole(query, 2, jobs->items[i].started);
        fm_query_real(query, 3, jobs->items[i].weight);
        status = fm_query_run(query, error);
    }
    fm_query_close(query);
    return status;
}

/* Jobs to be deleted go through the table of the batch, which is empty here. */
static enum fm_status delete_others(struct fm_db *db, const struct tiny_jobs *jobs, int64_t from, int64_t to,
                                    struct fm_error *error)
{
    static const struct fm_bulk_column columns[] = {
        {"number", FM_VALUE_WHOLE}, {"uid", FM_VALUE_WHOLE}, {"key", FM_VALUE_TEXT}, {"started", FM_VALUE_WHOLE}};
    static const char *const statements[] = {
        "DELETE FROM documents WHERE started >= $1 AND started < $2 AND job IN (SELECT number FROM batch)",
        "DELETE FROM findings WHERE started >= $1 AND started < $2 AND job IN (SELECT number FROM batch)",
        "DELETE FROM hosts WHERE started >= $1 AND started < $2 AND job IN (SELECT number FROM batch)",
        ("DELETE FROM tags WHERE job IN (SELECT t.job FROM tags t JOIN batch b ON b.number = t.job JOIN jobs j ON "
         "j.id = t.job WHERE j.started >= $1 AND j.started < $2)"),
        "DELETE FROM jobs WHERE started >= $1 AND started < $2 AND id IN (SELECT number FROM batch)",
    };
    struct fm_bulk *bulk;
    enum fm_status status = fm_db_run(db, "DELETE FROM batch", error);
    if (!status)
        status = fm_bulk_open(&bulk, db, &(struct fm_bulk_target){"batch", columns, 4, 0}, error);
    if (status)
        return status;
    for (size_t i = 0; i < jobs->n && !status; i++) {
        if (jobs->items[i].kept)
            continue;
        fm_bulk_whole(bulk, jobs->items[i].job);
        fm_bulk_whole(bulk, 0);
        fm_bulk_text(bulk, "");
        fm_bulk_whole(bulk, jobs->items[i].started);
        status = fm_bulk_row(bulk, error);
    }
    if (status) {
        fm_bulk_abandon(bulk);
        return status;
    }
    status = fm_bulk_end(bulk, error);
    for (size_t i = 0; i < sizeof statements / sizeof *statements && !status; i++)
        status = run_between(db, statements[i], from, to, error);
    return status ? status : fm_db_run(db, "DELETE FROM batch", error);
}

static enum fm_status thin_day(struct fm_store *store, int64_t from, int64_t to, const struct fm_thinning *thinning,
                               uint64_t *deleted, struct fm_error *error)
{
    struct tiny_jobs jobs = {0};
    struct fm_db *db = fm_store_db(store);
    enum fm_status status = find_tiny(db, from, to, thinning, &jobs, error);
    for (size_t first = 0, end; first < jobs.n && !status; first = end) {
        for (end = first; end < jobs.n && jobs.items[end].group == jobs.items[first].group; end++)
            ;
        choose(jobs.items + first, end - first, thinning->one_of);
    }
    if (!status)
        status = set_weights(db, &jobs, error);
    if (!status)
        status = delete_others(db, &jobs, from, to, error);
    for (size_t i = 0; i < jobs.n && !status; i++)
        *deleted += !jobs.items[i].kept;
    free(jobs.items);
    return status;
}

enum fm_status fm_store_thin(struct fm_store *store, const struct fm_thinning *thinning, uint64_t *deleted,
                             struct fm_error *error)
{
    char *mark;
    *deleted = 0;
    enum fm_status status = fm_schema_get(fm_store_db(store), "thinned", &mark, error);
    int64_t from = mark ? strtoll(mark, NULL, 10) : 0;
    free(mark);
    return status ? status : treat_days(store, from, thinning->before, thinning, thin_day, "thinned", deleted, error);
}
