/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/schema_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/writer.h"
#include "site/store/rollup.h"
#include "site/store/schema.h"

static const char *type_of(const struct fm_db *db, enum fm_value_kind kind)
{
    return kind == FM_VALUE_WHOLE  ? fm_db_sql(db, FM_SQL_WHOLE)
           : kind == FM_VALUE_REAL ? fm_db_sql(db, FM_SQL_REAL)
           : kind == FM_VALUE_TEXT ? "TEXT"
                                   : fm_db_sql(db, FM_SQL_BYTES);
}

static enum fm_status run_written(struct fm_db *db, struct fm_writer *sql, struct fm_error *error)
{
    const char *text = fm_writer_text(sql);
    enum fm_status status = text ? fm_db_run(db, text, error)
                                 : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the tables");
    fm_arena_destroy(sql->arena);
    return status;
}

/* ---- tables of jobs ---- */

/* The identity of a job begins with its start: jobs arrive about in that order, and an index that grows at its end needs
 * few pages in memory. */
static void write_jobs(struct fm_writer *sql, const struct fm_db *db)
{
    bool postgres = fm_db_kind(db) == FM_DB_POSTGRES;
    struct fm_bulk_column columns[FM_JOBS_COLUMNS];
    fm_schema_jobs_columns(columns);
    fm_write(sql, "CREATE TABLE jobs (id %s%s", fm_db_sql(db, FM_SQL_WHOLE), postgres ? " NOT NULL" : " PRIMARY KEY");
    for (size_t i = 1; i < FM_JOBS_COLUMNS; i++) {
        bool needed = strcmp(columns[i].name, "started") == 0 || strcmp(columns[i].name, "key") == 0 ||
                      strcmp(columns[i].name, "uid") == 0;
        fm_write(sql, ", %s %s%s", columns[i].name, type_of(db, columns[i].kind), needed ? " NOT NULL" : "");
    }
    fm_write(sql, ", UNIQUE (started, key, uid)%s) %s;", postgres ? ", PRIMARY KEY (id, started)" : "",
             postgres ? "PARTITION BY RANGE (started)" : fm_db_sql(db, FM_SQL_TABLE));
    /* the orders of the job list, and what selects few jobs */
    fm_write(sql, "CREATE INDEX jobs_ended ON jobs (ended, id);"
                  "CREATE INDEX jobs_cpu ON jobs (cpu_s, id);"
                  "CREATE INDEX jobs_wasted ON jobs (wasted_s, id);"
                  "CREATE INDEX jobs_parallel ON jobs (parallel, id);"
                  "CREATE INDEX jobs_mpi ON jobs (mpi_fraction, id);"
                  "CREATE INDEX jobs_user ON jobs (user_name, ended, id);"
                  "CREATE INDEX jobs_program ON jobs (program, ended, id);");
}

static void write_satellite(struct fm_writer *sql, const struct fm_db *db, const char *name, const char *columns,
                            const char *key)
{
    bool postgres = fm_db_kind(db) == FM_DB_POSTGRES;
    fm_write(sql, "CREATE TABLE %s (job %s NOT NULL, started %s NOT NULL, %s, PRIMARY KEY (job%s%s)) %s;", name,
             fm_db_sql(db, FM_SQL_WHOLE), fm_db_sql(db, FM_SQL_WHOLE), columns, key, postgres ? ", started" : "",
             postgres ? "PARTITION BY RANGE (started)" : fm_db_sql(db, *key ? FM_SQL_KEYED : FM_SQL_TABLE));
}

static void write_satellites(struct fm_writer *sql, const struct fm_db *db)
{
    char columns[256];
    const char *whole = fm_db_sql(db, FM_SQL_WHOLE), *real = fm_db_sql(db, FM_SQL_REAL);
    snprintf(columns, sizeof columns, "document %s NOT NULL", fm_db_sql(db, FM_SQL_BYTES));
    write_satellite(sql, db, "documents", columns, "");
    snprintf(
        columns, sizeof columns,
        "number %s NOT NULL, rule TEXT NOT NULL, cost_s %s, measured %s, function TEXT, file TEXT, line %s, text TEXT",
        whole, real, whole, whole);
    write_satellite(sql, db, "findings", columns, ", number");
    snprintf(columns, sizeof columns, "host TEXT NOT NULL, ranks %s, slowness %s", whole, real);
    write_satellite(sql, db, "hosts", columns, ", host");
    fm_write(sql, "CREATE INDEX findings_rule ON findings (rule, job);"
                  "CREATE INDEX hosts_host ON hosts (host, job);");
    if (fm_db_kind(db) == FM_DB_POSTGRES)
        fm_write(sql, "CREATE TABLE jobs_other PARTITION OF jobs DEFAULT;"
                      "CREATE TABLE documents_other PARTITION OF documents DEFAULT;"
                      "CREATE TABLE findings_other PARTITION OF findings DEFAULT;"
                      "CREATE TABLE hosts_other PARTITION OF hosts DEFAULT;");
}

/* ---- roll-ups ---- */

static void write_rollup(struct fm_writer *sql, const struct fm_db *db, enum fm_rollup rollup, enum fm_step step)
{
    struct fm_rollup_table table;
    fm_rollup_describe(rollup, &table);
    fm_write(sql, "CREATE TABLE %s_%s (", fm_step_name(step), table.name);
    for (size_t i = 0; i < table.n_columns; i++)
        fm_write(sql, "%s %s NOT NULL%s, ", table.columns[i].name, type_of(db, table.columns[i].kind),
                 i < table.n_keys ? "" : " DEFAULT 0");
    fm_write(sql, "PRIMARY KEY (");
    for (size_t i = 0; i < table.n_keys; i++)
        fm_write(sql, "%s%s", i ? ", " : "", table.columns[i].name);
    fm_write(sql, ")) %s;", fm_db_sql(db, FM_SQL_KEYED));
}

/* Versions 1 and 2 */
static void write_rollups(struct fm_writer *sql, const struct fm_db *db, enum fm_rollup first, enum fm_rollup end)
{
    for (enum fm_rollup rollup = first; rollup < end; rollup++) {
        write_rollup(sql, db, rollup, FM_STEP_DAY);
        write_rollup(sql, db, rollup, FM_STEP_MONTH);
    }
}

static void write_rest(struct fm_writer *sql, const struct fm_db *db)
{
    const char *whole = fm_db_sql(db, FM_SQL_WHOLE), *real = fm_db_sql(db, FM_SQL_REAL);
    const char *table = fm_db_sql(db, FM_SQL_TABLE), *keyed = fm_db_sql(db, FM_SQL_KEYED);
    fm_write(sql, "CREATE TABLE fathom (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) %s;", keyed);
    fm_write(sql, "CREATE TABLE names (id %s PRIMARY KEY, name TEXT NOT NULL UNIQUE) %s;",
             fm_db_kind(db) == FM_DB_POSTGRES ? "BIGINT GENERATED BY DEFAULT AS IDENTITY" : "INTEGER", table);
    fm_write(sql, "CREATE TABLE positions (source TEXT NOT NULL PRIMARY KEY, position TEXT NOT NULL) %s;", keyed);
    fm_write(
        sql,
        "CREATE TABLE refused (day %s NOT NULL, why TEXT NOT NULL, records %s NOT NULL, PRIMARY KEY (day, why)) %s;",
        whole, real, keyed);
    fm_write(sql,
             "CREATE TABLE ranks_classes (number %s NOT NULL PRIMARY KEY, label TEXT NOT NULL, least %s, most %s) %s;",
             whole, whole, whole, table);
    fm_write(
        sql,
        "CREATE TABLE cpu_classes (number %s NOT NULL PRIMARY KEY, label TEXT NOT NULL, least_s %s, below_s %s) %s;",
        whole, real, real, table);
    fm_write(sql, "CREATE TABLE routine_groups (number %s NOT NULL PRIMARY KEY, label TEXT NOT NULL) %s;", whole,
             table);
}

enum fm_status fm_schema_create(struct fm_db *db, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    write_jobs(&sql, db);
    write_satellites(&sql, db);
    write_rollups(&sql, db, 0, FM_ROLLUP_FINE);
    write_rest(&sql, db);
    return run_written(db, &sql, error);
}

/* ---- columns of fields that a database does not know ---- */

static bool has_column(const struct fm_query *query, const char *name)
{
    for (int i = 0; i < fm_query_columns(query); i++)
        if (strcmp(fm_query_column_name(query, i), name) == 0)
            return true;
    return false;
}

/* Writes the statements that add the missing columns of a table; `more`: what their types are followed by. */
static enum fm_status write_missing(struct fm_writer *sql, struct fm_db *db, const char *table,
                                    const struct fm_bulk_column *columns, size_t n, const char *more,
                                    struct fm_error *error)
{
    char select[96];
    snprintf(select, sizeof select, "SELECT * FROM %s LIMIT 0", table);
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, db, select, error);
    if (status)
        return status;
    status = fm_query_run(query, error);
    for (size_t i = 0; i < n && !status; i++)
        if (!has_column(query, columns[i].name))
            fm_write(sql, "ALTER TABLE %s ADD COLUMN %s %s%s;", table, columns[i].name, type_of(db, columns[i].kind),
                     more);
    fm_query_close(query);
    return status;
}

static enum fm_status write_missing_sums(struct fm_writer *sql, struct fm_db *db, enum fm_rollup rollup,
                                         enum fm_step step, struct fm_error *error)
{
    struct fm_rollup_table table;
    char name[64];
    fm_rollup_describe(rollup, &table);
    if (table.of != FM_ROLLUP_JOBS || !fm_rollup_is_by(rollup, step))
        return FM_OK;
    snprintf(name, sizeof name, "%s_%s", fm_step_name(step), table.name);
    return write_missing(sql, db, name, table.columns, table.n_columns, " NOT NULL DEFAULT 0", error);
}

static enum fm_status write_all_missing(struct fm_writer *sql, struct fm_db *db, struct fm_error *error)
{
    struct fm_bulk_column jobs[FM_JOBS_COLUMNS];
    fm_schema_jobs_columns(jobs);
    enum fm_status status = write_missing(sql, db, "jobs", jobs, FM_JOBS_COLUMNS, "", error);
    for (enum fm_rollup rollup = 0; rollup < FM_ROLLUPS && !status; rollup++)
        for (enum fm_step step = FM_STEP_DAY; step < FM_STEPS && !status; step++)
            status = write_missing_sums(sql, db, rollup, step, error);
    return status;
}

enum fm_status fm_schema_missing(struct fm_db *db, bool *missing, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    enum fm_status status = write_all_missing(&sql, db, error);
    *missing = sql.n > 0;
    fm_arena_destroy(&arena);
    return status;
}

/* Runs what was written, if that succeeded. */
static enum fm_status run_missing(struct fm_db *db, struct fm_writer *sql, enum fm_status written,
                                  struct fm_error *error)
{
    if (!written && sql->n)
        return run_written(db, sql, error);
    fm_arena_destroy(sql->arena);
    return written;
}

enum fm_status fm_schema_complete(struct fm_db *db, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    enum fm_status status = run_missing(db, &sql, write_all_missing(&sql, db, error), error);
    return status ? status : fm_schema_views(db, error);
}

/* ---- version 2 ---- */

static enum fm_status add_people(struct fm_db *db, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    const char *whole = fm_db_sql(db, FM_SQL_WHOLE), *real = fm_db_sql(db, FM_SQL_REAL);
    const char *table = fm_db_sql(db, FM_SQL_TABLE), *keyed = fm_db_sql(db, FM_SQL_KEYED);
    fm_write(&sql,
             "CREATE TABLE insights (number %s NOT NULL PRIMARY KEY, kind TEXT NOT NULL, user_name TEXT, program TEXT,"
             " host TEXT, day %s, cost_s %s, certainty %s, sentence TEXT NOT NULL, document TEXT NOT NULL) %s;"
             "CREATE INDEX insights_user ON insights (user_name, program);",
             whole, whole, real, real, table);
    fm_write(&sql,
             "CREATE TABLE mails (user_name TEXT NOT NULL, period TEXT NOT NULL, state TEXT NOT NULL, at %s NOT NULL,"
             " PRIMARY KEY (period, user_name)) %s;"
             "CREATE TABLE mail_refusals (user_name TEXT NOT NULL PRIMARY KEY, at %s NOT NULL) %s;",
             whole, keyed, whole, keyed);
    fm_write(&sql,
             "CREATE TABLE tags (job %s NOT NULL, tag TEXT NOT NULL, user_name TEXT NOT NULL, at %s NOT NULL,"
             " PRIMARY KEY (job, tag)) %s;"
             "CREATE INDEX tags_tag ON tags (tag, job);",
             whole, whole, keyed);
    /* whoever is asked about a job has its id of the batch system */
    fm_write(&sql, "CREATE INDEX jobs_job_id ON jobs (job_id);");
    return run_written(db, &sql, error);
}

/* Of the finer roll-up. Sums of whole numbers are the same in any order. */
static void fill_rollup(struct fm_writer *sql, enum fm_rollup rollup, enum fm_step step)
{
    const char *name = fm_step_name(step);
    struct fm_rollup_table table, of;
    fm_rollup_describe(rollup, &table);
    fm_rollup_describe(table.of, &of);
    fm_write(sql, "INSERT INTO %s_%s (", name, table.name);
    for (size_t i = 0; i < table.n_columns; i++)
        fm_write(sql, "%s%s", i ? ", " : "", table.columns[i].name);
    fm_write(sql, ") SELECT ");
    for (size_t i = 0; i < table.n_columns; i++)
        fm_write(sql, i < table.n_keys ? "%s%s" : "%sSUM(%s)", i ? ", " : "", table.columns[i].name);
    fm_write(sql, " FROM %s_%s GROUP BY ", name, of.name);
    for (size_t i = 0; i < table.n_keys; i++)
        fm_write(sql, "%s%s", i ? ", " : "", table.columns[i].name);
    fm_write(sql, ";");
}

/* Lists of the jobs of a user or a program, and counts of them, are read from these indexes alone. */
static void write_wide_indexes(struct fm_writer *sql)
{
    static const char columns[] = "ended, id, started, cpu_s, wasted_s, parallel, mpi_fraction";
    fm_write(sql,
             "DROP INDEX jobs_user; DROP INDEX jobs_program;"
             "CREATE INDEX jobs_user ON jobs (user_name, %s); CREATE INDEX jobs_program ON jobs (program, %s);",
             columns, columns);
}

static enum fm_status complete_jobs(struct fm_db *db, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    enum fm_status status = write_missing_sums(&sql, db, FM_ROLLUP_JOBS, FM_STEP_DAY, error);
    if (!status)
        status = write_missing_sums(&sql, db, FM_ROLLUP_JOBS, FM_STEP_MONTH, error);
    return run_missing(db, &sql, status, error);
}

static enum fm_status add_coarse(struct fm_db *db, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    write_rollups(&sql, db, FM_ROLLUP_FINE, FM_ROLLUPS);
    fm_write(&sql, "CREATE INDEX day_users_user ON day_users (user_id, day);"
                   "CREATE INDEX month_users_user ON month_users (user_id, day);");
    write_wide_indexes(&sql);
    enum fm_status status = run_written(db, &sql, error);
    if (!status) /* what is summed up may be of fields that the older database does not know */
        status = complete_jobs(db, error);
    arena = (struct fm_arena){0};
    sql = (struct fm_writer){.arena = &arena};
    for (enum fm_rollup rollup = FM_ROLLUP_FINE; rollup < FM_ROLLUPS; rollup++) {
        fill_rollup(&sql, rollup, FM_STEP_DAY);
        fill_rollup(&sql, rollup, FM_STEP_MONTH);
    }
    if (!status)
        return run_written(db, &sql, error);
    fm_arena_destroy(&arena);
    return status;
}

enum fm_status fm_schema_to_2(struct fm_db *db, struct fm_error *error)
{
    enum fm_status status = add_people(db, error);
    return status ? status : add_coarse(db, error);
}

/* ---- version 3 ---- */

static void fill_step(struct fm_writer *sql, enum fm_rollup rollup, enum fm_step step, int64_t day)
{
    struct fm_rollup_table table;
    fm_rollup_describe(rollup, &table);
    fm_write(sql, "INSERT INTO %s_%s (", fm_step_name(step), table.name);
    for (size_t i = 0; i < table.n_columns; i++)
        fm_write(sql, "%s%s", i ? ", " : "", table.columns[i].name);
    fm_write(sql, ") SELECT %" PRId64, fm_step_first(step, day));
    for (size_t i = 1; i < table.n_columns; i++)
        fm_write(sql, i < table.n_keys ? ", %s" : ", SUM(%s)", table.columns[i].name);
    fm_write(sql, " FROM day_%s WHERE day >= %" PRId64 " AND day < %" PRId64 " GROUP BY ", table.name,
             fm_step_first(step, day), fm_step_first_next(step, day));
    for (size_t i = 1; i < table.n_keys; i++)
        fm_write(sql, "%s%s", i > 1 ? ", " : "", table.columns[i].name);
    fm_write(sql, ";");
}

/* The first day from this one on that has jobs; -1 if there is none. */
static enum fm_status next_day(struct fm_db *db, int64_t *day, struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(&query, db, "SELECT MIN(day) FROM day_classes WHERE day >= $1", error);
    if (status)
        return status;
    fm_query_whole(query, 1, *day);
    status = fm_query_next(query, &row, error);
    if (!status)
        *day = row && !fm_column_is_null(query, 0) ? fm_column_whole(query, 0) : -1;
    fm_query_close(query);
    return status;
}

static enum fm_status fill_steps(struct fm_db *db, enum fm_step step, struct fm_error *error)
{
    int64_t day = 0;
    enum fm_status status = next_day(db, &day, error);
    while (!status && day >= 0) {
        struct fm_arena arena = {0};
        struct fm_writer sql = {.arena = &arena};
        for (enum fm_rollup rollup = 0; rollup < FM_ROLLUPS; rollup++)
            if (fm_rollup_is_by(rollup, step))
                fill_step(&sql, rollup, step, day);
        status = run_written(db, &sql, error);
        day = fm_step_first_next(step, day);
        if (!status)
            status = next_day(db, &day, error);
    }
    return status;
}

enum fm_status fm_schema_to_3(struct fm_db *db, struct fm_error *error)
{
    static const enum fm_step steps[] = {FM_STEP_WEEK, FM_STEP_QUARTER};
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    for (int i = 0; i < 2; i++)
        for (enum fm_rollup rollup = 0; rollup < FM_ROLLUPS; rollup++)
            if (fm_rollup_is_by(rollup, steps[i]))
                write_rollup(&sql, db, rollup, steps[i]);
    enum fm_status status = run_written(db, &sql, error);
    if (!status)
        status = fm_schema_complete(db, error);
    for (int i = 0; i < 2 && !status; i++)
        status = fill_steps(db, steps[i], error);
    return status;
}
