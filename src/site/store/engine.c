/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site/store/engine_ops.h"

/* Statements that are kept beyond this number are destroyed, the oldest first. */
enum { IDLE_STATEMENTS = 128 };

/* ---- databases ---- */

void fm_db_close(struct fm_db *db)
{
    if (!db)
        return;
    fm_db_rollback(db);
    db->n_idle = 0; /* the connection takes its statements with it */
    while (db->idle) {
        struct fm_query *query = db->idle;
        db->idle = query->next;
        free(query->sql);
        db->ops->destroy(query);
    }
    db->ops->close(db);
}

enum fm_db_kind fm_db_kind(const struct fm_db *db)
{
    return db->ops->kind;
}

enum fm_db_access fm_db_access(const struct fm_db *db)
{
    return db->access;
}

const char *fm_db_name(const struct fm_db *db)
{
    return db->name;
}

const char *fm_db_sql(const struct fm_db *db, enum fm_db_word word)
{
    return db->ops->words[word];
}

enum fm_status fm_db_run(struct fm_db *db, const char *sql, struct fm_error *error)
{
    return db->ops->run(db, sql, error);
}

enum fm_status fm_db_begin(struct fm_db *db, struct fm_error *error)
{
    enum fm_status status = db->ops->run(db, db->ops->begin(db), error);
    db->in_transaction = status == FM_OK;
    return status;
}

enum fm_status fm_db_commit(struct fm_db *db, struct fm_error *error)
{
    enum fm_status status = db->ops->run(db, "COMMIT", error);
    if (status)
        fm_db_rollback(db);
    db->in_transaction = false;
    return status;
}

void fm_db_rollback(struct fm_db *db)
{
    if (db->in_transaction)
        db->ops->run(db, "ROLLBACK", NULL);
    db->in_transaction = false;
}

enum fm_status fm_db_only_read(struct fm_db *db, struct fm_error *error)
{
    return db->ops->only_read(db, error);
}

enum fm_status fm_db_limit(struct fm_db *db, double seconds, struct fm_error *error)
{
    db->was_late = false;
    return db->ops->limit(db, seconds > 0 ? seconds : 0, error);
}

bool fm_db_was_late(const struct fm_db *db)
{
    return db->was_late;
}

/* ---- statements ---- */

enum fm_status fm_query_open(struct fm_query **query, struct fm_db *db, const char *sql, struct fm_error *error)
{
    for (struct fm_query **at = &db->idle; *at; at = &(*at)->next)
        if (strcmp((*at)->sql, sql) == 0) {
            *query = *at;
            *at = (*query)->next;
            db->n_idle--;
            return FM_OK;
        }
    *query = NULL;
    char *copy = strdup(sql);
    if (!copy)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a statement");
    enum fm_status status = db->ops->prepare(query, db, sql, error);
    if (status) {
        free(copy);
        return status;
    }
    (*query)->db = db;
    (*query)->sql = copy;
    return FM_OK;
}

static void drop_oldest(struct fm_db *db)
{
    struct fm_query **at = &db->idle;
    while ((*at)->next)
        at = &(*at)->next;
    struct fm_query *oldest = *at;
    *at = NULL;
    db->n_idle--;
    free(oldest->sql);
    db->ops->destroy(oldest);
}

void fm_query_close(struct fm_query *query)
{
    if (!query)
        return;
    struct fm_db *db = query->db;
    db->ops->reset(query);
    query->stream = false;
    query->next = db->idle;
    db->idle = query;
    if (++db->n_idle > IDLE_STATEMENTS)
        drop_oldest(db);
}

void fm_query_stream(struct fm_query *query)
{
    query->stream = true;
}

void fm_query_text(struct fm_query *query, int parameter, const char *text)
{
    query->db->ops->bind(query, parameter, text ? FM_VALUE_TEXT : FM_VALUE_NULL, 0, 0, text, text ? strlen(text) : 0);
}

void fm_query_whole(struct fm_query *query, int parameter, int64_t value)
{
    query->db->ops->bind(query, parameter, FM_VALUE_WHOLE, value, 0, NULL, 0);
}

void fm_query_real(struct fm_query *query, int parameter, double value)
{
    query->db->ops->bind(query, parameter, isnan(value) ? FM_VALUE_NULL : FM_VALUE_REAL, 0, value, NULL, 0);
}

void fm_query_bytes(struct fm_query *query, int parameter, const void *bytes, size_t size)
{
    query->db->ops->bind(query, parameter, FM_VALUE_BYTES, 0, 0, bytes, size);
}

void fm_query_null(struct fm_query *query, int parameter)
{
    query->db->ops->bind(query, parameter, FM_VALUE_NULL, 0, 0, NULL, 0);
}

enum fm_status fm_query_next(struct fm_query *query, bool *row, struct fm_error *error)
{
    *row = false;
    return query->db->ops->next(query, row, error);
}

enum fm_status fm_query_run(struct fm_query *query, struct fm_error *error)
{
    bool row;
    enum fm_status status;
    do
        status = fm_query_next(query, &row, error);
    while (!status && row);
    return status;
}

int fm_query_columns(const struct fm_query *query)
{
    return query->db->ops->columns(query);
}

const char *fm_query_column_name(const struct fm_query *query, int column)
{
    return query->db->ops->column_name(query, column);
}

enum fm_value_kind fm_column_kind_of(const struct fm_query *query, int column)
{
    return query->db->ops->column_kind(query, column);
}

bool fm_column_is_null(const struct fm_query *query, int column)
{
    return query->db->ops->column_kind(query, column) == FM_VALUE_NULL;
}

int64_t fm_column_whole(const struct fm_query *query, int column)
{
    return fm_column_is_null(query, column) ? 0 : query->db->ops->column_whole(query, column);
}

double fm_column_real(const struct fm_query *query, int column)
{
    return fm_column_is_null(query, column) ? NAN : query->db->ops->column_real(query, column);
}

const char *fm_column_text(const struct fm_query *query, int column)
{
    return fm_column_is_null(query, column) ? "" : query->db->ops->column_text(query, column);
}

const void *fm_column_bytes(const struct fm_query *query, int column, size_t *size)
{
    *size = 0;
    return fm_column_is_null(query, column) ? NULL : query->db->ops->column_bytes(query, column, size);
}

/* ---- bulks ---- */

enum fm_status fm_bulk_open(struct fm_bulk **bulk, struct fm_db *db, const struct fm_bulk_target *target,
                            struct fm_error *error)
{
    *bulk = NULL;
    enum fm_status status = db->ops->bulk_open(bulk, db, target, error);
    if (!status)
        (*bulk)->db = db;
    return status;
}

void fm_bulk_whole(struct fm_bulk *bulk, int64_t value)
{
    bulk->db->ops->bulk_value(bulk, FM_VALUE_WHOLE, value, 0, NULL, 0);
}

void fm_bulk_real(struct fm_bulk *bulk, double value)
{
    bulk->db->ops->bulk_value(bulk, isnan(value) ? FM_VALUE_NULL : FM_VALUE_REAL, 0, value, NULL, 0);
}

void fm_bulk_text(struct fm_bulk *bulk, const char *text)
{
    bulk->db->ops->bulk_value(bulk, text ? FM_VALUE_TEXT : FM_VALUE_NULL, 0, 0, text, text ? strlen(text) : 0);
}

void fm_bulk_bytes(struct fm_bulk *bulk, const void *bytes, size_t size)
{
    bulk->db->ops->bulk_value(bulk, FM_VALUE_BYTES, 0, 0, bytes, size);
}

void fm_bulk_null(struct fm_bulk *bulk)
{
    bulk->db->ops->bulk_value(bulk, FM_VALUE_NULL, 0, 0, NULL, 0);
}

enum fm_status fm_bulk_row(struct fm_bulk *bulk, struct fm_error *error)
{
    return bulk->db->ops->bulk_row(bulk, error);
}

enum fm_status fm_bulk_end(struct fm_bulk *bulk, struct fm_error *error)
{
    return bulk->db->ops->bulk_end(bulk, error);
}

void fm_bulk_abandon(struct fm_bulk *bulk)
{
    if (bulk)
        bulk->db->ops->bulk_abandon(bulk);
}
