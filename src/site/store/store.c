/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/writer.h"
#include "site/store/batch.h"
#include "site/store/names.h"
#include "site/store/schema.h"
#include "site/store/schema_tables.h"

/* Records in memory before they are written. */
enum { BATCH_RECORDS = 2000 };

struct fm_store {
    struct fm_db *db;
    struct fm_document_packer *packer;
    struct fm_names names;
    struct fm_rollups *rollups;
    struct fm_batch batch;
    int64_t next_job, closed;
    struct fm_store_counts counts, last; /* of the open batch; of the last one that was committed */
};

enum fm_status fm_store_open(struct fm_store **store, const char *address, enum fm_db_access access,
                             struct fm_error *error)
{
    *store = NULL;
    struct fm_store *made = calloc(1, sizeof *made);
    if (!made || !(made->packer = fm_document_packer_create())) {
        free(made);
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a database");
    }
    enum fm_status status = fm_db_open(&made->db, address, access, error);
    if (!status)
        status = fm_schema_settle(made->db, error);
    if (!status && access != FM_DB_READ) {
        made->names.db = made->db;
        made->rollups = fm_rollups_create(made->db, &made->names);
        status = made->rollups ? fm_batch_prepare(made->db, error)
                               : fm_fail(error, FM_ERR_MEMORY, "not enough memory for a database");
    }
    if (status) {
        fm_store_close(made);
        return status;
    }
    *store = made;
    return FM_OK;
}

void fm_store_close(struct fm_store *store)
{
    if (!store)
        return;
    if (store->db)
        fm_store_rollback(store);
    fm_rollups_destroy(store->rollups);
    fm_document_packer_destroy(store->packer);
    fm_db_close(store->db);
    free(store);
}

struct fm_db *fm_store_db(struct fm_store *store)
{
    return store->db;
}

/* ---- batches ---- */

static enum fm_status get_number(struct fm_store *store, const char *name, int64_t *number, struct fm_error *error)
{
    char *value;
    enum fm_status status = fm_schema_get(store->db, name, &value, error);
    if (!status && value)
        *number = strtoll(value, NULL, 10);
    free(value);
    return status;
}

enum fm_status fm_store_begin(struct fm_store *store, struct fm_error *error)
{
    enum fm_status status = fm_db_begin(store->db, error);
    if (!status && fm_db_kind(store->db) == FM_DB_POSTGRES)
        status = fm_db_run(store->db, "SELECT pg_advisory_xact_lock(" FM_STORE_LOCK ")", error);
    store->counts = (struct fm_store_counts){0};
    store->next_job = 1;
    store->closed = 0;
    if (!status)
        status = get_number(store, "next_job", &store->next_job, error);
    if (!status)
        status = get_number(store, "closed", &store->closed, error);
    if (status)
        fm_store_rollback(store);
    return status;
}

static enum fm_status flush(struct fm_store *store, struct fm_error *error)
{
    return fm_batch_write(&store->batch,
                          &(struct fm_batch_context){.db = store->db,
                                                     .rollups = store->rollups,
                                                     .packer = store->packer,
                                                     .next_job = &store->next_job,
                                                     .closed = store->closed,
                                                     .counts = &store->counts},
                          error);
}

enum fm_status fm_store_add(struct fm_store *store, const struct fm_record *record,
                            const struct fm_store_source *source, struct fm_error *error)
{
    bool known;
    enum fm_status status = fm_batch_add(&store->batch, store->packer, record, source, &known, error);
    if (!status)
        store->counts.known += known;
    return !status && store->batch.n >= BATCH_RECORDS ? flush(store, error) : status;
}

enum fm_status fm_store_refused(struct fm_store *store, const char *why, int64_t day, struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, store->db,
                                          "INSERT INTO refused (day, why, records) VALUES ($1, $2, 1) "
                                          "ON CONFLICT (day, why) DO UPDATE SET records = refused.records + 1",
                                          error);
    if (status)
        return status;
    fm_query_whole(query, 1, day);
    fm_query_text(query, 2, why);
    status = fm_query_run(query, error);
    fm_query_close(query);
    return status;
}

enum fm_status fm_store_set_position(struct fm_store *store, const char *source, const char *position,
                                     struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, store->db,
                                          "INSERT INTO positions (source, position) VALUES ($1, $2) "
                                          "ON CONFLICT (source) DO UPDATE SET position = $2",
                                          error);
    if (status)
        return status;
    fm_query_text(query, 1, source);
    fm_query_text(query, 2, position);
    status = fm_query_run(query, error);
    fm_query_close(query);
    return status;
}

enum fm_status fm_store_note_read(struct fm_store *store, const char *source, int64_t at, uint64_t waiting,
                                  struct fm_error *error)
{
    struct fm_arena arena = {0};
    char seconds[24], records[24];
    const char *read = fm_written(&arena, "read %s", source), *waits = fm_written(&arena, "waiting %s", source);
    enum fm_status status = read && waits ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for a source");
    snprintf(seconds, sizeof seconds, "%" PRId64, at);
    snprintf(records, sizeof records, "%" PRIu64, waiting);
    if (!status)
        status = fm_schema_set(store->db, read, seconds, error);
    if (!status)
        status = fm_schema_set(store->db, waits, records, error);
    fm_arena_destroy(&arena);
    return status;
}

/* Adds to a number of the table `fathom`. */
static enum fm_status add_number(struct fm_store *store, const char *name, uint64_t number, struct fm_error *error)
{
    struct fm_query *query;
    char text[24];
    if (!number)
        return FM_OK;
    enum fm_status status = fm_query_open(
        &query, store->db,
        "INSERT INTO fathom (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE "
        "SET value = CAST(CAST(fathom.value AS BIGINT) + $3 AS TEXT)",
        error);
    if (status)
        return status;
    snprintf(text, sizeof text, "%" PRIu64, number);
    fm_query_text(query, 1, name);
    fm_query_text(query, 2, text);
    fm_query_whole(query, 3, (int64_t)number);
    status = fm_query_run(query, error);
    fm_query_close(query);
    return status;
}

static enum fm_status add_counts(struct fm_store *store, struct fm_error *error)
{
    const struct fm_store_counts *counts = &store->counts;
    enum fm_status status = add_number(store, "records_added", counts->added, error);
    if (!status)
        status = add_number(store, "records_replaced", counts->replaced, error);
    if (!status)
        status = add_number(store, "records_known", counts->known, error);
    return status ? status : add_number(store, "records_old", counts->old, error);
}

enum fm_status fm_store_commit(struct fm_store *store, struct fm_error *error)
{
    char next[24];
    enum fm_status status = flush(store, error);
    if (!status)
        status = fm_rollups_flush(store->rollups, error);
    snprintf(next, sizeof next, "%" PRId64, store->next_job);
    if (!status && store->counts.added)
        status = fm_schema_set(store->db, "next_job", next, error);
    if (!status)
        status = add_counts(store, error);
    if (!status)
        status = fm_db_commit(store->db, error);
    if (status)
        fm_store_rollback(store);
    else
        store->last = store->counts;
    return status;
}

void fm_store_rollback(struct fm_store *store)
{
    fm_db_rollback(store->db);
    fm_batch_clear(&store->batch);
    fm_names_forget(&store->names);
    if (store->rollups)
        fm_rollups_clear(store->rollups);
}

const struct fm_store_counts *fm_store_counts(const struct fm_store *store)
{
    return &store->last;
}

/* ---- reading ---- */

enum fm_status fm_store_position(struct fm_store *store, const char *source, char **position, struct fm_error *error)
{
    struct fm_query *query;
    bool row = false;
    *position = NULL;
    enum fm_status status = fm_query_open(&query, store->db, "SELECT position FROM positions WHERE source = $1", error);
    if (status)
        return status;
    fm_query_text(query, 1, source);
    status = fm_query_next(query, &row, error);
    if (!status && !(*position = strdup(row ? fm_column_text(query, 0) : "")))
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the position of a source");
    fm_query_close(query);
    return status;
}

enum fm_status fm_store_document(struct fm_store *store, int64_t job, char **document, struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    size_t size, length;
    const char *text;
    *document = NULL;
    enum fm_status status = fm_query_open(&query, store->db, "SELECT document FROM documents WHERE job = $1", error);
    if (status)
        return status;
    fm_query_whole(query, 1, job);
    status = fm_query_next(query, &row, error);
    if (!status && !row)
        status = fm_fail(error, FM_ERR_USAGE, "there is no job %" PRId64, job);
    if (!status) {
        const void *bytes = fm_column_bytes(query, 0, &size);
        status = fm_document_unpack(store->packer, bytes, size, &text, &length, error);
    }
    if (!status && !(*document = strdup(text)))
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for a record");
    fm_query_close(query);
    return status;
}

enum fm_status fm_store_record(struct fm_store *store, int64_t job, struct fm_record *record, struct fm_error *error)
{
    char *document;
    enum fm_status status = fm_store_document(store, job, &document, error);
    if (!status)
        status = fm_record_read(record, document, strlen(document), NULL, error);
    free(document);
    return status;
}
