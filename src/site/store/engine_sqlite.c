/* SPDX-License-Identifier: BSD-3-Clause */
/* SQLite: one file, readers never wait for the writer (write-ahead log). */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/writer.h"
#include "site/store/engine_ops.h"

/* A transaction waits this long for another writer. */
enum { BUSY_MS = 60000 };

/* So many steps of SQLite's virtual machine, some microseconds, are between two looks at the clock. */
enum { STEPS_PER_LOOK = 2000 };

struct sqlite_db {
    struct fm_db common;
    sqlite3 *handle;
    uint64_t limit_ns, until_ns; /* of a statement, of the one that was started last; 0: none */
};

struct sqlite_query {
    struct fm_query common;
    sqlite3_stmt *statement;
    bool running;
};

struct sqlite_bulk {
    struct fm_bulk common;
    struct fm_query *query;
    int column;
};

static sqlite3 *handle_of(const struct fm_db *db)
{
    return ((const struct sqlite_db *)db)->handle;
}

static sqlite3_stmt *statement_of(const struct fm_query *query)
{
    return ((const struct sqlite_query *)query)->statement;
}

static enum fm_status failed(const struct fm_db *db, struct fm_error *error)
{
    int code = sqlite3_errcode(handle_of(db)) & 0xff;
    if (code == SQLITE_INTERRUPT)
        return fm_fail(error, FM_ERR_SYSTEM, "the database '%s' took too long for an answer", db->name);
    enum fm_status status = code == SQLITE_NOMEM                              ? FM_ERR_MEMORY
                            : code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? FM_ERR_INPUT
                                                                              : FM_ERR_SYSTEM;
    /* readers need the right to write, too: they share memory with the writer in a file beside the database */
    if (db->access == FM_DB_READ && (sqlite3_errcode(handle_of(db)) & 0xff) == SQLITE_READONLY)
        return fm_fail(error, status, "the database '%s' can only be read by users who may also write to it", db->name);
    return fm_fail(error, status, "the database '%s' says: %s", db->name, sqlite3_errmsg(handle_of(db)));
}

/* ---- the database ---- */

static void sqlite_close(struct fm_db *db)
{
    sqlite3_close_v2(handle_of(db));
    free(db);
}

static int is_late(void *context)
{
    struct sqlite_db *own = context;
    bool late = own->until_ns && fm_clock_ns(CLOCK_MONOTONIC) > own->until_ns;
    own->common.was_late |= late;
    return late;
}

static enum fm_status sqlite_limit(struct fm_db *db, double seconds, struct fm_error *error)
{
    struct sqlite_db *own = (struct sqlite_db *)db;
    (void)error;
    own->limit_ns = (uint64_t)(fmin(seconds, 1e6) * 1e9);
    own->until_ns = 0;
    sqlite3_progress_handler(own->handle, STEPS_PER_LOOK, own->limit_ns ? is_late : NULL, own);
    return FM_OK;
}

static void start_clock(struct fm_db *db)
{
    struct sqlite_db *own = (struct sqlite_db *)db;
    own->until_ns = own->limit_ns ? fm_clock_ns(CLOCK_MONOTONIC) + own->limit_ns : 0;
}

static enum fm_status sqlite_run(struct fm_db *db, const char *sql, struct fm_error *error)
{
    start_clock(db);
    return sqlite3_exec(handle_of(db), sql, NULL, NULL, NULL) == SQLITE_OK ? FM_OK : failed(db, error);
}

static const char *sqlite_begin(const struct fm_db *db)
{
    return db->access == FM_DB_READ ? "BEGIN" : "BEGIN IMMEDIATE";
}

/* Allows what a SELECT needs. */
static int authorize(void *context, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)context, (void)a, (void)c, (void)d;
    if (action == SQLITE_FUNCTION)
        return b && strcmp(b, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    return action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_RECURSIVE ? SQLITE_OK : SQLITE_DENY;
}

static enum fm_status sqlite_only_read(struct fm_db *db, struct fm_error *error)
{
    enum fm_status status = sqlite_run(db, "PRAGMA query_only = ON", error);
    if (!status)
        sqlite3_set_authorizer(handle_of(db), authorize, NULL);
    return status;
}

/* ---- statements ---- */

/* $1 would be the name of a parameter, numbered by its first use; ?1 is parameter 1. */
static char *with_numbers(const char *sql)
{
    char *text = strdup(sql);
    char quote = 0;
    for (char *at = text; at && *at; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '\'' || *at == '"')
            quote = *at;
        else if (*at == '$' && isdigit((unsigned char)at[1]))
            *at = '?';
    }
    return text;
}

static enum fm_status sqlite_prepare(struct fm_query **query, struct fm_db *db, const char *sql, struct fm_error *error)
{
    struct sqlite_query *made = calloc(1, sizeof *made);
    char *text = with_numbers(sql);
    const char *rest = "";
    if (!made || !text) {
        free(made);
        free(text);
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a statement");
    }
    enum fm_status status = FM_OK;
    if (sqlite3_prepare_v3(handle_of(db), text, -1, SQLITE_PREPARE_PERSISTENT, &made->statement, &rest) != SQLITE_OK)
        status = failed(db, error);
    else if (!made->statement || rest[strspn(rest, " \t\r\n;")])
        status = fm_fail(error, FM_ERR_USAGE, "exactly one SQL statement is needed");
    free(text);
    if (status) {
        sqlite3_finalize(made->statement);
        free(made);
        return status;
    }
    *query = &made->common;
    return FM_OK;
}

static void sqlite_reset(struct fm_query *query)
{
    ((struct sqlite_query *)query)->running = false;
    sqlite3_reset(statement_of(query));
    sqlite3_clear_bindings(statement_of(query));
}

static void sqlite_destroy(struct fm_query *query)
{
    sqlite3_finalize(statement_of(query));
    free(query);
}

static void sqlite_bind(struct fm_query *query, int parameter, enum fm_value_kind kind, int64_t whole, double real,
                        const void *bytes, size_t size)
{
    sqlite3_stmt *statement = statement_of(query);
    switch (kind) {
    case FM_VALUE_NULL:
        sqlite3_bind_null(statement, parameter);
        break;
    case FM_VALUE_WHOLE:
        sqlite3_bind_int64(statement, parameter, whole);
        break;
    case FM_VALUE_REAL:
        sqlite3_bind_double(statement, parameter, real);
        break;
    case FM_VALUE_TEXT:
        sqlite3_bind_text64(statement, parameter, bytes, size, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case FM_VALUE_BYTES:
        sqlite3_bind_blob64(statement, parameter, size ? bytes : "", size, SQLITE_TRANSIENT);
        break;
    }
}

static enum fm_status sqlite_next(struct fm_query *query, bool *row, struct fm_error *error)
{
    struct sqlite_query *own = (struct sqlite_query *)query;
    if (!own->running)
        start_clock(query->db);
    int result = sqlite3_step(own->statement);
    *row = own->running = result == SQLITE_ROW;
    if (result == SQLITE_ROW)
        return FM_OK;
    enum fm_status status = result == SQLITE_DONE ? FM_OK : failed(query->db, error);
    sqlite3_reset(own->statement);
    return status;
}

static int sqlite_columns(const struct fm_query *query)
{
    return sqlite3_column_count(statement_of(query));
}

static const char *sqlite_column_name(const struct fm_query *query, int column)
{
    const char *name = sqlite3_column_name(statement_of(query), column);
    return name ? name : "";
}

static enum fm_value_kind sqlite_column_kind(const struct fm_query *query, int column)
{
    switch (sqlite3_column_type(statement_of(query), column)) {
    case SQLITE_INTEGER:
        return FM_VALUE_WHOLE;
    case SQLITE_FLOAT:
        return FM_VALUE_REAL;
    case SQLITE_TEXT:
        return FM_VALUE_TEXT;
    case SQLITE_BLOB:
        return FM_VALUE_BYTES;
    default:
        return FM_VALUE_NULL;
    }
}

static int64_t sqlite_column_whole(const struct fm_query *query, int column)
{
    return sqlite3_column_int64(statement_of(query), column);
}

static double sqlite_column_real(const struct fm_query *query, int column)
{
    return sqlite3_column_double(statement_of(query), column);
}

static const char *sqlite_column_text(const struct fm_query *query, int column)
{
    const unsigned char *text = sqlite3_column_text(statement_of(query), column);
    return text ? (const char *)text : "";
}

static const void *sqlite_column_bytes(const struct fm_query *query, int column, size_t *size)
{
    const void *bytes = sqlite3_column_blob(statement_of(query), column);
    *size = (size_t)sqlite3_column_bytes(statement_of(query), column);
    return bytes;
}

/* ---- bulks: a prepared INSERT ---- */

static enum fm_status sqlite_bulk_open(struct fm_bulk **bulk, struct fm_db *db, const struct fm_bulk_target *target,
                                       struct fm_error *error)
{
    struct fm_arena arena = {0};
    struct fm_writer values = {.arena = &arena};
    fm_write(&values, "VALUES (");
    for (size_t i = 0; i < target->n_columns; i++)
        fm_write(&values, "%s$%zu", i ? ", " : "", i + 1);
    fm_write(&values, ")");
    const char *source = fm_writer_text(&values);
    char *sql = source ? fm_bulk_insert_sql(target, source) : NULL;
    fm_arena_destroy(&arena);
    struct sqlite_bulk *made = calloc(1, sizeof *made);
    enum fm_status status = made && sql ? fm_query_open(&made->query, db, sql, error)
                                        : fm_fail(error, FM_ERR_MEMORY, "not enough memory for rows of a table");
    free(sql);
    if (status) {
        free(made);
        return status;
    }
    *bulk = &made->common;
    return FM_OK;
}

static void sqlite_bulk_value(struct fm_bulk *bulk, enum fm_value_kind kind, int64_t whole, double real,
                              const void *bytes, size_t size)
{
    struct sqlite_bulk *own = (struct sqlite_bulk *)bulk;
    sqlite_bind(own->query, ++own->column, kind, whole, real, bytes, size);
}

static enum fm_status sqlite_bulk_row(struct fm_bulk *bulk, struct fm_error *error)
{
    struct sqlite_bulk *own = (struct sqlite_bulk *)bulk;
    own->column = 0;
    return fm_query_run(own->query, error);
}

static void sqlite_bulk_abandon(struct fm_bulk *bulk)
{
    fm_query_close(((struct sqlite_bulk *)bulk)->query);
    free(bulk);
}

static enum fm_status sqlite_bulk_end(struct fm_bulk *bulk, struct fm_error *error)
{
    (void)error;
    sqlite_bulk_abandon(bulk);
    return FM_OK;
}

/* ---- opening ---- */

static const struct fm_db_ops sqlite_ops = {
    .kind = FM_DB_SQLITE,
    .words = {[FM_SQL_WHOLE] = "INTEGER",
              [FM_SQL_REAL] = "REAL",
              [FM_SQL_BYTES] = "BLOB",
              [FM_SQL_TABLE] = "STRICT",
              [FM_SQL_KEYED] = "STRICT, WITHOUT ROWID",
              [FM_SQL_DATE] = "date(%s * 86400, 'unixepoch')",
              [FM_SQL_EXPLAIN] = "EXPLAIN QUERY PLAN"},
    .close = sqlite_close,
    .run = sqlite_run,
    .only_read = sqlite_only_read,
    .limit = sqlite_limit,
    .begin = sqlite_begin,
    .prepare = sqlite_prepare,
    .reset = sqlite_reset,
    .destroy = sqlite_destroy,
    .bind = sqlite_bind,
    .next = sqlite_next,
    .columns = sqlite_columns,
    .column_name = sqlite_column_name,
    .column_kind = sqlite_column_kind,
    .column_whole = sqlite_column_whole,
    .column_real = sqlite_column_real,
    .column_text = sqlite_column_text,
    .column_bytes = sqlite_column_bytes,
    .bulk_open = sqlite_bulk_open,
    .bulk_value = sqlite_bulk_value,
    .bulk_row = sqlite_bulk_row,
    .bulk_end = sqlite_bulk_end,
    .bulk_abandon = sqlite_bulk_abandon,
};

/* synchronous = FULL: what was committed is on the disk, because its source may be removed then. Pages of 8 KiB hold
 * several compressed records each. A view or trigger that somebody put into the file must not call functions with side
 * effects: trusted_schema. */
static enum fm_status set_up(struct fm_db *db, struct fm_error *error)
{
    sqlite3_busy_timeout(handle_of(db), BUSY_MS);
    sqlite3_db_config(handle_of(db), SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    enum fm_status status = sqlite_run(db,
                                       "PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;"
                                       "PRAGMA cache_size = -131072; PRAGMA cell_size_check = ON",
                                       error);
    if (!status && db->access != FM_DB_READ)
        status = sqlite_run(db,
                            "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                            "PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864",
                            error);
    return status;
}

/* Why a file cannot be read; 0 if it can. */
static int access_to(const char *path)
{
    return euidaccess(path, R_OK) == 0 ? 0 : errno;
}

enum fm_status fm_sqlite_open(struct fm_db **db, const char *path, enum fm_db_access access, struct fm_error *error)
{
    static const int flags[] = {[FM_DB_READ] = SQLITE_OPEN_READONLY,
                                [FM_DB_WRITE] = SQLITE_OPEN_READWRITE,
                                [FM_DB_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE};
    struct sqlite_db *made = calloc(1, sizeof *made);
    if (!made)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a database");
    made->common = (struct fm_db){.ops = &sqlite_ops, .access = access};
    snprintf(made->common.name, sizeof made->common.name, "%s", path);
    int result = sqlite3_open_v2(path, &made->handle, flags[access] | SQLITE_OPEN_NOMUTEX, NULL);
    enum fm_status status = FM_OK;
    if (result == SQLITE_CANTOPEN && access != FM_DB_CREATE && access_to(path) == ENOENT)
        status = fm_fail(error, FM_ERR_SYSTEM, "there is no database '%s'; 'fathom site init' makes it", path);
    else if (result == SQLITE_CANTOPEN && access_to(path) == EACCES)
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot open the database '%s': %s", path, strerror(EACCES));
    else if (result != SQLITE_OK)
        status = fm_fail(error, FM_ERR_SYSTEM, "cannot open the database '%s': %s", path,
                         made->handle ? sqlite3_errmsg(made->handle) : "not enough memory");
    else
        status = set_up(&made->common, error);
    if (status) {
        sqlite_close(&made->common);
        return status;
    }
    *db = &made->common;
    return FM_OK;
}
