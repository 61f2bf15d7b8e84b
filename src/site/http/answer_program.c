/* SPDX-License-Identifier: BSD-3-Clause */
/* The history and scaling of a program: its latest runs, medians by number of ranks, and where their time in MPI went. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/writer.h"
#include "site/http/insight_list.h"
#include "site/store/rollup.h"

enum { RUNS = 400, SCALING_RUNS = 2000, STEPS = 64, OF_STEP = 4, ROUTINES = 10, SUMMED = 512 };

/* Parameters: program; and the user, if there is one. */
static enum fm_status open_query(struct fm_site_answering *answering, struct fm_query **query, const char *before,
                                 const char *user_condition, const char *after, struct fm_error *error)
{
    struct fm_writer sql = {.arena = &answering->arena};
    const char *user = answering->scope.user;
    fm_write(&sql, "%s%s%s", before ? before : "", user ? user_condition : "", after);
    const char *text = fm_writer_text(&sql);
    *query = NULL;
    enum fm_status status = text ? fm_query_open(query, answering->db, text, error)
                                 : fm_fail(error, FM_ERR_MEMORY, "not enough memory for a program");
    if (status)
        return status;
    fm_query_text(*query, 1, answering->request->parameters.values[FM_SITE_PARAMETER_program]);
    if (user)
        fm_query_text(*query, 2, user);
    return FM_OK;
}

/* ---- users ---- */

static enum fm_status write_users(struct fm_site_answering *answering, struct fm_json *json, size_t *users,
                                  struct fm_error *error)
{
    struct fm_query *query = NULL;
    bool row;
    const char *months;
    enum fm_status status = fm_site_months(answering, &months, error);
    if (status)
        return status;
    struct fm_writer before = {.arena = &answering->arena};
    fm_write(&before,
             "SELECT n.name, r.j, r.c, r.w FROM (SELECT user_id, SUM(jobs) AS j, SUM(cpu_us) / 1e6 AS c, "
             "CASE WHEN SUM(program_us) > 0 THEN SUM(wasted_us) / 1e6 END AS w FROM month_programs WHERE day IN (%s) "
             "AND program_id = (SELECT id FROM names WHERE name = $1)",
             months);
    status = open_query(
        answering, &query, fm_writer_text(&before), " AND user_id = (SELECT id FROM names WHERE name = $2)",
        " GROUP BY user_id) r JOIN names n ON n.id = r.user_id WHERE r.j > 0 ORDER BY r.c DESC, n.name LIMIT 200",
        error);
    if (status)
        return status;
    fm_json_array(json, "users", FM_JSON_LINES);
    while (!(status = fm_query_next(query, &row, error)) && row) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "user", fm_column_text(query, 0));
        fm_json_real(json, "jobs", fm_column_real(query, 1));
        fm_json_real(json, "cpu_s", fm_column_real(query, 2));
        fm_json_real(json, "wasted_s", fm_column_real(query, 3));
        fm_json_end(json);
        ++*users;
    }
    fm_json_end(json);
    fm_query_close(query);
    return status;
}

/* ---- runs ---- */

struct program_run {
    int64_t id, started, ended, ranks;
    double wall_s, cpu_s, parallel, mpi_fraction;
    const char *build_id, *commit, *mpi, *command;
};

struct history_runs {
    struct program_run items[SCALING_RUNS]; /* latest first */
    size_t n;
};

static const char *text_of(struct fm_site_answering *answering, const struct fm_query *query, int column)
{
    const char *text = fm_column_text(query, column);
    return *text ? fm_arena_strndup(&answering->arena, text, strlen(text)) : NULL;
}

static enum fm_status read_runs(struct fm_site_answering *answering, struct history_runs *runs, struct fm_error *error)
{
    struct fm_query *query = NULL;
    bool row;
    enum fm_status status = open_query(answering, &query,
                                       "SELECT id, started, ended, ranks, wall_s, cpu_s, parallel, mpi_fraction, "
                                       "build_id, commit_id, mpi, command FROM jobs WHERE program = $1",
                                       " AND user_name = $2",
                                       " AND ended IS NOT NULL ORDER BY ended DESC, id DESC LIMIT 2000", error);
    if (status)
        return status;
    while (!(status = fm_query_next(query, &row, error)) && row && runs->n < SCALING_RUNS) {
        struct program_run *run = &runs->items[runs->n];
        *run = (struct program_run){.id = fm_column_whole(query, 0),
                                    .started = fm_column_whole(query, 1),
                                    .ended = fm_column_whole(query, 2),
                                    .ranks = fm_column_is_null(query, 3) ? -1 : fm_column_whole(query, 3),
                                    .wall_s = fm_column_real(query, 4),
                                    .cpu_s = fm_column_real(query, 5),
                                    .parallel = fm_column_real(query, 6),
                                    .mpi_fraction = fm_column_real(query, 7)};
        if (runs->n++ >= RUNS)
            continue;
        run->build_id = text_of(answering, query, 8);
        run->commit = text_of(answering, query, 9);
        run->mpi = text_of(answering, query, 10);
        run->command = text_of(answering, query, 11);
    }
    fm_query_close(query);
    return status;
}

static void write_ranks(struct fm_json *json, int64_t ranks)
{
    if (ranks >= 0)
        fm_json_signed(json, "ranks", ranks);
    else
        fm_json_null(json, "ranks");
}

static void write_runs(const struct history_runs *runs, struct fm_json *json)
{
    fm_json_array(json, "runs", FM_JSON_LINES);
    for (size_t i = runs->n < RUNS ? runs->n : RUNS; i-- > 0;) {
        const struct program_run *run = &runs->items[i];
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_signed(json, "id", run->id);
        fm_json_signed(json, "ended_at", run->ended);
        write_ranks(json, run->ranks);
        fm_json_real(json, "wall_s", run->wall_s);
        fm_json_real(json, "cpu_s", run->cpu_s);
        fm_json_real(json, "parallel", run->parallel);
        fm_json_real(json, "mpi_fraction", run->mpi_fraction);
        fm_site_text_or_null(json, "build_id", run->build_id);
        fm_site_text_or_null(json, "commit", run->commit);
        fm_site_text_or_null(json, "mpi", run->mpi);
        fm_site_text_or_null(json, "command", run->command);
        fm_json_end(json);
    }
    fm_json_end(json);
}

/* ---- routines: from the records of some runs ---- */

struct routine {
    const char *name;
    double calls, time_s, bytes;
};
struct routines {
    struct fm_arena arena;
    struct fm_intern numbers; /* index + 1 */
    struct routine items[SUMMED];
    size_t n, runs;
};

static bool sum_routine(struct routines *sums, const struct fm_record_routine *routine)
{
    struct fm_intern_slot *slot = fm_intern_find(&sums->numbers, routine->name);
    if (!slot) {
        if (sums->n == SUMMED)
            return true;
        slot = fm_intern_put(&sums->numbers, &sums->arena, routine->name, true);
        const char *name = fm_arena_strndup(&sums->arena, routine->name, strlen(routine->name));
        if (!slot || !name)
            return false;
        sums->items[sums->n++] = (struct routine){.name = name};
        slot->number = (uint32_t)sums->n;
    }
    struct routine *to = &sums->items[slot->number - 1];
    to->calls += routine->calls > 0 ? (double)routine->calls : 0;
    to->time_s += routine->time_s > 0 ? routine->time_s : 0;
    to->bytes += routine->bytes > 0 ? (double)routine->bytes : 0;
    return true;
}

static enum fm_status sum_run(struct fm_site_answering *answering, int64_t job, struct routines *sums,
                              struct fm_error *error)
{
    struct fm_record record;
    enum fm_status status = fm_store_record(answering->store, job, &record, error);
    if (status == FM_ERR_USAGE || status == FM_ERR_INPUT)
        return FM_OK; /* it has just been deleted */
    if (status)
        return status;
    bool summed = true;
    for (size_t i = 0; i < record.n_routines && summed; i++)
        summed = sum_routine(sums, &record.routines[i]);
    fm_record_destroy(&record);
    sums->runs++;
    return summed ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the routines of a program");
}

static int most_time_first(const void *a, const void *b)
{
    double left = ((const struct routine *)a)->time_s, right = ((const struct routine *)b)->time_s;
    return (left < right) - (left > right);
}

/* mean: per run, without calls and bytes. */
static void write_routines(struct routines *sums, struct fm_json *json, size_t most, bool mean)
{
    double runs = mean && sums->runs ? (double)sums->runs : 1;
    qsort(sums->items, sums->n, sizeof *sums->items, most_time_first);
    fm_json_array(json, "routines", FM_JSON_INLINE);
    for (size_t i = 0; i < sums->n && i < most; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", sums->items[i].name);
        if (!mean)
            fm_json_real(json, "calls", sums->items[i].calls);
        fm_json_real(json, "time_s", sums->items[i].time_s / runs);
        if (!mean)
            fm_json_real(json, "bytes", sums->items[i].bytes);
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void add_routines(struct routines *to, const struct routines *from)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct routine *routine = &from->items[i];
        const struct fm_record_routine as = {.name = routine->name,
                                             .calls = (int64_t)fmin(routine->calls, 9e18),
                                             .bytes = (int64_t)fmin(routine->bytes, 9e18),
                                             .time_s = routine->time_s};
        sum_routine(to, &as);
    }
    to->runs += from->runs;
}

/* ---- scaling ---- */

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Of the runs with this number of ranks; NAN if it is unknown of all. */
static double median_of(const struct history_runs *runs, int64_t ranks, size_t offset, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++) {
        double value = *(const double *)(const void *)((const char *)&runs->items[i] + offset);
        if (runs->items[i].ranks == ranks && isfinite(value))
            room[n++] = value;
    }
    if (!n)
        return NAN;
    qsort(room, n, sizeof *room, compare_numbers);
    return (room[(n - 1) / 2] + room[n / 2]) / 2;
}

static int compare_ranks(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static size_t find_steps(const struct history_runs *runs, int64_t steps[STEPS])
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n && n < STEPS; i++) {
        bool known = runs->items[i].ranks < 0;
        for (size_t j = 0; j < n && !known; j++)
            known = steps[j] == runs->items[i].ranks;
        if (!known)
            steps[n++] = runs->items[i].ranks;
    }
    qsort(steps, n, sizeof *steps, compare_ranks);
    return n;
}

static enum fm_status write_step(struct fm_site_answering *answering, const struct history_runs *runs, int64_t ranks,
                                 struct routines *all, double *room, struct fm_json *json, struct fm_error *error)
{
    struct routines *sums = calloc(1, sizeof *sums);
    size_t jobs = 0;
    if (!sums)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the scaling of a program");
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < runs->n && !status; i++)
        if (runs->items[i].ranks == ranks && jobs++ < OF_STEP)
            status = sum_run(answering, runs->items[i].id, sums, error);
    fm_json_object(json, NULL, FM_JSON_INLINE);
    fm_json_signed(json, "ranks", ranks);
    fm_json_whole(json, "jobs", jobs);
    fm_json_real(json, "wall_s", median_of(runs, ranks, offsetof(struct program_run, wall_s), room));
    fm_json_real(json, "cpu_s", median_of(runs, ranks, offsetof(struct program_run, cpu_s), room));
    fm_json_real(json, "parallel", median_of(runs, ranks, offsetof(struct program_run, parallel), room));
    fm_json_real(json, "mpi_fraction", median_of(runs, ranks, offsetof(struct program_run, mpi_fraction), room));
    write_routines(sums, json, ROUTINES, true);
    fm_json_end(json);
    add_routines(all, sums);
    fm_arena_destroy(&sums->arena);
    free(sums);
    return status;
}

static enum fm_status write_scaling(struct fm_site_answering *answering, const struct history_runs *runs,
                                    struct routines *all, struct fm_json *json, struct fm_error *error)
{
    int64_t steps[STEPS];
    size_t n = find_steps(runs, steps);
    double *room = malloc((runs->n + 1) * sizeof *room);
    enum fm_status status = FM_OK;
    if (!room)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the runs of a program");
    fm_json_array(json, "scaling", FM_JSON_LINES);
    for (size_t i = 0; i < n && !status; i++)
        status = write_step(answering, runs, steps[i], all, room, json, error);
    fm_json_end(json);
    free(room);
    return status;
}

/* ---- all of it ---- */

static enum fm_status write_program(struct fm_site_answering *answering, struct history_runs *runs,
                                    struct routines *all, struct fm_error *error)
{
    struct fm_json json = {.out = answering->out};
    const char *program = answering->request->parameters.values[FM_SITE_PARAMETER_program];
    struct fm_insight_list insights;
    size_t users = 0;
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_text(&json, "program", program);
    fm_site_text_or_null(&json, "user", answering->scope.user);
    enum fm_status status = write_users(answering, &json, &users, error);
    if (!status && !users)
        return fm_site_refuse(answering, 404, FM_SITE_NOT_FOUND);
    if (!status)
        status = read_runs(answering, runs, error);
    if (status)
        return status;
    write_runs(runs, &json);
    status = write_scaling(answering, runs, all, &json, error);
    write_routines(all, &json, SUMMED, false);
    if (!status)
        status = fm_insights_read(answering->db, answering->scope.user, program, &answering->arena, &insights, error);
    if (!status)
        fm_site_write_insights(&json, &insights);
    fm_json_end(&json);
    return status;
}

enum fm_status fm_site_answer_program(struct fm_site_answering *answering, struct fm_error *error)
{
    if (!answering->request->parameters.values[FM_SITE_PARAMETER_program])
        return fm_site_refuse(answering, 400, "program is needed");
    if (answering->scope.nothing)
        return fm_site_refuse(answering, 404, FM_SITE_NOT_FOUND);
    struct history_runs *runs = calloc(1, sizeof *runs);
    struct routines *all = calloc(1, sizeof *all);
    enum fm_status status = runs && all ? write_program(answering, runs, all, error)
                                        : fm_fail(error, FM_ERR_MEMORY, "not enough memory for a program");
    if (all)
        fm_arena_destroy(&all->arena);
    free(all);
    free(runs);
    return status;
}
