/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing a batch: which jobs are there already, what they are replaced by, and the rows of those that are new. */
#include <math.h>
#include <string.h>

#include "site/store/batch.h"
#include "site/store/classes.h"
#include "site/store/schema.h"

/* Hosts of a job that get a row. */
enum { HOST_ROWS = 64 };
/* Origins are smaller; a job and its origin are asked for in one number. */
enum { ORIGINS = 8 };

enum fm_status fm_batch_prepare(struct fm_db *db, struct fm_error *error)
{
    return fm_db_run(db,
                     fm_db_kind(db) == FM_DB_POSTGRES
                         ? "CREATE TEMP TABLE batch (number BIGINT NOT NULL, uid BIGINT NOT NULL, key TEXT NOT NULL, "
                           "started BIGINT NOT NULL) ON COMMIT DELETE ROWS"
                         : "CREATE TEMP TABLE batch (number INTEGER NOT NULL, uid INTEGER NOT NULL, key TEXT NOT NULL, "
                           "started INTEGER NOT NULL)",
                     error);
}

/* ---- what is there already ---- */

static enum fm_status send_identities(const struct fm_batch *batch, struct fm_db *db, struct fm_error *error)
{
    static const struct fm_bulk_column columns[] = {
        {"number", FM_VALUE_WHOLE}, {"uid", FM_VALUE_WHOLE}, {"key", FM_VALUE_TEXT}, {"started", FM_VALUE_WHOLE}};
    static const struct fm_bulk_target target = {"batch", columns, 4, 0};
    struct fm_bulk *bulk;
    enum fm_status status = fm_db_run(db, "DELETE FROM batch", error);
    if (!status)
        status = fm_bulk_open(&bulk, db, &target, error);
    if (status)
        return status;
    for (size_t i = 0; i < batch->n && !status; i++) {
        fm_bulk_whole(bulk, (int64_t)i);
        fm_bulk_whole(bulk, batch->items[i].uid);
        fm_bulk_text(bulk, batch->items[i].record.key);
        fm_bulk_whole(bulk, batch->items[i].record.started);
        status = fm_bulk_row(bulk, error);
    }
    if (status) {
        fm_bulk_abandon(bulk);
        return status;
    }
    return fm_bulk_end(bulk, error);
}

/* A subquery per row and no join: it is answered by the index, whatever the planner believes of a temporary table. */
static enum fm_status find_known(struct fm_batch *batch, const struct fm_batch_context *context, struct fm_error *error)
{
    struct fm_query *query;
    bool row = true;
    enum fm_status status = send_identities(batch, context->db, error);
    if (!status)
        status = fm_query_open(&query, context->db,
                               "SELECT b.number, (SELECT j.id * 8 + j.origin FROM jobs j WHERE j.started = b.started "
                               "AND j.key = b.key AND j.uid = b.uid) FROM batch b",
                               error);
    if (status)
        return status;
    while (!(status = fm_query_next(query, &row, error)) && row) {
        struct fm_batch_item *item = &batch->items[fm_column_whole(query, 0)];
        int64_t found = fm_column_whole(query, 1);
        if (!found && item->record.started < context->closed) {
            item->left_out = true;
            context->counts->old++;
        } else if (found && found % ORIGINS >= (int64_t)item->origin) {
            item->left_out = true;
            context->counts->known++;
        } else {
            item->old_job = found / ORIGINS;
            *(found ? &context->counts->replaced : &context->counts->added) += 1;
        }
    }
    fm_query_close(query);
    return status;
}

/* ---- replacing ---- */

static enum fm_status delete_job(struct fm_db *db, int64_t job, int64_t started, struct fm_error *error)
{
    static const char *const statements[] = {
        "DELETE FROM documents WHERE job = $1 AND started = $2", "DELETE FROM findings WHERE job = $1 AND started = $2",
        "DELETE FROM hosts WHERE job = $1 AND started = $2", "DELETE FROM jobs WHERE id = $1 AND started = $2"};
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < sizeof statements / sizeof *statements && !status; i++) {
        struct fm_query *query;
        status = fm_query_open(&query, db, statements[i], error);
        if (status)
            break;
        fm_query_whole(query, 1, job);
        fm_query_whole(query, 2, started);
        status = fm_query_run(query, error);
        fm_query_close(query);
    }
    return status;
}

/* Subtracts the old record from the roll-ups, as it was added to them. */
static enum fm_status subtract_row(struct fm_batch_item *item, const struct fm_query *query,
                                   const struct fm_batch_context *context, struct fm_error *error)
{
    struct fm_record old;
    const char *text;
    size_t size, length;
    const void *bytes = fm_column_bytes(query, 3, &size);
    double counted = fm_column_real(query, 1);
    enum fm_status status = fm_document_unpack(context->packer, bytes, size, &text, &length, error);
    if (!status)
        status = fm_record_read(&old, text, length, NULL, error);
    if (status)
        return status;
    item->thinned = counted > 0 ? fm_column_real(query, 2) / counted : 1;
    status = fm_rollups_count(context->rollups, &old, fm_column_text(query, 0), counted, true, error);
    fm_record_destroy(&old);
    return status;
}

static enum fm_status subtract_old(struct fm_batch_item *item, const struct fm_batch_context *context,
                                   struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(&query, context->db,
                                          "SELECT j.user_name, j.counted_weight, j.weight, d.document FROM jobs j "
                                          "JOIN documents d ON d.job = j.id AND d.started = j.started "
                                          "WHERE j.id = $1 AND j.started = $2",
                                          error);
    if (status)
        return status;
    fm_query_whole(query, 1, item->old_job);
    fm_query_whole(query, 2, item->record.started);
    status = fm_query_next(query, &row, error);
    if (!status && !row)
        status = fm_fail(error, FM_ERR_INPUT, "a job of the database '%s' has no record", fm_db_name(context->db));
    if (!status)
        status = subtract_row(item, query, context, error);
    fm_query_close(query);
    return status ? status : delete_job(context->db, item->old_job, item->record.started, error);
}

/* ---- rows ---- */

static void write_field(struct fm_bulk *bulk, const struct fm_batch_item *item, size_t number)
{
    const struct fm_record_field *field = &fm_record_fields[number];
    const struct fm_record *record = &item->record;
    if (number == FM_RECORD_FIELD_user)
        fm_bulk_text(bulk, item->user);
    else if (!fm_record_known(record, field))
        fm_bulk_null(bulk);
    else if (field->kind == FM_RECORD_KIND_TEXT)
        fm_bulk_text(bulk, *fm_record_text(record, field));
    else if (field->kind == FM_RECORD_KIND_FLAG)
        fm_bulk_whole(bulk, *fm_record_flag(record, field));
    else if (fm_schema_kind(field) == FM_VALUE_WHOLE)
        fm_bulk_whole(bulk, *fm_record_whole(record, field));
    else
        fm_bulk_real(bulk, *fm_record_real(record, field));
}

static enum fm_status write_job(struct fm_bulk *bulk, const struct fm_batch_item *item, struct fm_error *error)
{
    fm_bulk_whole(bulk, item->job);
    fm_bulk_whole(bulk, item->uid);
    for (size_t i = 0; i < FM_RECORD_N_FIELDS; i++)
        write_field(bulk, item, i);
    fm_bulk_whole(bulk, item->origin);
    fm_bulk_real(bulk, item->weight * item->thinned);
    fm_bulk_real(bulk, item->weight);
    fm_bulk_real(bulk, fm_site_job_wasted_s(&item->record));
    fm_bulk_real(bulk, fm_site_job_mpi_fraction(&item->record));
    return fm_bulk_row(bulk, error);
}

static enum fm_status write_document(struct fm_bulk *bulk, const struct fm_batch_item *item, struct fm_error *error)
{
    fm_bulk_whole(bulk, item->job);
    fm_bulk_whole(bulk, item->record.started);
    fm_bulk_bytes(bulk, item->document, item->document_size);
    return fm_bulk_row(bulk, error);
}

static void text_or_null(struct fm_bulk *bulk, const char *text)
{
    fm_bulk_text(bulk, *text ? text : NULL);
}

static enum fm_status write_findings(struct fm_bulk *bulk, const struct fm_batch_item *item, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < item->record.n_findings && !status; i++) {
        const struct fm_record_finding *finding = &item->record.findings[i];
        fm_bulk_whole(bulk, item->job);
        fm_bulk_whole(bulk, item->record.started);
        fm_bulk_whole(bulk, (int64_t)i);
        fm_bulk_text(bulk, finding->rule);
        fm_bulk_real(bulk, finding->cost_s);
        fm_bulk_whole(bulk, finding->measured);
        text_or_null(bulk, finding->function);
        text_or_null(bulk, finding->file);
        fm_bulk_whole(bulk, finding->line);
        text_or_null(bulk, finding->text);
        status = fm_bulk_row(bulk, error);
    }
    return status;
}

/* Names are in order; one that is there twice counts once. */
static enum fm_status write_hosts(struct fm_bulk *bulk, const struct fm_batch_item *item, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    size_t rows = item->record.n_host_list < HOST_ROWS ? item->record.n_host_list : HOST_ROWS;
    for (size_t i = 0; i < rows && !status; i++) {
        const struct fm_record_host *host = &item->record.host_list[i];
        bool again = false;
        for (size_t j = 0; j < i; j++)
            again |= strcmp(item->record.host_list[j].name, host->name) == 0;
        if (again)
            continue;
        fm_bulk_whole(bulk, item->job);
        fm_bulk_whole(bulk, item->record.started);
        fm_bulk_text(bulk, host->name);
        fm_bulk_whole(bulk, host->ranks);
        fm_bulk_real(bulk, host->slowness);
        status = fm_bulk_row(bulk, error);
    }
    return status;
}

typedef enum fm_status write_rows(struct fm_bulk *bulk, const struct fm_batch_item *item, struct fm_error *error);

static enum fm_status write_table(const struct fm_batch *batch, struct fm_db *db, const struct fm_bulk_target *target,
                                  write_rows *write, struct fm_error *error)
{
    struct fm_bulk *bulk;
    enum fm_status status = fm_bulk_open(&bulk, db, target, error);
    if (status)
        return status;
    for (size_t i = 0; i < batch->n && !status; i++)
        if (!batch->items[i].left_out)
            status = write(bulk, &batch->items[i], error);
    if (status) {
        fm_bulk_abandon(bulk);
        return status;
    }
    return fm_bulk_end(bulk, error);
}

static enum fm_status write_tables(const struct fm_batch *batch, struct fm_db *db, struct fm_error *error)
{
    static const struct fm_bulk_column documents[] = {
        {"job", FM_VALUE_WHOLE}, {"started", FM_VALUE_WHOLE}, {"document", FM_VALUE_BYTES}};
    static const struct fm_bulk_column findings[] = {
        {"job", FM_VALUE_WHOLE},   {"started", FM_VALUE_WHOLE},  {"number", FM_VALUE_WHOLE},  {"rule", FM_VALUE_TEXT},
        {"cost_s", FM_VALUE_REAL}, {"measured", FM_VALUE_WHOLE}, {"function", FM_VALUE_TEXT}, {"file", FM_VALUE_TEXT},
        {"line", FM_VALUE_WHOLE},  {"text", FM_VALUE_TEXT}};
    static const struct fm_bulk_column hosts[] = {{"job", FM_VALUE_WHOLE},
                                                  {"started", FM_VALUE_WHOLE},
                                                  {"host", FM_VALUE_TEXT},
                                                  {"ranks", FM_VALUE_WHOLE},
                                                  {"slowness", FM_VALUE_REAL}};
    struct fm_bulk_column jobs[FM_JOBS_COLUMNS];
    fm_schema_jobs_columns(jobs);
    enum fm_status status = write_table(batch, db, &(struct fm_bulk_target){"jobs", jobs, FM_JOBS_COLUMNS, 0},
                                        write_job, error);
    if (!status)
        status = write_table(batch, db, &(struct fm_bulk_target){"documents", documents, 3, 0}, write_document, error);
    if (!status)
        status = write_table(batch, db, &(struct fm_bulk_target){"findings", findings, 10, 0}, write_findings, error);
    if (!status)
        status = write_table(batch, db, &(struct fm_bulk_target){"hosts", hosts, 5, 0}, write_hosts, error);
    return status;
}

/* ---- all of it ---- */

static enum fm_status make_partitions(const struct fm_batch *batch, struct fm_db *db, struct fm_error *error)
{
    int64_t last = -1;
    enum fm_status status = FM_OK;
    for (size_t i = 0; i < batch->n && !status; i++) {
        int64_t started = batch->items[i].record.started;
        int64_t month = fm_month_start(started, 0, NULL, NULL);
        if (batch->items[i].left_out || month == last)
            continue;
        status = fm_schema_partition(db, started, error);
        last = month;
    }
    return status;
}

enum fm_status fm_batch_write(struct fm_batch *batch, const struct fm_batch_context *context, struct fm_error *error)
{
    if (!batch->n)
        return FM_OK;
    enum fm_status status = find_known(batch, context, error);
    if (!status)
        status = make_partitions(batch, context->db, error);
    for (size_t i = 0; i < batch->n && !status; i++) {
        struct fm_batch_item *item = &batch->items[i];
        if (item->left_out)
            continue;
        if (item->old_job)
            status = subtract_old(item, context, error);
        item->job = item->old_job ? item->old_job : (*context->next_job)++;
        if (!status)
            status = fm_rollups_count(context->rollups, &item->record, item->user, item->weight, false, error);
    }
    if (!status)
        status = write_tables(batch, context->db, error);
    if (!status)
        status = fm_rollups_flush_if_full(context->rollups, error);
    fm_batch_clear(batch);
    return status;
}
