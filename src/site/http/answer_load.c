/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary, and load over time: from roll-ups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "site/http/answers.h"
#include "site/insights/insight.h"
#include "site/store/classes.h"
#include "site/summary/period.h"
#include "site/summary/scope.h"
#include "site/summary/summary.h"

enum {
    DAY_S = 86400,
    SERIES = 12,
    DAYS_BY_DAY = 124,
    FEW_DAYS_BY_DAY = 31,
    STEPS = 1200,
    USUAL_DAYS = 91,
    CRITICAL_JOBS = 20
};

/* ---- summary ---- */

static enum fm_status set_period(struct fm_site_answering *answering, struct fm_scope *scope)
{
    const char *const *values = answering->request->parameters.values;
    const struct fm_period_request period = {.from = values[FM_SITE_PARAMETER_from],
                                             .to = values[FM_SITE_PARAMETER_to]};
    if (fm_period_find(&period, &scope->from, &scope->until, NULL))
        fm_site_refuse(answering, 400, "from and to must be days such as 2026-11-18, the first one before the other");
    return FM_OK;
}

enum fm_status fm_site_answer_summary(struct fm_site_answering *answering, struct fm_error *error)
{
    struct fm_site_summary summary;
    struct fm_insight_list insights;
    struct fm_scope scope = {.user = answering->scope.user,
                             .processors = (double)answering->server->config->processors};
    set_period(answering, &scope);
    if (answering->code != 200)
        return FM_OK;
    if (answering->scope.nothing) /* no user has an empty name */
        scope.user = "";
    enum fm_status status = fm_site_summary_make(&summary, answering->db, &scope, NULL, error);
    if (!status)
        status = fm_site_summary_add_critical(&summary, answering->store, CRITICAL_JOBS, error);
    if (!status)
        status = fm_insights_read(answering->db, scope.user, NULL, &summary.arena, &insights, error);
    if (!status)
        status = fm_insights_sheet(&insights, &summary.sheets[summary.n_sheets++], &summary.arena, error);
    if (!status)
        fm_site_summary_json(&summary, answering->out);
    fm_site_summary_close(&summary);
    return status;
}

/* ---- load ---- */

/* By what it is told apart. */
static const struct load_kind {
    const char *name;
    enum fm_rollup rollup;
    const char *key;
    bool is_class, has_times, /* times: cpu, mpi, wasted; otherwise `value` is the only one */
        many;                 /* so many that only those that are shown are read, and the sums of all */
    const char *value, *value_key;
} kinds[] = {
    {"user", FM_ROLLUP_JOBS, "user_id", false, true, true, NULL, NULL},
    {"program", FM_ROLLUP_JOBS, "program_id", false, true, true, NULL, NULL},
    {"ranks", FM_ROLLUP_JOBS, "ranks_class", true, true, false, NULL, NULL},
    {"language", FM_ROLLUP_JOBS, "language_id", false, true, false, NULL, NULL},
    {"routine", FM_ROLLUP_ROUTINES, "routine_id", false, false, false, "time_us", "time_s"},
    {"finding", FM_ROLLUP_RULES, "rule_id", false, false, false, "cost_us", "wasted_s"},
};
enum { KINDS = sizeof kinds / sizeof *kinds, VALUES = 3 };

struct load {
    const struct load_kind *kind;
    const char *user; /* NULL: all */
    int64_t from, until;
    bool by_month;
    int64_t steps[STEPS];
    size_t n_steps;
    int64_t keys[SERIES]; /* of the series; the last one may be all others */
    char names[SERIES][256];
    size_t n;
    bool has_other;
    double *values; /* [series][value][step] */
};

static double *value_at(const struct load *load, size_t series, size_t value, size_t step)
{
    return &load->values[(series * VALUES + value) * load->n_steps + step];
}

static void set_steps(struct load *load)
{
    int64_t day = load->by_month ? fm_month_first_day(load->from) : load->from;
    while (day < load->until && load->n_steps < STEPS) {
        load->steps[load->n_steps++] = day;
        day = load->by_month ? fm_day_of(fm_month_start(day * DAY_S, 1, NULL, NULL)) : day + 1;
    }
    load->from = load->steps[0];
    load->until = day;
}

static size_t step_of(const struct load *load, int64_t day)
{
    size_t low = 0, high = load->n_steps;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        *(load->steps[middle] <= day ? &low : &high) = middle;
    }
    return low;
}

static struct fm_scope scope_of(const struct load *load)
{
    return (struct fm_scope){.from = load->from, .until = load->until, .user = load->user};
}

/* The rows of the steps, days or months; `key`: what they must be told apart by. Each step is named, so that it is sought
 * together with what else is asked for. */
static void write_from(struct fm_writer *sql, const struct load *load, const char *key)
{
    struct fm_rollup_table table;
    const struct fm_scope scope = scope_of(load);
    fm_rollup_describe(fm_scope_rollup(&scope, load->kind->rollup, key, NULL), &table);
    fm_write(sql, " FROM %s_%s WHERE day IN (", load->by_month ? "month" : "day", table.name);
    for (size_t i = 0; i < load->n_steps; i++)
        fm_write(sql, "%s%lld", i ? ", " : "", (long long)load->steps[i]);
    fm_write(sql, ")%s", load->user ? " AND user_id = (SELECT id FROM names WHERE name = $1)" : "");
}

/* The texts of the statement end here. */
static enum fm_status open_written(struct fm_query **query, struct fm_db *db, struct fm_writer *sql,
                                   struct fm_error *error)
{
    const char *text = fm_writer_text(sql);
    enum fm_status status = text ? fm_query_open(query, db, text, error)
                                 : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the load");
    fm_arena_destroy(sql->arena);
    return status;
}

/* The series with the most time. */
static enum fm_status find_series(struct load *load, struct fm_db *db, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    struct fm_query *query = NULL;
    bool row;
    const struct load_kind *kind = load->kind;
    const struct fm_scope scope = scope_of(load);
    enum fm_rollup rollup = fm_scope_rollup(&scope, kind->rollup, kind->key, NULL);
    fm_write(&sql, "SELECT s.k, s.c%s FROM (SELECT %s AS k, SUM(%s) AS c FROM ", kind->is_class ? "" : ", n.name",
             kind->key, kind->has_times ? "cpu_us" : kind->value);
    fm_scope_write(&sql, &scope, rollup);
    fm_write(&sql, " GROUP BY %s ORDER BY c DESC LIMIT %d) s%s ORDER BY s.c DESC%s", kind->key, SERIES + 1,
             kind->is_class ? "" : " JOIN names n ON n.id = s.k", kind->is_class ? "" : ", n.name");
    enum fm_status status = open_written(&query, db, &sql, error);
    if (status)
        return status;
    fm_scope_bind(query, &scope, rollup);
    while (!(status = fm_query_next(query, &row, error)) && row) {
        char label[FM_CLASS_LABEL];
        if (load->n == SERIES) {
            load->has_other = true;
            continue;
        }
        const char *name = load->kind->is_class ? fm_ranks_class_label((int)fm_column_whole(query, 0), label)
                                                : fm_column_text(query, 2);
        load->keys[load->n] = fm_column_whole(query, 0);
        snprintf(load->names[load->n++], sizeof load->names[0], "%s", *name ? name : "unknown");
    }
    fm_query_close(query);
    if (load->has_other) {
        load->n = SERIES;
        strcpy(load->names[SERIES - 1], "other");
    }
    return status;
}

/* Runs a statement with columns day, number of the series, values. */
static enum fm_status add_values(struct load *load, struct fm_db *db, struct fm_writer *sql, struct fm_error *error)
{
    struct fm_query *query = NULL;
    bool row;
    enum fm_status status = open_written(&query, db, sql, error);
    if (status)
        return status;
    if (load->user)
        fm_query_text(query, 1, load->user);
    while (!(status = fm_query_next(query, &row, error)) && row) {
        size_t step = step_of(load, fm_column_whole(query, 0)), series = (size_t)fm_column_whole(query, 1);
        for (size_t i = 0; i < (load->kind->has_times ? VALUES : 1) && series < load->n; i++) {
            double value = fm_column_real(query, 2 + (int)i);
            *value_at(load, series, i, step) += isfinite(value) ? value / 1e6 : 0;
        }
    }
    fm_query_close(query);
    return status;
}

static void write_sums(struct fm_writer *sql, const struct load *load)
{
    if (load->kind->has_times)
        fm_write(sql, ", SUM(cpu_us), SUM(mpi_us), SUM(wasted_us)");
    else
        fm_write(sql, ", SUM(%s)", load->kind->value);
}

/* The series that have names; all others together are the last one, unless `few`: then they are not read. */
static enum fm_status sum_named(struct load *load, struct fm_db *db, bool few, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    const char *key = load->kind->key;
    size_t named = load->n - load->has_other;
    fm_write(&sql, "SELECT day, CASE");
    for (size_t i = 0; i < named; i++)
        fm_write(&sql, " WHEN %s = %lld THEN %zu", key, (long long)load->keys[i], i);
    fm_write(&sql, " ELSE %d END AS k", SERIES - 1);
    write_sums(&sql, load);
    write_from(&sql, load, key);
    if (few)
        fm_write(&sql, " AND %s IN (", key);
    for (size_t i = 0; i < named && few; i++)
        fm_write(&sql, "%s%lld", i ? ", " : "", (long long)load->keys[i]);
    fm_write(&sql, "%s GROUP BY 1, 2", few ? ")" : "");
    return add_values(load, db, &sql, error);
}

/* The last series: all without those that have names. What is rounded beyond 16 digits must not become negative. */
static enum fm_status sum_others(struct load *load, struct fm_db *db, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    fm_write(&sql, "SELECT day, %d AS k", SERIES - 1);
    write_sums(&sql, load);
    write_from(&sql, load, NULL);
    fm_write(&sql, " GROUP BY day");
    enum fm_status status = add_values(load, db, &sql, error);
    for (size_t value = 0; value < VALUES; value++)
        for (size_t step = 0; step < load->n_steps; step++) {
            double *others = value_at(load, SERIES - 1, value, step), all = *others;
            for (size_t i = 0; i < SERIES - 1; i++)
                *others -= *value_at(load, i, value, step);
            if (*others < 1e-12 * all)
                *others = 0;
        }
    return status;
}

static enum fm_status sum_up(struct load *load, struct fm_db *db, struct fm_error *error)
{
    bool few = load->kind->many && !load->user;
    if (!load->n)
        return FM_OK;
    enum fm_status status = sum_named(load, db, few, error);
    return status || !few || !load->has_other ? status : sum_others(load, db, error);
}

static void write_values(struct fm_json *json, const struct load *load, size_t series, size_t value, const char *key)
{
    fm_json_array(json, key, FM_JSON_INLINE);
    for (size_t i = 0; i < load->n_steps; i++)
        fm_json_number(json, NULL, *value_at(load, series, value, i));
    fm_json_end(json);
}

static void write_load(const struct load *load, double processors, FILE *out)
{
    struct fm_json json = {.out = out};
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_text(&json, "step", load->by_month ? "month" : "day");
    fm_site_json_day(&json, "from", load->from);
    fm_json_array(&json, "days", FM_JSON_INLINE);
    for (size_t i = 0; i < load->n_steps; i++)
        fm_site_json_day(&json, NULL, load->steps[i]);
    fm_json_end(&json);
    fm_json_number_or_null(&json, "capacity_s", processors > 0, processors * DAY_S);
    fm_json_array(&json, "series", FM_JSON_LINES);
    for (size_t i = 0; i < load->n; i++) {
        fm_json_object(&json, NULL, FM_JSON_LINES);
        fm_json_text(&json, "name", load->names[i]);
        if (load->kind->has_times) {
            write_values(&json, load, i, 0, "cpu_s");
            write_values(&json, load, i, 1, "mpi_s");
            write_values(&json, load, i, 2, "wasted_s");
        } else {
            write_values(&json, load, i, 0, load->kind->value_key);
        }
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_json_end(&json);
}

enum fm_status fm_site_answer_load(struct fm_site_answering *answering, struct fm_error *error)
{
    const char *by = answering->request->parameters.values[FM_SITE_PARAMETER_by];
    struct load *load = calloc(1, sizeof *load);
    if (!load)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the load");
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, by ? by : "user") == 0)
            load->kind = &kinds[i];
    enum fm_status status = FM_OK;
    if (!load->kind)
        fm_site_refuse(answering, 400, "by must be user, program, ranks, language, routine or finding");
    else if (fm_site_days(answering, USUAL_DAYS, &load->from, &load->until)) {
        load->user = answering->scope.nothing ? "" : answering->scope.user;
        load->by_month = load->until - load->from > (load->kind->has_times ? DAYS_BY_DAY : FEW_DAYS_BY_DAY);
        set_steps(load);
        status = find_series(load, answering->db, error);
        load->values = calloc((load->n + 1) * VALUES * load->n_steps, sizeof *load->values);
        if (!status && !load->values)
            status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the load");
        if (!status)
            status = sum_up(load, answering->db, error);
        if (!status)
            write_load(load, (double)answering->server->config->processors, answering->out);
        free(load->values);
    }
    free(load);
    return status;
}
