/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/summary/scope.h"

#include <inttypes.h>
#include <string.h>

/* So many days and months of a user are named one by one, so that each is sought with the user: of an interval of days a
 * database would read the rows of all users. */
enum { MOST_NAMED = 400 };

/* ---- in whole steps ---- */

struct interval {
    enum fm_step step;
    int64_t from, until;
};
/* Of quarters, and of shorter steps at both ends of them. */
struct intervals {
    struct interval items[2 * FM_STEPS - 1];
    size_t n;
};

/* Adds the days from `from` to before `until`, by steps of this length at most. */
static void add_intervals(struct intervals *all, enum fm_rollup rollup, enum fm_step step, int64_t from, int64_t until)
{
    if (from >= until)
        return;
    while (!fm_rollup_is_by(rollup, step))
        step--;
    int64_t first = fm_step_first(step, from), last = fm_step_first(step, until);
    if (first < from)
        first = fm_step_first_next(step, from);
    if (first >= last) { /* none of this length */
        add_intervals(all, rollup, step - 1, from, until);
        return;
    }
    all->items[all->n++] = (struct interval){step, first, last};
    if (step == FM_STEP_DAY)
        return;
    add_intervals(all, rollup, step - 1, from, first);
    add_intervals(all, rollup, step - 1, last, until);
}

static struct intervals intervals_of(const struct fm_scope *scope, enum fm_rollup rollup)
{
    struct intervals all = {0};
    add_intervals(&all, rollup, FM_STEPS - 1, scope->from, scope->until);
    if (!all.n)
        all.items[all.n++] = (struct interval){FM_STEP_DAY, scope->from, scope->from};
    return all;
}

/* ---- roll-ups ---- */

static bool has_key(const struct fm_rollup_table *table, const char *name)
{
    for (size_t i = 0; i < table->n_keys; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return true;
    return false;
}

static bool selects_by(const struct fm_scope *scope, const char *key)
{
    return (scope->user && strcmp(key, "user_id") == 0) || (scope->language && strcmp(key, "language_id") == 0) ||
           (scope->critical && strcmp(key, "critical") == 0) || (scope->of_ranks && strcmp(key, "ranks_class") == 0) ||
           (scope->of_cpu && strcmp(key, "cpu_class") == 0);
}

enum fm_rollup fm_scope_rollup(const struct fm_scope *scope, enum fm_rollup fine, const char *key, const char *other)
{
    struct fm_rollup_table of, table;
    fm_rollup_describe(fine, &of);
    for (int i = FM_ROLLUP_FINE; i < FM_ROLLUPS && !scope->user; i++) {
        fm_rollup_describe((enum fm_rollup)i, &table);
        bool has_keys = table.of == fine && (!key || has_key(&table, key)) && (!other || has_key(&table, other));
        for (size_t k = 0; k < of.n_keys; k++)
            has_keys = has_keys && (!selects_by(scope, of.columns[k].name) || has_key(&table, of.columns[k].name));
        if (has_keys)
            return (enum fm_rollup)i;
    }
    return fine;
}

/* A statement names just the parameters that it has: PostgreSQL wants to know the type of each one. */
static bool filters_user(const struct fm_scope *scope, const struct fm_rollup_table *table)
{
    return scope->user && has_key(table, "user_id");
}

static bool filters_language(const struct fm_scope *scope, const struct fm_rollup_table *table)
{
    return scope->language && has_key(table, "language_id");
}

static bool names_days(const struct fm_scope *scope, const struct fm_rollup_table *table,
                       const struct intervals *intervals)
{
    int64_t named = 0;
    for (size_t i = 0; i < intervals->n; i++) {
        const struct interval *interval = &intervals->items[i];
        named += (interval->until - interval->from) / (interval->step == FM_STEP_DAY ? 1 : 28);
    }
    return filters_user(scope, table) && named > 0 && named <= MOST_NAMED;
}

static void write_filter(struct fm_writer *sql, const struct fm_scope *scope, const struct fm_rollup_table *table)
{
    int parameter = 1;
    if (filters_user(scope, table))
        fm_write(sql, " AND user_id = (SELECT id FROM names WHERE name = $%d)", parameter++);
    else if (scope->user) /* sums of all users are not for one of them */
        fm_write(sql, " AND 1 = 0");
    if (filters_language(scope, table))
        fm_write(sql, " AND language_id = (SELECT id FROM names WHERE name = $%d)", parameter++);
    if (scope->critical && has_key(table, "critical"))
        fm_write(sql, " AND critical = 1");
    if (scope->of_ranks && has_key(table, "ranks_class"))
        fm_write(sql, " AND ranks_class = %d", scope->ranks_class);
    if (scope->of_cpu && has_key(table, "cpu_class"))
        fm_write(sql, " AND cpu_class = %d", scope->cpu_class);
}

/* What is selected of a roll-up. A database copies every selected column of every row. */
struct selected_columns {
    struct fm_rollup_table table;
    bool wanted[FM_ROLLUP_COLUMNS];
};

static void select_named(struct selected_columns *selected, enum fm_rollup rollup, const char *statement)
{
    fm_rollup_describe(rollup, &selected->table);
    for (size_t i = 0; i < selected->table.n_columns; i++)
        selected->wanted[i] = i <= selected->table.n_keys || strstr(statement, selected->table.columns[i].name);
}

static void write_selected(struct fm_writer *sql, const struct selected_columns *selected, const char *period)
{
    const char *separator = "SELECT ";
    for (size_t i = 0; i < selected->table.n_columns; i++)
        if (selected->wanted[i]) {
            fm_write(sql, "%s%s", separator, selected->table.columns[i].name);
            separator = ", ";
        }
    fm_write(sql, " FROM %s_%s", period, selected->table.name);
}

static void write_days(struct fm_writer *sql, const struct interval *interval, bool named)
{
    if (!named) {
        fm_write(sql, " WHERE day >= %" PRId64 " AND day < %" PRId64, interval->from, interval->until);
        return;
    }
    fm_write(sql, " WHERE day IN (");
    for (int64_t day = interval->from; day < interval->until; day = fm_step_first_next(interval->step, day))
        fm_write(sql, "%s%" PRId64, day > interval->from ? ", " : "", day);
    fm_write(sql, ")");
}

void fm_scope_write(struct fm_writer *sql, const struct fm_scope *scope, enum fm_rollup rollup)
{
    struct selected_columns selected;
    const struct intervals intervals = intervals_of(scope, rollup);
    const char *statement = fm_writer_text(sql);
    select_named(&selected, rollup, statement ? statement : "");
    bool named = names_days(scope, &selected.table, &intervals);
    for (size_t i = 0; i < intervals.n; i++) {
        fm_write(sql, i ? " UNION ALL " : "(");
        write_selected(sql, &selected, fm_step_name(intervals.items[i].step));
        write_days(sql, &intervals.items[i], named);
        write_filter(sql, scope, &selected.table);
    }
    fm_write(sql, ") r");
}

void fm_scope_bind(struct fm_query *query, const struct fm_scope *scope, enum fm_rollup rollup)
{
    struct fm_rollup_table table;
    int parameter = 1;
    fm_rollup_describe(rollup, &table);
    if (filters_user(scope, &table))
        fm_query_text(query, parameter++, scope->user);
    if (filters_language(scope, &table))
        fm_query_text(query, parameter++, scope->language);
}
