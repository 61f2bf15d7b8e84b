/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/schema_tables.h"

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

static void write_rollup(struct fm_writer *sql, const struct fm_db *db, enum fm_rollup rollup, const char *period)
{
    struct fm_rollup_table table;
    fm_rollup_describe(rollup, &table);
    fm_write(sql, "CREATE TABLE %s_%s (", period, table.name);
    for (size_t i = 0; i < table.n_columns; i++)
        fm_write(sql, "%s %s NOT NULL%s, ", table.columns[i].name, type_of(db, table.columns[i].kind),
                 i < table.n_keys ? "" : " DEFAULT 0");
    fm_write(sql, "PRIMARY KEY (");
    for (size_t i = 0; i < table.n_keys; i++)
        fm_write(sql, "%s%s", i ? ", " : "", table.columns[i].name);
    fm_write(sql, ")) %s;", fm_db_sql(db, FM_SQL_KEYED));
}

static void write_rollups(struct fm_writer *sql, const struct fm_db *db, int first, int end)
{
    for (int i = first; i < end; i++) {
        write_rollup(sql, db, (enum fm_rollup)i, "day");
        write_rollup(sql, db, (enum fm_rollup)i, "month");
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
static void fill_rollup(struct fm_writer *sql, enum fm_rollup rollup, const char *period)
{
    struct fm_rollup_table table, of;
    fm_rollup_describe(rollup, &table);
    fm_rollup_describe(table.of, &of);
    fm_write(sql, "INSERT INTO %s_%s (", period, table.name);
    for (size_t i = 0; i < table.n_columns; i++)
        fm_write(sql, "%s%s", i ? ", " : "", table.columns[i].name);
    fm_write(sql, ") SELECT ");
    for (size_t i = 0; i < table.n_columns; i++)
        fm_write(sql, i < table.n_keys ? "%s%s" : "%sSUM(%s)", i ? ", " : "", table.columns[i].name);
    fm_write(sql, " FROM %s_%s GROUP BY ", period, of.name);
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

static enum fm_status add_coarse(struct fm_db *db, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    write_rollups(&sql, db, FM_ROLLUP_FINE, FM_ROLLUPS);
    fm_write(&sql, "CREATE INDEX day_users_user ON day_users (user_id, day);"
                   "CREATE INDEX month_users_user ON month_users (user_id, day);");
    write_wide_indexes(&sql);
    enum fm_status status = run_written(db, &sql, error);
    if (!status) /* sums of fields that the older database does not know */
        status = fm_schema_complete(db, error);
    arena = (struct fm_arena){0};
    sql = (struct fm_writer){.arena = &arena};
    for (int i = FM_ROLLUP_FINE; i < FM_ROLLUPS; i++) {
        fill_rollup(&sql, (enum fm_rollup)i, "day");
        fill_rollup(&sql, (enum fm_rollup)i, "month");
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

/* ---- columns that were added since ---- */

/* `jobs`, and the roll-ups that sum up its fields, by day and by month. */
static const enum fm_rollup of_fields[] = {FM_ROLLUP_JOBS, FM_ROLLUP_CLASSES, FM_ROLLUP_USERS, FM_ROLLUP_PROGRAMS};
enum { TABLES_WITH_FIELDS = 1 + 2 * sizeof of_fields / sizeof *of_fields };

/* The columns that a table should have, and its name. */
static void wanted_columns(int number, char name[64], struct fm_bulk_column jobs[FM_JOBS_COLUMNS],
                           struct fm_rollup_table *rollup, const struct fm_bulk_column **columns, size_t *n)
{
    fm_schema_jobs_columns(jobs);
    fm_rollup_describe(number ? of_fields[(number - 1) / 2] : FM_ROLLUP_JOBS, rollup);
    *columns = number ? rollup->columns : jobs;
    *n = number ? rollup->n_columns : FM_JOBS_COLUMNS;
    snprintf(name, 64, "%s%s", number == 0 ? "" : number % 2 ? "day_" : "month_", rollup->name);
}

static bool has_column(const struct fm_query *query, const char *name)
{
    for (int i = 0; i < fm_query_columns(query); i++)
        if (strcmp(fm_query_column_name(query, i), name) == 0)
            return true;
    return false;
}

/* Writes the statements that add the missing columns of a table. */
static enum fm_status write_missing(struct fm_writer *sql, struct fm_db *db, int number, struct fm_error *error)
{
    struct fm_bulk_column jobs[FM_JOBS_COLUMNS];
    struct fm_rollup_table rollup;
    const struct fm_bulk_column *columns;
    size_t n;
    char table[64], select[96];
    wanted_columns(number, table, jobs, &rollup, &columns, &n);
    snprintf(select, sizeof select, "SELECT * FROM %s LIMIT 0", table);
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, db, select, error);
    if (status)
        return status;
    status = fm_query_run(query, error);
    for (size_t i = 0; i < n && !status; i++)
        if (!has_column(query, columns[i].name))
            fm_write(sql, "ALTER TABLE %s ADD COLUMN %s %s%s;", table, columns[i].name, type_of(db, columns[i].kind),
                     number ? " NOT NULL DEFAULT 0" : "");
    fm_query_close(query);
    return status;
}

static enum fm_status write_all_missing(struct fm_writer *sql, struct fm_db *db, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    for (int i = 0; i < TABLES_WITH_FIELDS && !status; i++)
        status = write_missing(sql, db, i, error);
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

enum fm_status fm_schema_complete(struct fm_db *db, struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    enum fm_status status = write_all_missing(&sql, db, error);
    if (status) {
        fm_arena_destroy(&arena);
        return status;
    }
    fm_write(&sql, " ");
    status = run_written(db, &sql, error);
    return status ? status : fm_schema_views(db, error);
}
