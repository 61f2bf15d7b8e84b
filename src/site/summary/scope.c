/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/summary/scope.h"

#include <string.h>

#include "site/store/classes.h"

/* So many days and months of a user are named one by one, so that each is sought with the user: of an interval of days a
 * database would read the rows of all users. */
enum { DAY_S = 86400, MOST_NAMED = 400 };

static int64_t next_month(int64_t day)
{
    int year, month;
    return fm_day_of(fm_month_start(day * DAY_S, 1, &year, &month));
}

void fm_scope_months(const struct fm_scope *scope, int64_t *first, int64_t *last)
{
    *first = fm_month_first_day(scope->from);
    if (*first < scope->from)
        *first = next_month(scope->from);
    *last = fm_month_first_day(scope->until);
    if (*last < *first)
        *first = *last = scope->until;
}

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

static bool names_days(const struct fm_scope *scope, const struct fm_rollup_table *table)
{
    int64_t first, last;
    fm_scope_months(scope, &first, &last);
    return filters_user(scope, table) && scope->from < scope->until &&
           first - scope->from + (last - first) / 28 + scope->until - last <= MOST_NAMED;
}

static void write_filter(struct fm_writer *sql, const struct fm_scope *scope, const struct fm_rollup_table *table)
{
    int parameter = names_days(scope, table) ? 1 : 5;
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

/* The rows of days from `from` to before `until`, if there are any; *parts is the number of selections so far. */
static void write_named(struct fm_writer *sql, const struct fm_scope *scope, const struct selected_columns *selected,
                        const char *period, int64_t from, int64_t until, int *parts)
{
    bool months = strcmp(period, "month") == 0;
    if (from >= until)
        return;
    fm_write(sql, "%s", (*parts)++ ? " UNION ALL " : "");
    write_selected(sql, selected, period);
    fm_write(sql, " WHERE day IN (");
    for (int64_t day = from; day < until; day = months ? next_month(day) : day + 1)
        fm_write(sql, "%s%lld", day > from ? ", " : "", (long long)day);
    fm_write(sql, ")");
    write_filter(sql, scope, &selected->table);
}

static void write_all_named(struct fm_writer *sql, const struct fm_scope *scope,
                            const struct selected_columns *selected)
{
    int64_t first, last;
    int parts = 0;
    fm_scope_months(scope, &first, &last);
    fm_write(sql, "(");
    write_named(sql, scope, selected, "month", first, last, &parts);
    write_named(sql, scope, selected, "day", scope->from, first, &parts);
    write_named(sql, scope, selected, "day", last, scope->until, &parts);
    fm_write(sql, ") r");
}

static void write_between(struct fm_writer *sql, const struct fm_scope *scope, const struct selected_columns *selected,
                          const char *period, int first)
{
    write_selected(sql, selected, period);
    fm_write(sql, " WHERE day >= $%d AND day < $%d", first, first + 1);
    write_filter(sql, scope, &selected->table);
}

void fm_scope_write(struct fm_writer *sql, const struct fm_scope *scope, enum fm_rollup rollup)
{
    struct selected_columns selected;
    const char *statement = fm_writer_text(sql);
    select_named(&selected, rollup, statement ? statement : "");
    if (names_days(scope, &selected.table)) {
        write_all_named(sql, scope, &selected);
        return;
    }
    fm_write(sql, "(");
    write_between(sql, scope, &selected, "month", 2);
    fm_write(sql, " UNION ALL ");
    write_between(sql, scope, &selected, "day", 1);
    fm_write(sql, " UNION ALL ");
    write_between(sql, scope, &selected, "day", 3);
    fm_write(sql, ") r");
}

void fm_scope_bind(struct fm_query *query, const struct fm_scope *scope, enum fm_rollup rollup)
{
    struct fm_rollup_table table;
    fm_rollup_describe(rollup, &table);
    int64_t first, last;
    int parameter = 1;
    fm_scope_months(scope, &first, &last);
    if (!names_days(scope, &table)) {
        fm_query_whole(query, 1, scope->from);
        fm_query_whole(query, 2, first);
        fm_query_whole(query, 3, last);
        fm_query_whole(query, 4, scope->until);
        parameter = 5;
    }
    if (filters_user(scope, &table))
        fm_query_text(query, parameter++, scope->user);
    if (filters_language(scope, &table))
        fm_query_text(query, parameter++, scope->language);
}
