/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/jobs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site/store/classes.h"
#include "site/store/jobs_sql.h"
#include "site/store/schema.h"

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a list of jobs");
}

/* ---- one job ---- */

static const char *text_in(struct fm_arena *arena, const struct fm_query *query, int column, bool *failed)
{
    const char *text = fm_column_text(query, column);
    if (!*text)
        return "";
    const char *copy = fm_arena_strndup(arena, text, strlen(text));
    *failed |= !copy;
    return copy ? copy : "";
}

static void read_field(struct fm_record *record, const struct fm_record_field *field, const struct fm_query *query,
                       int column, struct fm_arena *arena, bool *failed)
{
    void *at = (char *)record + field->offset;
    if (fm_column_is_null(query, column))
        return;
    if (field->kind == FM_RECORD_KIND_TEXT)
        *(const char **)at = text_in(arena, query, column, failed);
    else if (field->kind == FM_RECORD_KIND_FLAG)
        *(int *)at = (int)fm_column_whole(query, column);
    else if (fm_schema_kind(field) == FM_VALUE_REAL)
        *(double *)at = fm_column_real(query, column);
    else
        *(int64_t *)at = fm_column_whole(query, column);
}

static bool read_job(struct fm_site_job *job, const struct fm_query *query, struct fm_arena *arena)
{
    bool failed = false;
    *job = (struct fm_site_job){.id = fm_column_whole(query, 0), .uid = fm_column_whole(query, 1)};
    fm_record_init(&job->record);
    for (int i = 0; i < FM_RECORD_N_FIELDS; i++)
        read_field(&job->record, &fm_record_fields[i], query, FM_JOBS_BEFORE + i, arena, &failed);
    int after = FM_JOBS_BEFORE + FM_RECORD_N_FIELDS;
    job->origin = (enum fm_store_origin)fm_column_whole(query, after);
    job->weight = fm_column_real(query, after + 1);
    job->wasted_s = fm_column_real(query, after + 3);
    job->mpi_fraction = fm_column_real(query, after + 4);
    return !failed;
}

static enum fm_status open_jobs(struct fm_query **query, struct fm_db *db, const char *where, struct fm_error *error)
{
    struct fm_bulk_column columns[FM_JOBS_COLUMNS];
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    fm_schema_jobs_columns(columns);
    for (size_t i = 0; i < FM_JOBS_COLUMNS; i++)
        fm_write(&sql, "%s%s", i ? ", " : "SELECT ", columns[i].name);
    fm_write(&sql, " FROM jobs WHERE %s", where);
    const char *text = fm_writer_text(&sql);
    enum fm_status status = text ? fm_query_open(query, db, text, error) : no_memory(error);
    fm_arena_destroy(&arena);
    return status;
}

/* The first one, and the rules of all. */
static enum fm_status read_findings(struct fm_site_job *job, struct fm_db *db, struct fm_arena *arena,
                                    struct fm_error *error)
{
    struct fm_query *query;
    bool row, failed = false;
    size_t capacity = 0;
    enum fm_status status = fm_query_open(&query, db,
                                          "SELECT rule, text, function, file, line, cost_s, measured FROM findings "
                                          "WHERE job = $1 AND started = $2 ORDER BY number",
                                          error);
    if (status)
        return status;
    fm_query_whole(query, 1, job->id);
    fm_query_whole(query, 2, job->record.started);
    while (!failed && !(status = fm_query_next(query, &row, error)) && row) {
        if (job->n_rules == capacity)
            job->rules = fm_arena_grow(arena, job->rules, &capacity, job->n_rules + 1, sizeof *job->rules);
        failed = !job->rules;
        if (failed)
            break;
        job->rules[job->n_rules++] = text_in(arena, query, 0, &failed);
        if (job->finding)
            continue;
        struct fm_record_finding *finding = fm_arena_alloc(arena, sizeof *finding);
        failed |= !finding;
        if (finding)
            *finding = (struct fm_record_finding){.rule = job->rules[0],
                                                  .text = text_in(arena, query, 1, &failed),
                                                  .function = text_in(arena, query, 2, &failed),
                                                  .file = text_in(arena, query, 3, &failed),
                                                  .line = fm_column_whole(query, 4),
                                                  .cost_s = fm_column_real(query, 5),
                                                  .measured = (int)fm_column_whole(query, 6)};
        job->finding = finding;
    }
    fm_query_close(query);
    return failed ? no_memory(error) : status;
}

/* What is asked for is in the statement: id, start (below 0: unknown), owner (NULL: anybody). */
static enum fm_status find(struct fm_db *db, int64_t id, int64_t started, const char *owner, struct fm_arena *arena,
                           struct fm_site_job *job, bool *found, struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = open_jobs(&query, db,
                                      started >= 0 ? "id = $1 AND started = $2"
                                      : owner      ? "id = $1 AND user_name = $2"
                                                   : "id = $1",
                                      error);
    if (status)
        return status;
    fm_query_whole(query, 1, id);
    if (started >= 0)
        fm_query_whole(query, 2, started);
    else if (owner)
        fm_query_text(query, 2, owner);
    status = fm_query_next(query, found, error);
    if (!status && *found && !read_job(job, query, arena))
        status = no_memory(error);
    fm_query_close(query);
    return status || !*found ? status : read_findings(job, db, arena, error);
}

enum fm_status fm_site_job_find(struct fm_store *store, int64_t id, const char *owner, struct fm_arena *arena,
                                struct fm_site_job *job, bool *found, struct fm_error *error)
{
    *found = false;
    enum fm_status status = find(fm_store_db(store), id, -1, owner, arena, job, found, error);
    *found = !status && *found;
    return status;
}

/* ---- pages ---- */

/* More than any figure, and far less than what a whole number can be. */
#define FIGURE_MOST 1e18

/* "v:figure:id", or "n:id" among the jobs without the figure. */
struct jobs_position {
    enum fm_jobs_phase phase;
    double figure;
    int64_t id;
};

static bool read_cursor(const char *text, struct jobs_position *position)
{
    char *end;
    *position = (struct jobs_position){.phase = FM_PHASE_FIRST};
    if (!*text)
        return true;
    if (strncmp(text, "n:", 2) == 0) {
        position->phase = FM_PHASE_UNKNOWN;
        position->id = strtoll(text + 2, &end, 10);
        return text[2] && !*end;
    }
    position->phase = FM_PHASE_AFTER;
    if (strncmp(text, "v:", 2) != 0)
        return false;
    position->figure = strtod(text + 2, &end);
    if (end == text + 2 || *end != ':' || !(fabs(position->figure) <= FIGURE_MOST))
        return false;
    const char *id = end + 1;
    position->id = strtoll(id, &end, 10);
    return *id && !*end;
}

static void write_cursor(struct fm_jobs_cursor *cursor, const struct jobs_position *position)
{
    if (position->phase == FM_PHASE_UNKNOWN)
        snprintf(cursor->text, sizeof cursor->text, "n:%" PRId64, position->id);
    else
        snprintf(cursor->text, sizeof cursor->text, "v:%.17g:%" PRId64, position->figure, position->id);
}

struct listed_job {
    int64_t id, started;
};

struct jobs_request {
    struct fm_db *db;
    const struct fm_jobs_filter *filter;
    enum fm_jobs_lead lead;
    enum fm_jobs_order order;
    bool descending;
    size_t limit;
    struct jobs_position position; /* of the last one found */
    struct listed_job found[FM_JOBS_PAGE_MAX + 1];
    size_t n;
};

static void bind_page(struct fm_query *query, const struct jobs_request *request)
{
    int parameter = 1;
    const struct jobs_position *position = &request->position;
    fm_jobs_bind_filter(query, request->filter, &parameter);
    if (position->phase == FM_PHASE_AFTER && request->order == FM_JOBS_BY_ENDED)
        fm_query_whole(query, parameter++, (int64_t)position->figure);
    else if (position->phase == FM_PHASE_AFTER)
        fm_query_real(query, parameter++, position->figure);
    if (position->phase != FM_PHASE_FIRST)
        fm_query_whole(query, parameter++, position->id);
    fm_query_whole(query, parameter, (int64_t)(request->limit - request->n));
}

/* Fills the page with jobs of one phase. */
static enum fm_status find_phase(struct jobs_request *request, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    struct fm_query *query = NULL;
    bool row;
    fm_jobs_write_page(&sql, request->db, request->filter, request->lead, request->order, request->descending,
                       request->position.phase);
    const char *text = fm_writer_text(&sql);
    enum fm_status status = text ? fm_query_open(&query, request->db, text, error) : no_memory(error);
    if (!status)
        bind_page(query, request);
    while (!status && !(status = fm_query_next(query, &row, error)) && row && request->n < request->limit) {
        request->found[request->n++] = (struct listed_job){fm_column_whole(query, 0), fm_column_whole(query, 1)};
        request->position.id = fm_column_whole(query, 0);
        if (request->position.phase != FM_PHASE_UNKNOWN)
            request->position = (struct jobs_position){FM_PHASE_AFTER, fm_column_real(query, 2), request->position.id};
    }
    fm_query_close(query);
    fm_arena_destroy(&arena);
    return status;
}

static enum fm_status find_page(struct jobs_request *request, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    if (request->position.phase != FM_PHASE_UNKNOWN) {
        status = find_phase(request, error);
        if (!status && request->n < request->limit)
            request->position = (struct jobs_position){.phase = FM_PHASE_UNKNOWN,
                                                       .id = request->descending ? INT64_MAX : -1};
    }
    if (!status && request->n < request->limit)
        status = find_phase(request, error);
    return status;
}

enum fm_status fm_jobs_page(struct fm_store *store, const struct fm_jobs_filter *filter, enum fm_jobs_order order,
                            bool descending, const struct fm_jobs_cursor *after, size_t limit, struct fm_arena *arena,
                            struct fm_jobs_page *page, struct fm_error *error)
{
    struct jobs_request *request = calloc(1, sizeof *request);
    if (!request)
        return no_memory(error);
    *request = (struct jobs_request){
        .db = fm_store_db(store), .filter = filter, .order = order, .descending = descending};
    request->limit = limit < 1 ? 1 : limit > FM_JOBS_PAGE_MAX ? FM_JOBS_PAGE_MAX : limit;
    *page = (struct fm_jobs_page){0};
    enum fm_status status = FM_OK;
    if (!read_cursor(after ? after->text : "", &request->position))
        status = fm_fail(error, FM_ERR_USAGE, "'%s' is not the end of a page of jobs", after->text);
    if (!status)
        status = fm_jobs_choose_lead(request->db, filter, &request->lead, error);
    if (!status)
        status = find_page(request, error);
    if (!status && !(page->jobs = fm_arena_alloc(arena, (request->n + 1) * sizeof *page->jobs)))
        status = no_memory(error);
    for (size_t i = 0; i < request->n && !status && page->jobs; i++) {
        bool found = false; /* a job may be deleted in between */
        status = find(request->db, request->found[i].id, request->found[i].started, NULL, arena, &page->jobs[page->n],
                      &found, error);
        page->n += found && !status;
    }
    if (!status && request->n == request->limit)
        write_cursor(&page->next, &request->position);
    free(request);
    return status;
}

char *fm_jobs_page_sql(struct fm_store *store, const struct fm_jobs_filter *filter, enum fm_jobs_order order,
                       bool descending, bool first, struct fm_error *error)
{
    enum fm_jobs_lead lead;
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    if (fm_jobs_choose_lead(fm_store_db(store), filter, &lead, error))
        return NULL;
    fm_jobs_write_page(&sql, fm_store_db(store), filter, lead, order, descending,
                       first ? FM_PHASE_FIRST : FM_PHASE_AFTER);
    const char *text = fm_writer_text(&sql);
    char *copy = text ? strdup(text) : NULL;
    fm_arena_destroy(&arena);
    return copy;
}

/* ---- fitting ---- */

static bool text_fits(const char *wanted, const char *text)
{
    return !wanted || strcmp(wanted, text) == 0;
}

static bool has_rule(const struct fm_site_job *job, const char *rule)
{
    for (size_t i = 0; i < job->n_rules; i++)
        if (strcmp(job->rules[i], rule) == 0)
            return true;
    return false;
}

bool fm_jobs_filter_fits(const struct fm_jobs_filter *filter, const struct fm_site_job *job)
{
    const struct fm_record *record = &job->record;
    return text_fits(filter->owner, record->user) && text_fits(filter->user, record->user) &&
           text_fits(filter->program, record->program) && text_fits(filter->account, record->account) &&
           text_fits(filter->partition, record->partition) && (!filter->rule || has_rule(job, filter->rule)) &&
           (filter->uid < 0 || job->uid == filter->uid) &&
           (filter->least_ranks < 0 || record->ranks >= filter->least_ranks) &&
           (filter->most_ranks < 0 || (record->ranks >= 0 && record->ranks <= filter->most_ranks)) &&
           (filter->from < 0 || record->ended >= filter->from) &&
           (filter->to < 0 || (record->ended >= 0 && record->ended < filter->to)) &&
           (filter->complete < 0 || record->complete == filter->complete) &&
           (filter->least_mpi < 0 || job->mpi_fraction >= filter->least_mpi);
}

/* ---- counting ---- */

enum { NO_DAY = INT32_MAX }; /* later than every job */

/* Of the jobs that `from` selects; with `between`, its parameters are the first second and the one after the last. */
static enum fm_status run_count(struct fm_db *db, const struct fm_jobs_filter *filter, enum fm_jobs_lead lead,
                                const char *from, bool between, double *jobs, struct fm_error *error)
{
    int first = between ? 3 : 1;
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    struct fm_query *query = NULL;
    bool row;
    int parameter = first;
    fm_write(&sql, "SELECT COUNT(*) FROM %s WHERE 1 = 1", from);
    fm_jobs_write_filter(&sql, db, filter, lead, FM_JOBS_BY_ENDED, &parameter);
    const char *text = fm_writer_text(&sql);
    enum fm_status status = text ? fm_query_open(&query, db, text, error) : no_memory(error);
    fm_arena_destroy(&arena);
    if (status)
        return status;
    if (between) {
        fm_query_whole(query, 1, filter->from);
        fm_query_whole(query, 2, filter->to < 0 ? INT64_MAX : filter->to);
    }
    parameter = first;
    fm_jobs_bind_filter(query, filter, &parameter);
    status = fm_query_next(query, &row, error);
    *jobs = status ? 0 : fm_column_real(query, 0);
    fm_query_close(query);
    return status;
}

/* About how many jobs there are: counting millions takes longer than a page may. */
static enum fm_status about_all(struct fm_db *db, double *jobs, struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(&query, db, "SELECT (SELECT MIN(id) FROM jobs), (SELECT MAX(id) FROM jobs)",
                                          error);
    if (status)
        return status;
    status = fm_query_next(query, &row, error);
    *jobs = status || fm_column_is_null(query, 0) ? 0 : fm_column_real(query, 1) - fm_column_real(query, 0) + 1;
    fm_query_close(query);
    return status;
}

/* How many ended in the days of the filter, by the roll-ups: those of months, and of the days before and after them. */
static enum fm_status about_days(struct fm_db *db, const struct fm_jobs_filter *filter, double *jobs,
                                 struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    int64_t from = filter->from < 0 ? 0 : fm_day_of(filter->from), to = filter->to < 0 ? NO_DAY : fm_day_of(filter->to);
    int64_t first = fm_month_first_day(from), last = filter->to < 0 ? NO_DAY : fm_month_first_day(to);
    if (first < from)
        first = fm_month_first_day(first + 31); /* the next month */
    if (last < first)
        first = last = to;
    enum fm_status status = fm_query_open(
        &query, db,
        "SELECT COALESCE((SELECT SUM(jobs) FROM month_classes WHERE day >= $2 AND day < $3), 0) + "
        "COALESCE((SELECT SUM(jobs) FROM day_classes WHERE day >= $1 AND day < $2), 0) + "
        "COALESCE((SELECT SUM(jobs) FROM day_classes WHERE day >= $3 AND day < $4), 0)",
        error);
    if (status)
        return status;
    const int64_t days[] = {from, first, last, to};
    for (int i = 0; i < 4; i++)
        fm_query_whole(query, i + 1, days[i]);
    status = fm_query_next(query, &row, error);
    *jobs = status ? 0 : fm_column_real(query, 0);
    fm_query_close(query);
    return status;
}

enum fm_status fm_jobs_count(struct fm_store *store, const struct fm_jobs_filter *filter, double *jobs, bool *exact,
                             struct fm_error *error)
{
    struct fm_db *db = fm_store_db(store);
    enum fm_jobs_lead lead;
    double all = 0;
    *exact = true;
    enum fm_status status = fm_jobs_choose_lead(db, filter, &lead, error);
    bool between = filter->from >= 0 || filter->to >= 0;
    if (!status)
        status = between ? about_days(db, filter, &all, error) : about_all(db, &all, error);
    if (status)
        return status;
    if (lead || all <= FM_JOBS_FEW)
        return run_count(db, filter, lead, "jobs", false, jobs, error);
    /* what fits among the latest jobs, or the latest of these days, scaled to all of them */
    *exact = false;
    const char *latest = between ? "(SELECT * FROM jobs WHERE ended >= $1 AND ended < $2 "
                                   "ORDER BY ended DESC LIMIT 2000) AS jobs"
                                 : "(SELECT * FROM jobs ORDER BY ended DESC LIMIT 2000) AS jobs";
    status = run_count(db, filter, FM_LEAD_NONE, latest, between, jobs, error);
    *jobs *= all / FM_JOBS_SAMPLE;
    return status;
}
