/* SPDX-License-Identifier: BSD-3-Clause */
/* PostgreSQL through libpq. Values travel as text, byte strings in binary; bulks: engine_postgres_bulk.c. */
#include "site/store/engine_postgres.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Types of columns, from the server's catalog pg_type. */
enum { OID_BOOL = 16, OID_BYTEA = 17, OID_INT8 = 20, OID_INT2 = 21, OID_INT4 = 23, OID_OID = 26 };
enum { OID_FLOAT4 = 700, OID_FLOAT8 = 701, OID_NUMERIC = 1700 };
enum { MOST_PARAMETERS = 256, NUMBER_CHARS = 40 };

struct postgres_parameter {
    char *text; /* NULL: NULL */
    size_t size, capacity;
    bool binary;
};

struct postgres_query {
    struct fm_query common;
    char name[24];
    struct postgres_parameter *parameters;
    int n_parameters;
    bool failed; /* out of memory while binding */
    bool running;
    PGresult *result;
    int row;
    unsigned char **bytes; /* per column: byte strings of this row, decoded */
};

/* ---- the database ---- */

static void postgres_close(struct fm_db *db)
{
    PQfinish(fm_postgres_connection(db));
    free(db);
}

static enum fm_status postgres_run(struct fm_db *db, const char *sql, struct fm_error *error)
{
    PGresult *result = PQexec(fm_postgres_connection(db), sql);
    ExecStatusType what = PQresultStatus(result);
    if (what != PGRES_COMMAND_OK && what != PGRES_TUPLES_OK && what != PGRES_EMPTY_QUERY)
        return fm_postgres_failed(db, result, error);
    /* COMMIT of a transaction in which something failed is answered with ROLLBACK, and is no error of its own */
    bool undone = strcmp(sql, "COMMIT") == 0 && strcmp(PQcmdStatus(result), "ROLLBACK") == 0;
    PQclear(result);
    return undone ? fm_fail(error, FM_ERR_SYSTEM, "the database '%s' did not commit: a statement had failed", db->name)
                  : FM_OK;
}

static enum fm_status postgres_limit(struct fm_db *db, double seconds, struct fm_error *error)
{
    char sql[64];
    snprintf(sql, sizeof sql, "SET statement_timeout = %.0f", seconds > 0 ? ceil(fmin(seconds, 1e6) * 1e3) : 0);
    return postgres_run(db, sql, error);
}

static const char *postgres_begin(const struct fm_db *db)
{
    return db->access == FM_DB_READ ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN";
}

static enum fm_status postgres_only_read(struct fm_db *db, struct fm_error *error)
{
    /* In a transaction that has read something the mode cannot be changed any more. */
    enum fm_status status = postgres_run(
        db, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1 FROM fathom LIMIT 1", error);
    db->in_transaction = status == FM_OK;
    return status;
}

/* ---- statements ---- */

static enum fm_status postgres_prepare(struct fm_query **query, struct fm_db *db, const char *sql,
                                       struct fm_error *error)
{
    struct postgres_query *made = calloc(1, sizeof *made);
    if (!made)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a statement");
    snprintf(made->name, sizeof made->name, "fathom_%u", ((struct fm_postgres_db *)db)->n_prepared++);
    PGresult *result = PQprepare(fm_postgres_connection(db), made->name, sql, 0, NULL);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
        free(made);
        return fm_postgres_failed(db, result, error);
    }
    PQclear(result);
    *query = &made->common;
    return FM_OK;
}

static void forget_bytes(struct postgres_query *query)
{
    for (int i = 0; query->bytes && i < PQnfields(query->result); i++) {
        PQfreemem(query->bytes[i]);
        query->bytes[i] = NULL;
    }
}

static void forget_result(struct postgres_query *query)
{
    forget_bytes(query);
    free(query->bytes);
    query->bytes = NULL;
    PQclear(query->result);
    query->result = NULL;
}

/* Takes what is left of a statement off the connection. */
static void drain(struct postgres_query *query)
{
    PGconn *connection = fm_postgres_connection(query->common.db);
    for (PGresult *rest = PQgetResult(connection); rest; rest = PQgetResult(connection)) {
        ExecStatusType what = PQresultStatus(rest);
        PQclear(rest);
        if (what == PGRES_COPY_IN || what == PGRES_COPY_OUT || what == PGRES_COPY_BOTH)
            break; /* would never end */
    }
}

static void stop(struct postgres_query *query)
{
    if (query->running && query->common.stream) {
        PGcancel *cancel = PQgetCancel(fm_postgres_connection(query->common.db));
        char why[256];
        if (cancel)
            PQcancel(cancel, why, sizeof why);
        PQfreeCancel(cancel);
        drain(query);
    }
    query->running = false;
    forget_result(query);
}

static void postgres_reset(struct fm_query *query)
{
    struct postgres_query *own = (struct postgres_query *)query;
    stop(own);
    for (int i = 0; i < own->n_parameters; i++)
        own->parameters[i].size = SIZE_MAX;
    own->n_parameters = 0;
    own->failed = false;
}

static void postgres_destroy(struct fm_query *query)
{
    struct postgres_query *own = (struct postgres_query *)query;
    char sql[64];
    snprintf(sql, sizeof sql, "DEALLOCATE %s", own->name);
    stop(own);
    if (own->common.db->n_idle) /* at the end the connection takes them all with it */
        postgres_run(own->common.db, sql, NULL);
    for (int i = 0; own->parameters && i < MOST_PARAMETERS; i++)
        free(own->parameters[i].text);
    free(own->parameters);
    free(own);
}

static void set_parameter(struct postgres_query *query, int number, const void *bytes, size_t size, bool binary)
{
    if (!query->parameters)
        query->parameters = calloc(MOST_PARAMETERS, sizeof *query->parameters);
    if (!query->parameters || number < 1 || number > MOST_PARAMETERS) {
        query->failed = true;
        return;
    }
    for (; query->n_parameters < number; query->n_parameters++)
        query->parameters[query->n_parameters].size = SIZE_MAX;
    struct postgres_parameter *parameter = &query->parameters[number - 1];
    if (bytes && parameter->capacity < size + 1) {
        char *larger = realloc(parameter->text, size + 1);
        if (!larger) {
            query->failed = true;
            return;
        }
        parameter->text = larger;
        parameter->capacity = size + 1;
    }
    if (bytes && parameter->text) {
        memcpy(parameter->text, bytes, size);
        parameter->text[size] = 0;
    }
    parameter->size = bytes ? size : SIZE_MAX;
    parameter->binary = binary;
}

static void postgres_bind(struct fm_query *query, int parameter, enum fm_value_kind kind, int64_t whole, double real,
                          const void *bytes, size_t size)
{
    struct postgres_query *own = (struct postgres_query *)query;
    char number[NUMBER_CHARS];
    if (kind == FM_VALUE_WHOLE)
        snprintf(number, sizeof number, "%" PRId64, whole);
    else if (kind == FM_VALUE_REAL)
        snprintf(number, sizeof number, isinf(real) ? (real > 0 ? "Infinity" : "-Infinity") : "%.17g", real);
    if (kind == FM_VALUE_WHOLE || kind == FM_VALUE_REAL)
        set_parameter(own, parameter, number, strlen(number), false);
    else
        set_parameter(own, parameter, kind == FM_VALUE_NULL ? NULL : size ? bytes : "", size, kind == FM_VALUE_BYTES);
}

static enum fm_status start(struct postgres_query *query, struct fm_error *error)
{
    PGconn *connection = fm_postgres_connection(query->common.db);
    const char *values[MOST_PARAMETERS];
    int lengths[MOST_PARAMETERS], formats[MOST_PARAMETERS];
    if (query->failed)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the values of a statement");
    for (int i = 0; i < query->n_parameters; i++) {
        const struct postgres_parameter *parameter = &query->parameters[i];
        values[i] = parameter->size == SIZE_MAX ? NULL : parameter->text;
        lengths[i] = parameter->size == SIZE_MAX ? 0 : (int)parameter->size;
        formats[i] = parameter->binary;
    }
    query->row = -1;
    if (!query->common.stream) {
        query->result = PQexecPrepared(connection, query->name, query->n_parameters, values, lengths, formats, 0);
        return FM_OK;
    }
    if (!PQsendQueryPrepared(connection, query->name, query->n_parameters, values, lengths, formats, 0) ||
        !PQsetSingleRowMode(connection))
        return fm_postgres_failed(query->common.db, NULL, error);
    query->result = PQgetResult(connection);
    return FM_OK;
}

/* Whether there is a row in `result`, after the one before. */
static enum fm_status advance(struct postgres_query *query, bool *row, struct fm_error *error)
{
    forget_bytes(query);
    if (query->common.stream && query->row >= 0) {
        forget_result(query);
        query->result = PQgetResult(fm_postgres_connection(query->common.db));
        query->row = -1;
    }
    ExecStatusType what = PQresultStatus(query->result);
    if (what != PGRES_COMMAND_OK && what != PGRES_TUPLES_OK && what != PGRES_SINGLE_TUPLE) {
        PGresult *result = query->result;
        free(query->bytes);
        query->bytes = NULL;
        query->result = NULL;
        query->running = false;
        if (what == PGRES_COPY_OUT || what == PGRES_COPY_IN || what == PGRES_COPY_BOTH) {
            PQclear(result);
            return fm_fail(error, FM_ERR_USAGE, "COPY is not possible here");
        }
        enum fm_status status = fm_postgres_failed(query->common.db, result, error);
        if (query->common.stream)
            drain(query);
        return status;
    }
    *row = ++query->row < PQntuples(query->result);
    return FM_OK;
}

static enum fm_status postgres_next(struct fm_query *query, bool *row, struct fm_error *error)
{
    struct postgres_query *own = (struct postgres_query *)query;
    enum fm_status status = FM_OK;
    if (!own->running) {
        forget_result(own);
        status = start(own, error);
        own->running = status == FM_OK;
    }
    if (!status)
        status = advance(own, row, error);
    if (!status && !*row) { /* the result is kept: its columns have names */
        own->running = false;
        if (query->stream)
            drain(own);
    }
    return status;
}

static int postgres_columns(const struct fm_query *query)
{
    return PQnfields(((const struct postgres_query *)query)->result);
}

static const char *postgres_column_name(const struct fm_query *query, int column)
{
    const char *name = PQfname(((const struct postgres_query *)query)->result, column);
    return name ? name : "";
}

static const char *value_of(const struct fm_query *query, int column)
{
    const struct postgres_query *own = (const struct postgres_query *)query;
    return PQgetvalue(own->result, own->row, column);
}

static enum fm_value_kind postgres_column_kind(const struct fm_query *query, int column)
{
    const struct postgres_query *own = (const struct postgres_query *)query;
    if (PQgetisnull(own->result, own->row, column))
        return FM_VALUE_NULL;
    switch (PQftype(own->result, column)) {
    case OID_INT8:
    case OID_INT4:
    case OID_INT2:
    case OID_OID:
        return FM_VALUE_WHOLE;
    case OID_NUMERIC:
        return strpbrk(value_of(query, column), ".NI") ? FM_VALUE_REAL : FM_VALUE_WHOLE;
    case OID_FLOAT4:
    case OID_FLOAT8:
        return FM_VALUE_REAL;
    case OID_BYTEA:
        return FM_VALUE_BYTES;
    default:
        return FM_VALUE_TEXT;
    }
}

static int64_t postgres_column_whole(const struct fm_query *query, int column)
{
    const char *text = value_of(query, column);
    if (PQftype(((const struct postgres_query *)query)->result, column) == OID_BOOL)
        return *text == 't';
    if (!strpbrk(text, ".eEIN"))
        return strtoll(text, NULL, 10);
    double value = strtod(text, NULL);
    return fabs(value) < 9.2e18 ? (int64_t)value : 0;
}

static double postgres_column_real(const struct fm_query *query, int column)
{
    return strtod(value_of(query, column), NULL);
}

static const void *postgres_column_bytes(const struct fm_query *query, int column, size_t *size)
{
    struct postgres_query *own = (struct postgres_query *)query;
    if (PQftype(own->result, column) != OID_BYTEA) {
        *size = (size_t)PQgetlength(own->result, own->row, column);
        return value_of(query, column);
    }
    if (!own->bytes)
        own->bytes = calloc((size_t)PQnfields(own->result), sizeof *own->bytes);
    if (!own->bytes)
        return NULL;
    PQfreemem(own->bytes[column]);
    own->bytes[column] = PQunescapeBytea((const unsigned char *)value_of(query, column), size);
    return own->bytes[column];
}

/* ---- opening ---- */

static const struct fm_db_ops postgres_ops = {
    .kind = FM_DB_POSTGRES,
    .words = {[FM_SQL_WHOLE] = "BIGINT",
              [FM_SQL_REAL] = "DOUBLE PRECISION",
              [FM_SQL_BYTES] = "BYTEA",
              [FM_SQL_TABLE] = "",
              [FM_SQL_KEYED] = "",
              [FM_SQL_DATE] = "to_char(DATE '1970-01-01' + CAST(%s AS INTEGER), 'YYYY-MM-DD')",
              [FM_SQL_EXPLAIN] = "EXPLAIN"},
    .close = postgres_close,
    .run = postgres_run,
    .only_read = postgres_only_read,
    .limit = postgres_limit,
    .begin = postgres_begin,
    .prepare = postgres_prepare,
    .reset = postgres_reset,
    .destroy = postgres_destroy,
    .bind = postgres_bind,
    .next = postgres_next,
    .columns = postgres_columns,
    .column_name = postgres_column_name,
    .column_kind = postgres_column_kind,
    .column_whole = postgres_column_whole,
    .column_real = postgres_column_real,
    .column_text = value_of,
    .column_bytes = postgres_column_bytes,
    .bulk_open = fm_postgres_bulk_open,
    .bulk_value = fm_postgres_bulk_value,
    .bulk_row = fm_postgres_bulk_row,
    .bulk_end = fm_postgres_bulk_end,
    .bulk_abandon = fm_postgres_bulk_abandon,
};

/* libpq's own messages about an address repeat it, with whatever secret is in it. */
static enum fm_status check_address(const char *address, struct fm_error *error)
{
    char *message = NULL;
    PQconninfoOption *options = PQconninfoParse(address, &message);
    PQfreemem(message);
    if (!options)
        return fm_fail(error, FM_ERR_USAGE,
                       "the address of the database is not valid; write postgresql://USER@HOST/DATABASE");
    bool secret = false;
    for (const PQconninfoOption *option = options; option->keyword; option++)
        secret |= option->val && *option->val &&
                  (strcmp(option->keyword, "password") == 0 || strcmp(option->keyword, "sslpassword") == 0);
    PQconninfoFree(options);
    return secret ? fm_fail(error, FM_ERR_USAGE,
                            "the address of the database contains a password; put it into ~/.pgpass instead")
                  : FM_OK;
}

/* `database`: another one than in the address, or NULL. */
static PGconn *connect_to(const char *address, const char *database)
{
    const char *names[] = {"dbname", "application_name", "connect_timeout", database ? "dbname" : NULL, NULL};
    const char *values[] = {address, "fathom", "10", database, NULL};
    PGconn *connection = PQconnectdbParams(names, values, 1);
    return connection;
}

static void say_nothing(void *context, const char *message)
{
    (void)context, (void)message;
}

/* The server has no such database yet: asks it for one. */
static void create_database(const char *address, const PGconn *refused)
{
    const char *name = PQdb(refused);
    if (!name || !*name || !strstr(PQerrorMessage(refused), "does not exist"))
        return;
    PGconn *connection = connect_to(address, "postgres");
    char *quoted = PQstatus(connection) == CONNECTION_OK ? PQescapeIdentifier(connection, name, strlen(name)) : NULL;
    char sql[256];
    if (quoted &&
        snprintf(sql, sizeof sql, "CREATE DATABASE %s ENCODING 'UTF8' TEMPLATE template0", quoted) < (int)sizeof sql)
        PQclear(PQexec(connection, sql));
    PQfreemem(quoted);
    PQfinish(connection);
}

static enum fm_status cannot_connect(PGconn *connection, struct fm_error *error)
{
    const char *message = PQerrorMessage(connection);
    enum fm_status status = fm_fail(error, FM_ERR_SYSTEM, "cannot open the database '%s': %.*s",
                                    PQdb(connection) ? PQdb(connection) : "", (int)strcspn(message, "\n"), message);
    PQfinish(connection);
    return status;
}

enum fm_status fm_postgres_open(struct fm_db **db, const char *address, enum fm_db_access access,
                                struct fm_error *error)
{
    enum fm_status status = check_address(address, error);
    if (status)
        return status;
    PGconn *connection = connect_to(address, NULL);
    if (PQstatus(connection) != CONNECTION_OK && access == FM_DB_CREATE) {
        create_database(address, connection);
        PQreset(connection);
    }
    if (PQstatus(connection) != CONNECTION_OK)
        return cannot_connect(connection, error);
    struct fm_postgres_db *made = calloc(1, sizeof *made);
    if (!made) {
        PQfinish(connection);
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a database");
    }
    made->common = (struct fm_db){.ops = &postgres_ops, .access = access};
    made->connection = connection;
    snprintf(made->common.name, sizeof made->common.name, "%s", PQdb(connection));
    PQsetNoticeProcessor(connection, say_nothing, NULL);
    /* A plan for known values is worth its time: statements of the job list differ in how much they select. */
    status = postgres_run(&made->common,
                          "SET client_encoding = 'UTF8'; SET TIME ZONE 'UTC'; SET bytea_output = 'hex';"
                          "SET extra_float_digits = 3; SET jit = off",
                          error);
    if (!status && access == FM_DB_READ)
        status = postgres_run(&made->common,
                              "SET default_transaction_read_only = on; SET plan_cache_mode = force_custom_plan", error);
    if (status) {
        postgres_close(&made->common);
        return status;
    }
    *db = &made->common;
    return FM_OK;
}
