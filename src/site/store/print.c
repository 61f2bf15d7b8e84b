/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "render/csv.h"
#include "render/json.h"
#include "render/text.h"

const char *fm_value_text(const struct fm_query *query, int column, char buffer[FM_VALUE_TEXT_BYTES])
{
    size_t size;
    double real;
    switch (fm_column_kind_of(query, column)) {
    case FM_VALUE_WHOLE:
        snprintf(buffer, FM_VALUE_TEXT_BYTES, "%" PRId64, fm_column_whole(query, column));
        return buffer;
    case FM_VALUE_REAL:
        real = fm_column_real(query, column);
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(buffer, FM_VALUE_TEXT_BYTES, "%.*g", digits, real);
            if (strtod(buffer, NULL) == real)
                break;
        }
        return buffer;
    case FM_VALUE_BYTES:
        fm_column_bytes(query, column, &size);
        snprintf(buffer, FM_VALUE_TEXT_BYTES, "(%zu bytes)", size);
        return buffer;
    case FM_VALUE_TEXT:
        return fm_column_text(query, column);
    case FM_VALUE_NULL:
        break;
    }
    return "";
}

/* ---- table ---- */

struct printed_cell {
    const char *text;
    bool number;
};

struct printed_table {
    struct fm_arena arena;
    struct printed_cell *cells;
    size_t n, capacity, columns;
};

static bool add_cell(struct printed_table *table, const char *text, bool number)
{
    if (table->n == table->capacity) {
        table->cells = fm_arena_grow(&table->arena, table->cells, &table->capacity, table->n + 1, sizeof *table->cells);
        if (!table->cells)
            return false;
    }
    const char *copy = fm_arena_strndup(&table->arena, text, strlen(text));
    table->cells[table->n++] = (struct printed_cell){copy, number};
    return copy != NULL;
}

static bool add_row(struct printed_table *table, const struct fm_query *query)
{
    char buffer[FM_VALUE_TEXT_BYTES];
    bool good = true;
    for (int i = 0; i < fm_query_columns(query) && good; i++) {
        enum fm_value_kind kind = fm_column_kind_of(query, i);
        const char *text = fm_value_text(query, i, buffer);
        if (kind == FM_VALUE_REAL) /* for people: CSV and JSON have all digits */
            snprintf(buffer, sizeof buffer, "%.7g", fm_column_real(query, i));
        good = add_cell(table, text, kind == FM_VALUE_WHOLE || kind == FM_VALUE_REAL);
    }
    return good;
}

static bool add_header(struct printed_table *table, const struct fm_query *query)
{
    bool good = true;
    table->columns = (size_t)fm_query_columns(query);
    for (int i = 0; i < fm_query_columns(query) && good; i++)
        good = add_cell(table, fm_query_column_name(query, i), false);
    return good;
}

static void pad(FILE *out, size_t blanks)
{
    fprintf(out, "%*s", (int)blanks, "");
}

/* Numbers are aligned to the right, and so is the heading of a column whose first value is a number. */
static enum fm_status print_cells(const struct printed_table *table, FILE *out, struct fm_error *error)
{
    size_t *widths = calloc(table->columns + 1, sizeof *widths);
    if (!widths)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a table");
    for (size_t i = 0; i < table->n; i++) {
        size_t width = fm_text_width(table->cells[i].text);
        widths[i % table->columns] = width > widths[i % table->columns] ? width : widths[i % table->columns];
    }
    for (size_t i = 0; i < table->n; i++) {
        const struct printed_cell *cell = &table->cells[i];
        size_t column = i % table->columns, blanks = widths[column] - fm_text_width(cell->text);
        bool last = column + 1 == table->columns;
        bool right = cell->number ||
                     (i < table->columns && i + table->columns < table->n && table->cells[i + table->columns].number);
        if (right)
            pad(out, blanks);
        fm_print_text(out, cell->text);
        if (!last)
            pad(out, (right ? 0 : blanks) + 2);
        else
            fputc('\n', out);
    }
    free(widths);
    return FM_OK;
}

static enum fm_status print_table(struct fm_query *query, FILE *out, struct fm_error *error)
{
    struct printed_table table = {0};
    bool row, good = true;
    enum fm_status status = fm_query_next(query, &row, error);
    if (!status)
        good = add_header(&table, query);
    while (!status && good && row) {
        good = add_row(&table, query);
        if (good)
            status = fm_query_next(query, &row, error);
    }
    if (!good)
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for a table; use --format csv");
    if (!status && table.columns)
        status = print_cells(&table, out, error);
    fm_arena_destroy(&table.arena);
    return status;
}

/* ---- row by row ---- */

static void print_csv_row(struct fm_csv *csv, const struct fm_query *query, bool header)
{
    char buffer[FM_VALUE_TEXT_BYTES];
    for (int i = 0; i < fm_query_columns(query); i++)
        fm_csv_text(csv, header ? fm_query_column_name(query, i) : fm_value_text(query, i, buffer));
    fm_csv_end_row(csv);
}

static void print_json_row(struct fm_json *json, const struct fm_query *query)
{
    fm_json_object(json, NULL, FM_JSON_INLINE);
    for (int i = 0; i < fm_query_columns(query); i++) {
        const char *name = fm_query_column_name(query, i);
        char buffer[FM_VALUE_TEXT_BYTES];
        switch (fm_column_kind_of(query, i)) {
        case FM_VALUE_WHOLE:
            fm_json_signed(json, name, fm_column_whole(query, i));
            break;
        case FM_VALUE_REAL:
            fm_json_real(json, name, fm_column_real(query, i));
            break;
        case FM_VALUE_NULL:
            fm_json_null(json, name);
            break;
        default:
            fm_json_text(json, name, fm_value_text(query, i, buffer));
        }
    }
    fm_json_end(json);
}

enum fm_status fm_query_print(struct fm_query *query, enum fm_query_format format, FILE *out, struct fm_error *error)
{
    if (format == FM_QUERY_TABLE)
        return print_table(query, out, error);
    struct fm_csv csv = {.out = out};
    struct fm_json *json = calloc(1, sizeof *json);
    if (!json)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for rows");
    json->out = out;
    bool row;
    enum fm_status status = fm_query_next(query, &row, error);
    if (!status && format == FM_QUERY_CSV)
        print_csv_row(&csv, query, true);
    else if (!status)
        fm_json_array(json, NULL, FM_JSON_LINES);
    while (!status && row) {
        if (format == FM_QUERY_CSV)
            print_csv_row(&csv, query, false);
        else
            print_json_row(json, query);
        status = fm_query_next(query, &row, error);
    }
    if (!status && format == FM_QUERY_JSON)
        fm_json_end(json);
    free(json);
    return status;
}
