/* SPDX-License-Identifier: BSD-3-Clause */
/* A database behind one interface: SQLite or PostgreSQL. Everything above writes SQL that both understand, with $1, $2, ...
 * as parameters; what differs is asked for by name (fm_db_sql). One thread at a time.
 *
 * A database is named by an address: "sqlite:PATH", a path, or "postgresql://..." (libpq's own syntax; a password belongs
 * into ~/.pgpass or PGPASSFILE, never into the address). No message contains the address of a server. */
#ifndef FM_SITE_STORE_ENGINE_H
#define FM_SITE_STORE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct fm_db;
struct fm_query; /* a prepared statement; belongs to the database until fm_query_close */
struct fm_bulk;  /* rows on their way into a table */

enum fm_db_access { FM_DB_READ, FM_DB_WRITE, FM_DB_CREATE };
enum fm_db_kind { FM_DB_SQLITE, FM_DB_POSTGRES };

enum fm_status fm_db_open(struct fm_db **db, const char *address, enum fm_db_access access, struct fm_error *error);
void fm_db_close(struct fm_db *db); /* may be NULL */
enum fm_db_kind fm_db_kind(const struct fm_db *db);
enum fm_db_access fm_db_access(const struct fm_db *db);
const char *fm_db_name(const struct fm_db *db); /* for messages */

/* What differs between the engines. */
enum fm_db_word {
    FM_SQL_WHOLE,   /* type of a 64-bit integer */
    FM_SQL_REAL,    /* type of a double */
    FM_SQL_BYTES,   /* type of a byte string */
    FM_SQL_TABLE,   /* after the columns of a table: its columns have types that are checked */
    FM_SQL_KEYED,   /* the same, stored in the order of its primary key */
    FM_SQL_DATE,    /* printf format: a column of days since 1970 as a date */
    FM_SQL_EXPLAIN, /* before a statement: how it would be run */
    FM_SQL_WORDS
};
const char *fm_db_sql(const struct fm_db *db, enum fm_db_word word);

/* One or more statements without parameters and results. */
enum fm_status fm_db_run(struct fm_db *db, const char *sql, struct fm_error *error);
/* With FM_DB_READ everything until the commit sees the same state. */
enum fm_status fm_db_begin(struct fm_db *db, struct fm_error *error);
enum fm_status fm_db_commit(struct fm_db *db, struct fm_error *error);
void fm_db_rollback(struct fm_db *db); /* nothing if no transaction is open */
/* From now on nothing but reading tables is allowed, whatever the statement: for SQL of unknown origin. */
enum fm_status fm_db_only_read(struct fm_db *db, struct fm_error *error);

/* From now on a statement that takes longer is given up: FM_ERR_SYSTEM. 0: no limit, as at first. */
enum fm_status fm_db_limit(struct fm_db *db, double seconds, struct fm_error *error);
bool fm_db_was_late(const struct fm_db *db); /* whether that has happened since the limit was set */

/* Prepared statements with the same text are kept: opening one again is cheap. */
enum fm_status fm_query_open(struct fm_query **query, struct fm_db *db, const char *sql, struct fm_error *error);
void fm_query_close(struct fm_query *query); /* may be NULL */
/* Its rows come one by one, however many: until the last one no other statement may be run. */
void fm_query_stream(struct fm_query *query);

/* Parameters are numbered from 1. Texts are copied. A NULL text and a NAN are NULL. */
void fm_query_text(struct fm_query *query, int parameter, const char *text);
void fm_query_whole(struct fm_query *query, int parameter, int64_t value);
void fm_query_real(struct fm_query *query, int parameter, double value);
void fm_query_bytes(struct fm_query *query, int parameter, const void *bytes, size_t size);
void fm_query_null(struct fm_query *query, int parameter);

/* Runs the statement, or goes to its next row: *row tells whether there is one. After the last row it can be bound and
 * run again. */
enum fm_status fm_query_next(struct fm_query *query, bool *row, struct fm_error *error);
/* Runs a statement whose rows, if any, do not matter. */
enum fm_status fm_query_run(struct fm_query *query, struct fm_error *error);

/* Columns are numbered from 0; valid until the next row. */
enum fm_value_kind { FM_VALUE_NULL, FM_VALUE_WHOLE, FM_VALUE_REAL, FM_VALUE_TEXT, FM_VALUE_BYTES };
int fm_query_columns(const struct fm_query *query); /* known after the first fm_query_next */
const char *fm_query_column_name(const struct fm_query *query, int column);
enum fm_value_kind fm_column_kind_of(const struct fm_query *query, int column); /* of the value in this row */
bool fm_column_is_null(const struct fm_query *query, int column);
int64_t fm_column_whole(const struct fm_query *query, int column);    /* 0 if NULL */
double fm_column_real(const struct fm_query *query, int column);      /* NAN if NULL */
const char *fm_column_text(const struct fm_query *query, int column); /* "" if NULL */
const void *fm_column_bytes(const struct fm_query *query, int column, size_t *size);

/* Many rows for one table, as fast as the engine can. No other statement may be run before fm_bulk_end. */
struct fm_bulk_column {
    const char *name;
    enum fm_value_kind kind;
};
struct fm_bulk_target {
    const char *table;
    const struct fm_bulk_column *columns;
    size_t n_columns;
    /* 0: rows are inserted. Otherwise the first `n_keys` columns are the primary key; what the table has under it
     * already is added to, column by column. Within one bulk a key occurs once. */
    size_t n_keys;
};
enum fm_status fm_bulk_open(struct fm_bulk **bulk, struct fm_db *db, const struct fm_bulk_target *target,
                            struct fm_error *error);
/* The values of a row, in the order of the columns. */
void fm_bulk_whole(struct fm_bulk *bulk, int64_t value);
void fm_bulk_real(struct fm_bulk *bulk, double value);
void fm_bulk_text(struct fm_bulk *bulk, const char *text);
void fm_bulk_bytes(struct fm_bulk *bulk, const void *bytes, size_t size);
void fm_bulk_null(struct fm_bulk *bulk);
enum fm_status fm_bulk_row(struct fm_bulk *bulk, struct fm_error *error);
/* Ends it, successful or not: the bulk is gone. */
enum fm_status fm_bulk_end(struct fm_bulk *bulk, struct fm_error *error);
void fm_bulk_abandon(struct fm_bulk *bulk); /* may be NULL; the transaction must be rolled back */

#endif
