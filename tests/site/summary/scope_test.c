/* What is selected of roll-ups for an interval: the same sums, whatever steps it is put together from. */
#include "site/summary/scope.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "site/store/made_record.h"
#include "site/store/testing.h"
#include "tap.h"

enum { DAYS = 110, JOBS = 300, DAY_S = 86400 };

static int64_t first_day(void)
{
    return time(NULL) / DAY_S - DAYS - 5;
}

static struct fm_store *made_store(void)
{
    struct fm_error error = {0};
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    enum fm_status status = fm_store_begin(store, &error);
    for (int i = 0; i < JOBS && !status; i++) {
        uint64_t state = (uint64_t)i;
        struct fm_record record;
        fm_made_record(&record, &state, (first_day() + i % DAYS) * DAY_S);
        record.user = i % 3 ? "ann" : record.user;
        status = fm_test_add(store, &record, FM_ORIGIN_LOG, i % 7 ? 1 : 10, &error);
        fm_record_destroy(&record);
    }
    status = status ? status : fm_store_commit(store, &error);
    tap_ok(status == FM_OK, "a database %s", error.text);
    return store;
}

/* All keys but the day, and all sums; `from`: what is selected from. */
static const char *write_sums(struct fm_arena *arena, const struct fm_scope *scope, enum fm_rollup rollup, bool by_day)
{
    struct fm_rollup_table table;
    struct fm_writer sql = {.arena = arena};
    fm_rollup_describe(rollup, &table);
    for (size_t i = 1; i < table.n_columns; i++)
        fm_write(&sql, i < table.n_keys ? "%s%s" : "%sSUM(%s)", i > 1 ? ", " : "SELECT ", table.columns[i].name);
    fm_write(&sql, " FROM ");
    if (by_day)
        fm_write(&sql, "day_%s WHERE day >= %d AND day < %d", table.name, (int)scope->from, (int)scope->until);
    else
        fm_scope_write(&sql, scope, rollup);
    for (size_t i = 1; i < table.n_keys; i++)
        fm_write(&sql, "%s%s", i > 1 ? ", " : " GROUP BY ", table.columns[i].name);
    for (size_t i = 1; i < table.n_keys; i++)
        fm_write(&sql, "%s%s", i > 1 ? ", " : " ORDER BY ", table.columns[i].name);
    return fm_writer_text(&sql);
}

static bool same_sums(struct fm_store *store, const struct fm_scope *scope)
{
    bool same = true;
    for (enum fm_rollup rollup = 0; rollup < FM_ROLLUPS; rollup++) {
        struct fm_arena arena = {0};
        char *days = fm_test_rows(store, write_sums(&arena, scope, rollup, true));
        char *steps = fm_test_rows(store, write_sums(&arena, scope, rollup, false));
        same = same && strcmp(days, steps) == 0;
        free(days);
        free(steps);
        fm_arena_destroy(&arena);
    }
    return same;
}

static void any_interval(struct fm_store *store)
{
    int different = 0;
    for (int i = 0; i < 25; i++) {
        int64_t from = first_day() - 20 + (i * 37) % (DAYS + 20), until = from + (i * 53) % (DAYS + 30);
        struct fm_scope scope = {.from = from, .until = until};
        different += !same_sums(store, &scope);
    }
    tap_ok(different == 0, "sums of any interval are those of its days (%d differ)", different);
    int64_t month = fm_step_first(FM_STEP_MONTH, first_day() + 40);
    struct fm_scope scope = {.from = month, .until = fm_step_first_next(FM_STEP_MONTH, month)};
    tap_ok(same_sums(store, &scope), "also of a month");
}

static double jobs_of(struct fm_store *store, const struct fm_scope *scope, enum fm_rollup rollup)
{
    struct fm_error error = {0};
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    struct fm_query *query;
    bool row = false;
    double jobs = -1;
    fm_write(&sql, "SELECT SUM(jobs) FROM ");
    fm_scope_write(&sql, scope, rollup);
    if (!fm_query_open(&query, fm_store_db(store), fm_writer_text(&sql), &error)) {
        fm_scope_bind(query, scope, rollup);
        if (!fm_query_next(query, &row, &error) && row)
            jobs = fm_column_is_null(query, 0) ? 0 : fm_column_real(query, 0);
        fm_query_close(query);
    }
    tap_ok(row, "a question %s", error.text);
    fm_arena_destroy(&arena);
    return jobs;
}

static void some_jobs(struct fm_store *store)
{
    struct fm_scope scope = {.from = first_day() + 9, .until = first_day() + 80, .user = "ann"};
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT SUM(weight) FROM jobs WHERE user_name = 'ann' AND ended >= %lld AND ended < %lld",
             (long long)scope.from * DAY_S, (long long)scope.until * DAY_S);
    tap_ok(jobs_of(store, &scope, FM_ROLLUP_JOBS) == fm_test_number(store, sql), "jobs of a user");
    tap_ok(jobs_of(store, &scope, FM_ROLLUP_HOSTS) == 0, "hosts are not of a user");
    scope.until = scope.from;
    tap_ok(jobs_of(store, &scope, FM_ROLLUP_JOBS) == 0, "no day, no jobs");
    scope = (struct fm_scope){.from = first_day() - 5000, .until = first_day() + 80, .user = "ann", .language = "C"};
    snprintf(sql, sizeof sql,
             "SELECT SUM(weight) FROM jobs WHERE user_name = 'ann' AND language = 'C' AND ended < %lld",
             (long long)scope.until * DAY_S);
    tap_ok(jobs_of(store, &scope, FM_ROLLUP_JOBS) == fm_test_number(store, sql), "of a language, in many years");
}

/* How many rows are read grows with the number of steps. */
static void few_steps(void)
{
    enum { FROM = 20688, UNTIL = FROM + 90 }; /* 2026-08-23, 90 days */
    struct fm_arena arena = {0};
    const struct fm_scope scope = {.from = FROM, .until = UNTIL};
    tap_ok(
        strcmp(write_sums(&arena, &scope, FM_ROLLUP_ALL_RULES, false),
               "SELECT rule_id, SUM(jobs), SUM(cost_us) FROM ("
               "SELECT day, rule_id, jobs, cost_us FROM month_all_rules WHERE day >= 20697 AND day < 20758 UNION ALL "
               "SELECT day, rule_id, jobs, cost_us FROM day_all_rules WHERE day >= 20688 AND day < 20697 UNION ALL "
               "SELECT day, rule_id, jobs, cost_us FROM week_all_rules WHERE day >= 20758 AND day < 20772 UNION ALL "
               "SELECT day, rule_id, jobs, cost_us FROM day_all_rules WHERE day >= 20772 AND day < 20778) r"
               " GROUP BY rule_id ORDER BY rule_id") == 0,
        "months, weeks, and days at the ends");
    const struct fm_scope of_one = {.from = FROM, .until = UNTIL, .user = "ann"};
    const char *sql = write_sums(&arena, &of_one, FM_ROLLUP_RULES, false);
    tap_ok(strstr(sql, "month_rules WHERE day IN (20697, 20727) AND user_id") && !strstr(sql, "week"),
           "months and days of a user, each by its name");
    fm_arena_destroy(&arena);
}

int main(void)
{
    struct fm_store *store = made_store();
    any_interval(store);
    some_jobs(store);
    fm_store_close(store);
    few_steps();
    fm_test_database_end();
    return tap_done();
}
