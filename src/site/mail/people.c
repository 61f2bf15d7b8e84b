/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/mail/people.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/writer.h"
#include "site/summary/scope.h"

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the sums of all users");
}

/* ---- sums ---- */

double fm_mail_efficiency(const struct fm_mail_sums *sums)
{
    return sums->program_s > 0 && sums->cpu_s > 0 ? fmax(0, 1 - sums->wasted_s / sums->cpu_s) : NAN;
}

double fm_mail_wasted_s(const struct fm_mail_sums *sums)
{
    return sums->program_s > 0 ? sums->wasted_s : NAN; /* sums cannot tell "none" from "unknown" */
}

double fm_mail_mpi_fraction(const struct fm_mail_sums *sums)
{
    return sums->cpu_s > 0 ? sums->mpi_s / sums->cpu_s : NAN;
}

static void add_sums(struct fm_mail_sums *to, const struct fm_mail_sums *from)
{
    to->jobs += from->jobs;
    to->complete_jobs += from->complete_jobs;
    to->cpu_s += from->cpu_s;
    to->mpi_s += from->mpi_s;
    to->program_s += from->program_s;
    to->waiting_s += from->waiting_s;
    to->io_s += from->io_s;
    to->no_cpu_s += from->no_cpu_s;
    to->wasted_s += from->wasted_s;
    to->critical_jobs += from->critical_jobs;
}

/* ---- order ---- */

static int larger_first(double a, double b)
{
    return (a < b) - (a > b);
}

static int by_user_and_time(const void *a, const void *b)
{
    const struct fm_mail_row *x = a, *y = b;
    int order = strcmp(x->user, y->user);
    order = order ? order : larger_first(x->sums.cpu_s, y->sums.cpu_s);
    order = order ? order : larger_first(x->sums.mpi_s, y->sums.mpi_s);
    return order ? order : strcmp(x->name, y->name);
}

static int by_user_and_name(const void *a, const void *b)
{
    const struct fm_mail_row *x = a, *y = b;
    int order = strcmp(x->user, y->user);
    return order || !x->name || !y->name ? order : strcmp(x->name, y->name);
}

static int by_time(const void *a, const void *b)
{
    const struct fm_mail_row *x = a, *y = b;
    int order = larger_first(x->sums.cpu_s, y->sums.cpu_s);
    return order ? order : strcmp(x->user, y->user);
}

static void sort(struct fm_mail_rows *rows, int (*order)(const void *, const void *))
{
    if (rows->n)
        qsort(rows->items, rows->n, sizeof *rows->items, order);
}

const struct fm_mail_row *fm_mail_rows_of(const struct fm_mail_rows *rows, const char *user, size_t *n)
{
    size_t low = 0, high = rows->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(rows->items[middle].user, user) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *n = 0;
    while (low + *n < rows->n && strcmp(rows->items[low + *n].user, user) == 0)
        ++*n;
    return rows->items + low;
}

const struct fm_mail_row *fm_mail_row_of(const struct fm_mail_rows *rows, const char *user, const char *name)
{
    const struct fm_mail_row key = {.user = user, .name = name};
    return rows->n ? bsearch(&key, rows->items, rows->n, sizeof key, by_user_and_name) : NULL;
}

/* ---- days ---- */

#define JOB_SUMS                                                                                                   \
    "SUM(jobs), SUM(complete_jobs), SUM(cpu_us) / 1e6, SUM(mpi_us) / 1e6, SUM(program_us) / 1e6, SUM(waiting_us) " \
    "/ 1e6, SUM(io_us) / 1e6, SUM(no_cpu_us) / 1e6, SUM(wasted_us) / 1e6, SUM(CASE WHEN critical = 1 THEN jobs "   \
    "ELSE 0 END), 0"
#define ROUTINE_SUMS "SUM(jobs), 0, 0, SUM(time_us) / 1e6, 0, 0, 0, 0, 0, 0, SUM(calls)"

struct roll_up_days {
    struct fm_db *db;
    struct fm_arena *arena;
    int64_t from, until;
};

static enum fm_status add_row(struct fm_mail_rows *rows, const struct fm_query *query, struct fm_arena *arena,
                              size_t *capacity, struct fm_error *error)
{
    const char *user = fm_column_text(query, 0), *name = fm_column_text(query, 1);
    if (rows->n == *capacity) {
        struct fm_mail_row *grown = fm_arena_grow(arena, rows->items, capacity, rows->n + 1, sizeof *grown);
        if (!grown)
            return no_memory(error);
        rows->items = grown;
    }
    struct fm_mail_row *row = &rows->items[rows->n++];
    row->user = fm_arena_strndup(arena, user, strlen(user));
    row->name = fm_arena_strndup(arena, name, strlen(name));
    if (!row->user || !row->name)
        return no_memory(error);
    row->sums = (struct fm_mail_sums){
        .jobs = fm_column_real(query, 2),
        .complete_jobs = fm_column_real(query, 3),
        .cpu_s = fm_column_real(query, 4),
        .mpi_s = fm_column_real(query, 5),
        .program_s = fm_column_real(query, 6),
        .waiting_s = fm_column_real(query, 7),
        .io_s = fm_column_real(query, 8),
        .no_cpu_s = fm_column_real(query, 9),
        .wasted_s = fm_column_real(query, 10),
        .critical_jobs = fm_column_real(query, 11),
    };
    row->calls = fm_column_real(query, 12);
    return FM_OK;
}

/* The rows of a roll-up by user and another column. */
static enum fm_status read_rows(const struct roll_up_days *days, enum fm_rollup rollup, const char *column,
                                const char *sums, struct fm_mail_rows *rows, struct fm_error *error)
{
    const struct fm_scope scope = {.from = days->from, .until = days->until};
    struct fm_arena texts = {0};
    struct fm_writer sql = {.arena = &texts};
    size_t capacity = 0;
    fm_write(&sql, "SELECT u.name, o.name, s.* FROM (SELECT %s, user_id, %s AS other FROM ", sums, column);
    fm_scope_write(&sql, &scope, rollup);
    fm_write(&sql,
             " GROUP BY user_id, %s HAVING SUM(jobs) > 0) s JOIN names u ON u.id = s.user_id JOIN names o ON "
             "o.id = s.other",
             column);
    const char *statement = fm_writer_text(&sql);
    struct fm_query *query = NULL;
    enum fm_status status = statement ? fm_query_open(&query, days->db, statement, error) : no_memory(error);
    if (!status)
        fm_scope_bind(query, &scope, rollup);
    for (bool row = true; !status && row;) {
        status = fm_query_next(query, &row, error);
        if (!status && row)
            status = add_row(rows, query, days->arena, &capacity, error);
    }
    fm_query_close(query);
    fm_arena_destroy(&texts);
    return status;
}

/* Sums up the programs, which are sorted by user. */
static bool sum_up(const struct fm_mail_rows *programs, struct fm_arena *arena, struct fm_mail_rows *users,
                   struct fm_mail_sums *all)
{
    users->items = fm_arena_alloc(arena, programs->n * sizeof *users->items);
    if (!users->items)
        return false;
    for (size_t i = 0; i < programs->n; i++) {
        const struct fm_mail_row *program = &programs->items[i];
        if (!i || strcmp(program->user, programs->items[i - 1].user) != 0)
            users->items[users->n++] = (struct fm_mail_row){.user = program->user};
        add_sums(&users->items[users->n - 1].sums, &program->sums);
        add_sums(all, &program->sums);
    }
    return true;
}

static enum fm_status read_all(struct fm_mail_people *people, struct fm_db *db, struct fm_error *error)
{
    const struct fm_mail_period *period = &people->period;
    const struct roll_up_days now = {db, &people->arena, period->from, period->until};
    const struct roll_up_days before = {db, &people->arena, period->before, period->from};
    enum fm_status status = read_rows(&now, FM_ROLLUP_JOBS, "program_id", JOB_SUMS, &people->programs, error);
    if (!status)
        status = read_rows(&now, FM_ROLLUP_ROUTINES, "routine_id", ROUTINE_SUMS, &people->routines, error);
    if (!status)
        status = read_rows(&before, FM_ROLLUP_JOBS, "program_id", JOB_SUMS, &people->programs_before, error);
    if (!status)
        status = fm_references_open(&people->references, db, period->from, period->until, error);
    if (!status)
        status = fm_insights_read(db, NULL, NULL, &people->arena, &people->insights, error);
    return status;
}

enum fm_status fm_mail_people_open(struct fm_mail_people *people, struct fm_db *db, const struct fm_mail_period *period,
                                   struct fm_error *error)
{
    *people = (struct fm_mail_people){.period = *period};
    enum fm_status status = fm_db_begin(db, error);
    if (status)
        return status;
    status = read_all(people, db, error);
    fm_db_rollback(db);
    if (status)
        return status;
    sort(&people->programs, by_user_and_time);
    sort(&people->routines, by_user_and_time);
    sort(&people->programs_before, by_user_and_name);
    if (!sum_up(&people->programs, &people->arena, &people->users, &people->all) ||
        !sum_up(&people->programs_before, &people->arena, &people->users_before, &people->all_before))
        return no_memory(error);
    sort(&people->users, by_time);
    return FM_OK;
}

void fm_mail_people_close(struct fm_mail_people *people)
{
    fm_references_close(people->references);
    fm_arena_destroy(&people->arena);
    *people = (struct fm_mail_people){0};
}
