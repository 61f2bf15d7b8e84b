/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/export.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/writer.h"
#include "render/csv.h"
#include "render/json.h"
#include "site/store/pack.h"
#include "site/store/print.h"
#include "site/store/rollup.h"
#include "site/store/schema.h"

enum { DAY_S = 86400, PATH_BYTES = 4096 };

/* ---- types ---- */

static bool is_one_of(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* Types have the names that Apache Arrow gives them. Columns of jobs are those of the record; others follow from their
 * names. */
static const char *type_of(const char *name)
{
    static const char *const wholes[] = {"id",           "uid",  "origin",      "job",       "number",
                                         "line",         "day",  "ranks_class", "cpu_class", "critical",
                                         "group_number", "kind", "calls",       NULL};
    static const char *const texts[] = {"user_name",
                                        "program",
                                        "language",
                                        "routine",
                                        "rule",
                                        "host",
                                        "name",
                                        "routine_group",
                                        "function",
                                        "file",
                                        "text",
                                        "ranks_class_label",
                                        "cpu_class_label",
                                        "date",
                                        NULL};
    if (strcmp(name, "measured") == 0)
        return "bool";
    for (size_t i = 0; i < FM_RECORD_N_FIELDS; i++) {
        const struct fm_record_field *field = &fm_record_fields[i];
        if (strcmp(fm_schema_column(field), name) != 0)
            continue;
        return field->kind == FM_RECORD_KIND_TEXT       ? "string"
               : field->kind == FM_RECORD_KIND_TIME     ? "timestamp[s, tz=UTC]"
               : field->kind == FM_RECORD_KIND_FLAG     ? "bool"
               : fm_schema_kind(field) == FM_VALUE_REAL ? "double"
                                                        : "int64";
    }
    return is_one_of(wholes, name) ? "int64" : is_one_of(texts, name) ? "string" : "double";
}

static const char *unit_of(const char *name)
{
    size_t length = strlen(name);
    if (length > 2 && strcmp(name + length - 2, "_s") == 0)
        return "s";
    return strcmp(name, "bytes") == 0 || (length > 6 && strcmp(name + length - 6, "_bytes") == 0) ? "bytes" : "";
}

/* ---- files ---- */

struct exported_table {
    const char *name;
    const char *sql; /* $1, $2: from, until; days for roll-ups */
    bool days, sums; /* sums: all columns that are no keys are floating-point, also those that a job has as integers */
};

static FILE *open_file(const struct fm_tables_export *request, const char *name, const char *end,
                       struct fm_error *error)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s.%s", request->directory, name, end);
    FILE *out = fopen(path, "we");
    if (!out)
        fm_fail(error, FM_ERR_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
    return out;
}

static enum fm_status close_file(FILE *out, const char *name, struct fm_error *error)
{
    bool bad = ferror(out);
    bad |= fclose(out) != 0;
    return bad ? fm_fail(error, FM_ERR_SYSTEM, "cannot write the table '%s': %s", name, strerror(errno)) : FM_OK;
}

static const char *column_type(const struct exported_table *table, const char *name)
{
    const char *type = type_of(name);
    return table->sums && strcmp(type, "string") != 0 && strcmp(name, "day") != 0 && !strstr(name, "class") &&
                   !is_one_of((const char *const[]){"critical", "group_number", "kind", NULL}, name)
               ? "double"
               : type;
}

static enum fm_status write_schema(const struct fm_tables_export *request, const struct exported_table *table,
                                   const char *const *columns, size_t n, struct fm_error *error)
{
    FILE *out = open_file(request, table->name, "schema.json", error);
    struct fm_json *json = out ? calloc(1, sizeof *json) : NULL;
    if (!json) {
        if (out)
            fclose(out);
        return out ? fm_fail(error, FM_ERR_MEMORY, "not enough memory for a table") : FM_ERR_SYSTEM;
    }
    json->out = out;
    fm_json_object(json, NULL, FM_JSON_LINES);
    fm_json_text(json, "table", table->name);
    fm_json_array(json, "columns", FM_JSON_LINES);
    for (size_t i = 0; i < n; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", columns[i]);
        fm_json_text(json, "type", column_type(table, columns[i]));
        if (*unit_of(columns[i]))
            fm_json_text(json, "unit", unit_of(columns[i]));
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
    free(json);
    return close_file(out, table->name, error);
}

/* ---- tables of the database ---- */

static enum fm_status schema_of_query(const struct fm_tables_export *request, const struct exported_table *table,
                                      const struct fm_query *query, struct fm_error *error)
{
    const char *columns[256];
    size_t n = (size_t)fm_query_columns(query);
    for (size_t i = 0; i < n && i < 256; i++)
        columns[i] = fm_query_column_name(query, (int)i);
    return write_schema(request, table, columns, n < 256 ? n : 256, error);
}

static void write_row(struct fm_csv *csv, const struct fm_query *query, bool header)
{
    char buffer[FM_VALUE_TEXT_BYTES];
    for (int i = 0; i < fm_query_columns(query); i++)
        fm_csv_text(csv, header ? fm_query_column_name(query, i) : fm_value_text(query, i, buffer));
    fm_csv_end_row(csv);
}

static void bind_times(struct fm_query *query, const struct fm_tables_export *request, bool days)
{
    fm_query_whole(query, 1, days ? request->from / DAY_S : request->from);
    fm_query_whole(query, 2,
                   days && request->until < INT64_MAX ? (request->until + DAY_S - 1) / DAY_S : request->until);
}

static enum fm_status export_table(struct fm_db *db, struct fm_tables_export *request,
                                   const struct exported_table *table, struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(&query, db, table->sql, error);
    if (status)
        return status;
    struct fm_csv csv = {.out = open_file(request, table->name, "csv", error)};
    status = csv.out ? FM_OK : FM_ERR_SYSTEM;
    if (!status) {
        bind_times(query, request, table->days);
        fm_query_stream(query);
        status = fm_query_next(query, &row, error);
    }
    if (!status) {
        write_row(&csv, query, true);
        status = schema_of_query(request, table, query, error);
    }
    while (!status && row) {
        write_row(&csv, query, false);
        request->rows++;
        status = fm_query_next(query, &row, error);
    }
    fm_query_close(query);
    if (csv.out && close_file(csv.out, table->name, error))
        status = FM_ERR_SYSTEM;
    return status;
}

/* ---- routines, which only the records have ---- */

static void write_routine(struct fm_csv *csv, int64_t job, const struct fm_record_routine *routine)
{
    char text[40];
    const int64_t wholes[] = {routine->calls, routine->bytes, routine->counts, routine->comm_calls};
    fm_csv_whole(csv, (uint64_t)job);
    fm_csv_text(csv, routine->name);
    snprintf(text, sizeof text, "%.9g", routine->time_s);
    fm_csv_text(csv, text);
    for (size_t i = 0; i < 4; i++)
        if (wholes[i] >= 0)
            fm_csv_whole(csv, (uint64_t)wholes[i]);
        else
            fm_csv_text(csv, "");
    fm_csv_end_row(csv);
}

static enum fm_status write_routines(struct fm_csv *csv, const struct fm_query *query,
                                     struct fm_document_packer *packer, struct fm_tables_export *request,
                                     struct fm_error *error)
{
    struct fm_record record;
    const char *text;
    size_t size, length;
    const void *bytes = fm_column_bytes(query, 1, &size);
    enum fm_status status = fm_document_unpack(packer, bytes, size, &text, &length, error);
    if (!status)
        status = fm_record_read(&record, text, length, NULL, error);
    if (status)
        return status;
    for (size_t i = 0; i < record.n_routines; i++)
        write_routine(csv, fm_column_whole(query, 0), &record.routines[i]);
    request->rows += record.n_routines;
    fm_record_destroy(&record);
    return FM_OK;
}

static enum fm_status export_routines(struct fm_db *db, struct fm_tables_export *request,
                                      const struct exported_table *table, struct fm_error *error)
{
    static const char *const columns[] = {"job", "name", "time_s", "calls", "bytes", "counts", "comm_calls"};
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct fm_document_packer *packer = fm_document_packer_create();
    struct fm_query *query = NULL;
    bool row;
    enum fm_status status = packer ? write_schema(request, table, columns, COLUMNS, error)
                                   : fm_fail(error, FM_ERR_MEMORY, "not enough memory for a table");
    struct fm_csv csv = {.out = status ? NULL : open_file(request, table->name, "csv", error)};
    if (!status)
        status = csv.out ? fm_query_open(&query, db, table->sql, error) : FM_ERR_SYSTEM;
    if (!status) {
        for (size_t i = 0; i < COLUMNS; i++)
            fm_csv_text(&csv, columns[i]);
        fm_csv_end_row(&csv);
        bind_times(query, request, false);
        fm_query_stream(query);
    }
    while (!status && !(status = fm_query_next(query, &row, error)) && row)
        status = write_routines(&csv, query, packer, request, error);
    fm_query_close(query);
    fm_document_packer_destroy(packer);
    if (csv.out && close_file(csv.out, table->name, error))
        status = FM_ERR_SYSTEM;
    return status;
}

/* ---- all of them ---- */

static bool is_wanted(const struct fm_tables_export *request, const char *name)
{
    for (size_t i = 0; i < request->n_tables; i++)
        if (strcmp(request->tables[i], name) == 0)
            return true;
    return request->n_tables == 0;
}

static enum fm_status export_if_wanted(struct fm_db *db, struct fm_tables_export *request,
                                       const struct exported_table *table, struct fm_error *error)
{
    if (!is_wanted(request, table->name))
        return FM_OK;
    request->written++;
    return strcmp(table->name, "routines") == 0 ? export_routines(db, request, table, error)
                                                : export_table(db, request, table, error);
}

static enum fm_status export_rollups(struct fm_db *db, struct fm_tables_export *request, struct fm_error *error)
{
    enum fm_status status = FM_OK;
    for (int i = 0; i < FM_STEPS * FM_ROLLUPS && !status; i++) {
        enum fm_rollup rollup = (enum fm_rollup)(i / FM_STEPS);
        enum fm_step step = (enum fm_step)(i % FM_STEPS);
        struct fm_rollup_table described;
        char name[64], sql[160];
        if (!fm_rollup_is_by(rollup, step))
            continue;
        fm_rollup_describe(rollup, &described);
        snprintf(name, sizeof name, "%s_by_%s", described.name, fm_step_name(step));
        snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE day >= $1 AND day < $2 ORDER BY day", name);
        status = export_if_wanted(db, request, &(struct exported_table){name, sql, .days = true, .sums = true}, error);
    }
    return status;
}

enum fm_status fm_store_export(struct fm_store *store, struct fm_tables_export *request, struct fm_error *error)
{
    static const struct exported_table tables[] = {
        {"jobs", "SELECT * FROM jobs WHERE ended >= $1 AND ended < $2 ORDER BY ended, id", .days = false},
        {"findings",
         "SELECT f.* FROM findings f JOIN jobs j ON j.id = f.job AND j.started = f.started "
         "WHERE j.ended >= $1 AND j.ended < $2 ORDER BY f.job, f.number",
         .days = false},
        {"hosts",
         "SELECT h.* FROM hosts h JOIN jobs j ON j.id = h.job AND j.started = h.started "
         "WHERE j.ended >= $1 AND j.ended < $2 ORDER BY h.job, h.host",
         .days = false},
        {"routines",
         "SELECT d.job, d.document FROM documents d JOIN jobs j ON j.id = d.job AND j.started = d.started "
         "WHERE j.ended >= $1 AND j.ended < $2 ORDER BY d.job",
         .days = false},
    };
    struct fm_db *db = fm_store_db(store);
    if (mkdir(request->directory, 0755) != 0 && errno != EEXIST)
        return fm_fail(error, FM_ERR_SYSTEM, "cannot make the directory '%s': %s", request->directory, strerror(errno));
    enum fm_status status = fm_db_begin(db, error);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !status; i++)
        status = export_if_wanted(db, request, &tables[i], error);
    if (!status)
        status = export_rollups(db, request, error);
    fm_db_rollback(db);
    if (!status && request->written < (request->n_tables ? 1 : 2))
        status = fm_fail(error, FM_ERR_USAGE, "there is no table '%s'", request->n_tables ? request->tables[0] : "");
    return status;
}
