/* SPDX-License-Identifier: BSD-3-Clause */
/* Many rows at once. New rows go through COPY in its binary format. Rows that are added to what is there go as one array
 * per column, INSERT ... SELECT FROM unnest(...) ON CONFLICT: a temporary table in between would have to be created and
 * emptied again for each batch. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/writer.h"
#include "site/store/engine_postgres.h"

enum { SEND_BYTES = 1 << 18 };
enum { TYPE_BYTEA = 17, TYPE_INT8 = 20, TYPE_TEXT = 25, TYPE_FLOAT8 = 701 };

struct bulk_buffer {
    char *bytes;
    size_t n, capacity;
};

struct postgres_bulk {
    struct fm_bulk common;
    size_t n_columns, column, n_rows;
    enum fm_value_kind *kinds;
    struct bulk_buffer *buffers; /* COPY: one; arrays: one per column */
    char *sql;                   /* of the arrays; NULL: COPY */
    bool *has_null;
    bool failed; /* out of memory */
};

static void append(struct postgres_bulk *bulk, struct bulk_buffer *buffer, const void *bytes, size_t size)
{
    if (buffer->n + size > buffer->capacity || !buffer->bytes) {
        size_t capacity = 2 * buffer->capacity + size + 4096;
        char *larger = realloc(buffer->bytes, capacity);
        if (!larger) {
            bulk->failed = true;
            return;
        }
        buffer->bytes = larger;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->n, bytes, size);
    buffer->n += size;
}

static void append_32(struct postgres_bulk *bulk, struct bulk_buffer *buffer, uint32_t value)
{
    value = htobe32(value);
    append(bulk, buffer, &value, sizeof value);
}

static const char *type_name(enum fm_value_kind kind)
{
    return kind == FM_VALUE_WHOLE   ? "bigint"
           : kind == FM_VALUE_REAL  ? "float8"
           : kind == FM_VALUE_BYTES ? "bytea"
                                    : "text";
}

static uint32_t type_number(enum fm_value_kind kind)
{
    return kind == FM_VALUE_WHOLE   ? TYPE_INT8
           : kind == FM_VALUE_REAL  ? TYPE_FLOAT8
           : kind == FM_VALUE_BYTES ? TYPE_BYTEA
                                    : TYPE_TEXT;
}

/* ---- opening ---- */

static char *copy_sql(const struct fm_bulk_target *target)
{
    struct fm_arena arena = {0};
    struct fm_writer sql = {.arena = &arena};
    fm_write(&sql, "COPY %s (", target->table);
    for (size_t i = 0; i < target->n_columns; i++)
        fm_write(&sql, "%s%s", i ? ", " : "", target->columns[i].name);
    fm_write(&sql, ") FROM STDIN (FORMAT binary)");
    const char *text = fm_writer_text(&sql);
    char *copy = text ? strdup(text) : NULL;
    fm_arena_destroy(&arena);
    return copy;
}

static char *arrays_sql(const struct fm_bulk_target *target)
{
    struct fm_arena arena = {0};
    struct fm_writer source = {.arena = &arena};
    fm_write(&source, "SELECT * FROM unnest(");
    for (size_t i = 0; i < target->n_columns; i++)
        fm_write(&source, "%s$%zu::%s[]", i ? ", " : "", i + 1, type_name(target->columns[i].kind));
    fm_write(&source, ")");
    const char *text = fm_writer_text(&source);
    char *sql = text ? fm_bulk_insert_sql(target, text) : NULL;
    fm_arena_destroy(&arena);
    return sql;
}

static void destroy(struct postgres_bulk *bulk)
{
    for (size_t i = 0; bulk->buffers && i < bulk->n_columns; i++)
        free(bulk->buffers[i].bytes);
    free(bulk->buffers);
    free(bulk->kinds);
    free(bulk->has_null);
    free(bulk->sql);
    free(bulk);
}

static enum fm_status start_copy(struct postgres_bulk *bulk, struct fm_db *db, const struct fm_bulk_target *target,
                                 struct fm_error *error)
{
    static const char header[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"; /* signature, flags, extension */
    char *sql = copy_sql(target);
    if (!sql)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for rows of a table");
    PGresult *result = PQexec(fm_postgres_connection(db), sql);
    free(sql);
    if (PQresultStatus(result) != PGRES_COPY_IN)
        return fm_postgres_failed(db, result, error);
    PQclear(result);
    append(bulk, &bulk->buffers[0], header, 19);
    return FM_OK;
}

enum fm_status fm_postgres_bulk_open(struct fm_bulk **bulk, struct fm_db *db, const struct fm_bulk_target *target,
                                     struct fm_error *error)
{
    struct postgres_bulk *made = calloc(1, sizeof *made);
    if (!made)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for rows of a table");
    made->n_columns = target->n_columns;
    made->kinds = calloc(target->n_columns, sizeof *made->kinds);
    made->buffers = calloc(target->n_columns, sizeof *made->buffers);
    made->has_null = calloc(target->n_columns, sizeof *made->has_null);
    if (target->n_keys)
        made->sql = arrays_sql(target);
    if (!made->kinds || !made->buffers || !made->has_null || (target->n_keys && !made->sql)) {
        destroy(made);
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for rows of a table");
    }
    for (size_t i = 0; i < target->n_columns; i++)
        made->kinds[i] = target->columns[i].kind;
    enum fm_status status = made->sql ? FM_OK : start_copy(made, db, target, error);
    if (status) {
        destroy(made);
        return status;
    }
    *bulk = &made->common;
    return FM_OK;
}

/* ---- values ---- */

/* Both formats have a value as its length (-1: NULL) and its bytes. A value is sent as the type of its column. */
void fm_postgres_bulk_value(struct fm_bulk *bulk, enum fm_value_kind kind, int64_t whole, double real,
                            const void *bytes, size_t size)
{
    struct postgres_bulk *own = (struct postgres_bulk *)bulk;
    struct bulk_buffer *buffer = &own->buffers[own->sql ? own->column : 0];
    if (!own->sql && own->column == 0) {
        uint16_t fields = htobe16((uint16_t)own->n_columns);
        append(own, buffer, &fields, sizeof fields);
    }
    enum fm_value_kind type = own->kinds[own->column];
    own->has_null[own->column] |= kind == FM_VALUE_NULL;
    own->column++;
    uint64_t number = 0;
    if (kind == FM_VALUE_WHOLE && type == FM_VALUE_REAL)
        real = (double)whole;
    if (type == FM_VALUE_WHOLE)
        number = htobe64((uint64_t)whole);
    if (type == FM_VALUE_REAL) {
        memcpy(&number, &real, sizeof number);
        number = htobe64(number);
    }
    if (kind == FM_VALUE_NULL) {
        append_32(own, buffer, UINT32_MAX);
    } else if (type == FM_VALUE_WHOLE || type == FM_VALUE_REAL) {
        append_32(own, buffer, sizeof number);
        append(own, buffer, &number, sizeof number);
    } else {
        append_32(own, buffer, (uint32_t)size);
        append(own, buffer, bytes ? bytes : "", size);
    }
}

static enum fm_status send_rows(struct postgres_bulk *bulk, struct fm_error *error)
{
    struct bulk_buffer *buffer = &bulk->buffers[0];
    if (bulk->failed)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for rows of a table");
    if (PQputCopyData(fm_postgres_connection(bulk->common.db), buffer->bytes, (int)buffer->n) != 1)
        return fm_postgres_failed(bulk->common.db, NULL, error);
    buffer->n = 0;
    return FM_OK;
}

enum fm_status fm_postgres_bulk_row(struct fm_bulk *bulk, struct fm_error *error)
{
    struct postgres_bulk *own = (struct postgres_bulk *)bulk;
    own->column = 0;
    own->n_rows++;
    return !own->sql && own->buffers[0].n > SEND_BYTES ? send_rows(own, error) : FM_OK;
}

/* ---- the end ---- */

static enum fm_status end_copy(struct postgres_bulk *bulk, struct fm_error *error)
{
    static const unsigned char trailer[] = {0xff, 0xff};
    PGconn *connection = fm_postgres_connection(bulk->common.db);
    append(bulk, &bulk->buffers[0], trailer, sizeof trailer);
    enum fm_status status = send_rows(bulk, error);
    if (PQputCopyEnd(connection, status ? "given up" : NULL) != 1)
        return status ? status : fm_postgres_failed(bulk->common.db, NULL, error);
    for (PGresult *result = PQgetResult(connection); result; result = PQgetResult(connection)) {
        if (!status && PQresultStatus(result) != PGRES_COMMAND_OK)
            status = fm_postgres_failed(bulk->common.db, result, error);
        else
            PQclear(result);
    }
    return status;
}

static enum fm_status add_arrays(struct postgres_bulk *bulk, struct fm_error *error)
{
    const char *values[256];
    int lengths[256], formats[256];
    struct bulk_buffer *arrays = calloc(bulk->n_columns, sizeof *arrays);
    if (bulk->n_columns > 256 || !arrays)
        bulk->failed = true;
    for (size_t i = 0; !bulk->failed && i < bulk->n_columns; i++) {
        append_32(bulk, &arrays[i], 1); /* dimensions */
        append_32(bulk, &arrays[i], bulk->has_null[i]);
        append_32(bulk, &arrays[i], type_number(bulk->kinds[i]));
        append_32(bulk, &arrays[i], (uint32_t)bulk->n_rows);
        append_32(bulk, &arrays[i], 1); /* number of the first */
        append(bulk, &arrays[i], bulk->buffers[i].bytes, bulk->buffers[i].n);
        values[i] = arrays[i].bytes;
        lengths[i] = (int)arrays[i].n;
        formats[i] = 1;
    }
    enum fm_status status = FM_OK;
    if (bulk->failed) {
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for rows of a table");
    } else {
        PGresult *result = PQexecParams(fm_postgres_connection(bulk->common.db), bulk->sql, (int)bulk->n_columns, NULL,
                                        values, lengths, formats, 0);
        if (PQresultStatus(result) != PGRES_COMMAND_OK)
            status = fm_postgres_failed(bulk->common.db, result, error);
        else
            PQclear(result);
    }
    for (size_t i = 0; arrays && i < bulk->n_columns; i++)
        free(arrays[i].bytes);
    free(arrays);
    return status;
}

enum fm_status fm_postgres_bulk_end(struct fm_bulk *bulk, struct fm_error *error)
{
    struct postgres_bulk *own = (struct postgres_bulk *)bulk;
    enum fm_status status = !own->sql ? end_copy(own, error) : own->n_rows ? add_arrays(own, error) : FM_OK;
    destroy(own);
    return status;
}

void fm_postgres_bulk_abandon(struct fm_bulk *bulk)
{
    struct postgres_bulk *own = (struct postgres_bulk *)bulk;
    PGconn *connection = fm_postgres_connection(bulk->db);
    if (!own->sql && PQputCopyEnd(connection, "given up") == 1)
        for (PGresult *result = PQgetResult(connection); result; result = PQgetResult(connection))
            PQclear(result);
    destroy(own);
}
