/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/mail/details.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_S = 86400, KEY_BYTES = 2048 };

/* A row is a finding, or a job without one. */
static const char question[] =
    "SELECT j.job_id, j.program, j.ranks, j.ended, j.complete, j.cpu_s, j.wasted_s, j.mpi_fraction, j.parallel, j.weight, "
    "f.number, f.rule, f.cost_s, f.function, f.file, f.line, f.text, j.id FROM jobs j LEFT JOIN findings f ON f.job = j.id AND "
    "f.started = j.started WHERE j.user_name = $1 AND j.ended >= $2 AND j.ended < $3";
enum selected {
    JOB_ID,
    PROGRAM,
    RANKS,
    ENDED,
    COMPLETE,
    CPU_S,
    WASTED_S,
    MPI_FRACTION,
    PARALLEL,
    WEIGHT,
    NUMBER,
    RULE,
    COST_S,
    FUNCTION,
    FILE_NAME,
    LINE,
    TEXT,
    JOB
};

struct collection {
    struct fm_mail_details *details;
    struct fm_arena *arena;
    struct fm_intern known; /* keys of findings, with their number + 1 */
    size_t capacity;
    bool failed;
};

static const char *copy(struct collection *collection, const struct fm_query *query, int column)
{
    const char *text = fm_column_text(query, column);
    const char *copied = fm_arena_strndup(collection->arena, text, strlen(text));
    collection->failed = collection->failed || !copied;
    return copied ? copied : "";
}

/* ---- findings ---- */

/* Made anew if it has not been seen; NULL if out of memory. */
static struct fm_mail_finding *find_finding(struct collection *collection, const struct fm_query *query)
{
    struct fm_mail_details *details = collection->details;
    char key[KEY_BYTES];
    snprintf(key, sizeof key, "%" PRId64 "\n%s\n%s\n%s\n%s", fm_column_whole(query, LINE), fm_column_text(query, RULE),
             fm_column_text(query, PROGRAM), fm_column_text(query, FILE_NAME), fm_column_text(query, FUNCTION));
    struct fm_intern_slot *slot = fm_intern_put(&collection->known, collection->arena, key, true);
    if (!slot)
        return NULL;
    if (slot->number)
        return &details->findings[slot->number - 1];
    if (details->n_findings == collection->capacity) {
        struct fm_mail_finding *grown = fm_arena_grow(collection->arena, details->findings, &collection->capacity,
                                                      details->n_findings + 1, sizeof *grown);
        if (!grown)
            return NULL;
        details->findings = grown;
    }
    slot->number = (uint32_t)details->n_findings + 1;
    struct fm_mail_finding *finding = &details->findings[details->n_findings++];
    *finding = (struct fm_mail_finding){
        .program = copy(collection, query, PROGRAM),
        .rule = copy(collection, query, RULE),
        .file = copy(collection, query, FILE_NAME),
        .function = copy(collection, query, FUNCTION),
        .text = "",
        .line = fm_column_whole(query, LINE),
        .most_s = -1,
    };
    return finding;
}

static void add_finding(struct collection *collection, const struct fm_query *query)
{
    double cost_s = fm_column_real(query, COST_S), weight = fm_column_real(query, WEIGHT);
    if (fm_column_is_null(query, NUMBER) || !(cost_s > 0))
        return;
    struct fm_mail_finding *finding = find_finding(collection, query);
    if (!finding) {
        collection->failed = true;
        return;
    }
    finding->cost_s += cost_s * weight;
    finding->jobs += weight;
    if (cost_s > finding->most_s) {
        finding->most_s = cost_s;
        finding->ranks = fm_column_whole(query, RANKS);
        finding->job = fm_column_whole(query, JOB);
        finding->text = copy(collection, query, TEXT);
    }
}

static int by_cost(const void *a, const void *b)
{
    const struct fm_mail_finding *x = a, *y = b;
    int order = (x->cost_s < y->cost_s) - (x->cost_s > y->cost_s);
    return order ? order : strcmp(x->program, y->program);
}

/* ---- jobs ---- */

/* Most wasted first; what is unknown comes after what is known to be nothing. */
static bool goes_before(const struct fm_mail_job *a, const struct fm_mail_job *b)
{
    if (isnan(a->wasted_s) != isnan(b->wasted_s))
        return !isnan(a->wasted_s);
    return !isnan(a->wasted_s) && a->wasted_s != b->wasted_s ? a->wasted_s > b->wasted_s : a->cpu_s > b->cpu_s;
}

/* Keeps the jobs sorted. A job with several findings comes several times: its place is that of the first one. */
static void add_job(struct collection *collection, const struct fm_query *query)
{
    struct fm_mail_details *details = collection->details;
    struct fm_mail_job job = {
        .job = fm_column_whole(query, JOB),
        .ranks = fm_column_whole(query, RANKS),
        .ended = fm_column_whole(query, ENDED),
        .line = fm_column_whole(query, LINE),
        .complete = fm_column_is_null(query, COMPLETE) ? -1 : (int)fm_column_whole(query, COMPLETE),
        .cpu_s = fm_column_real(query, CPU_S),
        .wasted_s = fm_column_real(query, WASTED_S),
        .mpi_fraction = fm_column_real(query, MPI_FRACTION),
        .parallel = fm_column_real(query, PARALLEL),
    };
    size_t place = details->n_jobs;
    while (place && goes_before(&job, &details->jobs[place - 1]))
        place--;
    if (!fm_column_is_null(query, NUMBER) && fm_column_whole(query, NUMBER) != 0)
        return;
    if (place == FM_MAIL_JOBS)
        return;
    job.id = copy(collection, query, JOB_ID);
    job.program = copy(collection, query, PROGRAM);
    job.file = copy(collection, query, FILE_NAME);
    job.function = copy(collection, query, FUNCTION);
    job.rule = copy(collection, query, RULE);
    size_t moved = (details->n_jobs < FM_MAIL_JOBS ? details->n_jobs : FM_MAIL_JOBS - 1) - place;
    memmove(&details->jobs[place + 1], &details->jobs[place], moved * sizeof job);
    details->jobs[place] = job;
    details->n_jobs = place + 1 + moved;
}

/* ---- all ---- */

enum fm_status fm_mail_details_read(struct fm_mail_details *details, struct fm_db *db, const char *user,
                                    const struct fm_mail_period *period, struct fm_arena *arena, struct fm_error *error)
{
    *details = (struct fm_mail_details){0};
    struct collection collection = {.details = details, .arena = arena};
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, db, question, error);
    if (status)
        return status;
    fm_query_stream(query);
    fm_query_text(query, 1, user);
    fm_query_whole(query, 2, period->from * DAY_S);
    fm_query_whole(query, 3, period->until * DAY_S);
    for (bool row = true; !status && row;) {
        status = fm_query_next(query, &row, error);
        if (status || !row)
            break;
        add_finding(&collection, query);
        add_job(&collection, query);
        if (collection.failed)
            status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the jobs of a user");
    }
    fm_query_close(query);
    if (details->n_findings)
        qsort(details->findings, details->n_findings, sizeof *details->findings, by_cost);
    return status;
}
