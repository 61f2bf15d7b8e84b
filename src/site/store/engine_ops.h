/* SPDX-License-Identifier: BSD-3-Clause */
/* What an engine provides. Its own structures begin with the common ones below. For engine*.c only. */
#ifndef FM_SITE_STORE_ENGINE_OPS_H
#define FM_SITE_STORE_ENGINE_OPS_H

#include "site/store/engine.h"

struct fm_db_ops {
    enum fm_db_kind kind;
    const char *words[FM_SQL_WORDS];

    void (*close)(struct fm_db *db);
    enum fm_status (*run)(struct fm_db *db, const char *sql, struct fm_error *error);
    enum fm_status (*only_read)(struct fm_db *db, struct fm_error *error);
    enum fm_status (*limit)(struct fm_db *db, double seconds, struct fm_error *error);
    const char *(*begin)(const struct fm_db *db); /* the statement */

    enum fm_status (*prepare)(struct fm_query **query, struct fm_db *db, const char *sql, struct fm_error *error);
    void (*reset)(struct fm_query *query); /* no rows, no values */
    void (*destroy)(struct fm_query *query);
    void (*bind)(struct fm_query *query, int parameter, enum fm_value_kind kind, int64_t whole, double real,
                 const void *bytes, size_t size);
    enum fm_status (*next)(struct fm_query *query, bool *row, struct fm_error *error);
    int (*columns)(const struct fm_query *query);
    const char *(*column_name)(const struct fm_query *query, int column);
    enum fm_value_kind (*column_kind)(const struct fm_query *query, int column);
    int64_t (*column_whole)(const struct fm_query *query, int column);
    double (*column_real)(const struct fm_query *query, int column);
    const char *(*column_text)(const struct fm_query *query, int column);
    const void *(*column_bytes)(const struct fm_query *query, int column, size_t *size);

    enum fm_status (*bulk_open)(struct fm_bulk **bulk, struct fm_db *db, const struct fm_bulk_target *target,
                                struct fm_error *error);
    void (*bulk_value)(struct fm_bulk *bulk, enum fm_value_kind kind, int64_t whole, double real, const void *bytes,
                       size_t size);
    enum fm_status (*bulk_row)(struct fm_bulk *bulk, struct fm_error *error);
    enum fm_status (*bulk_end)(struct fm_bulk *bulk, struct fm_error *error);
    void (*bulk_abandon)(struct fm_bulk *bulk);
};

struct fm_db {
    const struct fm_db_ops *ops;
    enum fm_db_access access;
    bool in_transaction;
    bool was_late;         /* a statement was given up */
    char name[128];        /* for messages */
    struct fm_query *idle; /* statements that can be opened again, the last one closed first */
    size_t n_idle;
};

struct fm_query {
    struct fm_db *db;
    char *sql;
    struct fm_query *next; /* among the idle ones */
    bool stream;
};

struct fm_bulk {
    struct fm_db *db;
};

enum fm_status fm_sqlite_open(struct fm_db **db, const char *path, enum fm_db_access access, struct fm_error *error);
enum fm_status fm_postgres_open(struct fm_db **db, const char *address, enum fm_db_access access,
                                struct fm_error *error);

/* INSERT INTO table (columns), with ON CONFLICT as the target wants it; what provides the rows is in `source`. NULL if out
 * of memory; to be freed. */
char *fm_bulk_insert_sql(const struct fm_bulk_target *target, const char *source);

#endif
