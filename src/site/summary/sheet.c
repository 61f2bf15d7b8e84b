/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/summary/sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_text.h"
#include "base/units.h"
#include "site/store/classes.h"

static enum fm_status no_memory(struct fm_error *error)
{
    return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a table of the summary");
}

/* ---- from the database ---- */

static void write_number(struct fm_writer *sql, double number)
{
    if (isnan(number))
        fm_write(sql, "NULL");
    else
        fm_write(sql, "%.17e", number);
}

/* Puts the totals in the places of their names. */
static void write_expression(struct fm_writer *sql, const char *expression, const struct fm_totals *totals)
{
    const struct {
        const char *name;
        double value;
    } names[] = {
        {"{ranks}", totals->ranks},
        {"{jobs}", totals->jobs},
        {"{cpu_us}", totals->cpu_s * 1e6},
        {"{capacity_us}", totals->capacity_s * 1e6},
    };
    for (const char *at = expression; *at;) {
        size_t i = 0, n = sizeof names / sizeof *names;
        while (i < n && strncmp(at, names[i].name, strlen(names[i].name)) != 0)
            i++;
        if (i == n) {
            fm_write(sql, "%c", *at++);
            continue;
        }
        write_number(sql, names[i].value);
        at += strlen(names[i].name);
    }
}

static enum fm_rollup rollup_of(const struct fm_sheet_kind *kind, const struct fm_scope *scope)
{
    /* these tell Fortran apart */
    const char *also = kind->label == FM_LABEL_CPU ? "language_id" : NULL;
    return fm_scope_rollup(scope, kind->rollup, kind->group_by, also);
}

static const char *write_statement(struct fm_writer *sql, const struct fm_sheet_kind *kind,
                                   const struct fm_scope *scope, const struct fm_totals *totals)
{
    bool named = kind->label == FM_LABEL_NAME || kind->label == FM_LABEL_SETTING;
    if (named)
        fm_write(sql, "SELECT n.name, s.* FROM (");
    fm_write(sql, "SELECT %s AS label", kind->group_by);
    for (size_t i = 0; kind->columns[i].sql; i++) {
        fm_write(sql, ", ");
        write_expression(sql, kind->columns[i].sql, totals);
        fm_write(sql, " AS v%zu", i);
    }
    fm_write(sql, ", ROW_NUMBER() OVER (ORDER BY %s) AS place FROM ", kind->order);
    fm_scope_write(sql, scope, rollup_of(kind, scope));
    if (kind->label == FM_LABEL_SETTING)
        fm_write(sql, " WHERE kind = %d", kind->setting);
    fm_write(sql, " GROUP BY %s HAVING SUM(jobs) > 0", kind->group_by);
    if (named)
        fm_write(sql, ") s JOIN names n ON n.id = s.label");
    fm_write(sql, " ORDER BY place");
    return fm_writer_text(sql);
}

static const char *label_of(const struct fm_sheet_kind *kind, const struct fm_query *query, struct fm_arena *arena)
{
    char label[FM_CLASS_LABEL];
    const char *text = fm_column_text(query, 0);
    int number = (int)fm_column_whole(query, 0);
    if (kind->label == FM_LABEL_RANKS)
        text = fm_ranks_class_label(number, label);
    else if (kind->label == FM_LABEL_CPU)
        text = fm_cpu_class_label(number, label);
    else if (kind->label == FM_LABEL_GROUP)
        text = fm_routine_group_label((enum fm_routine_group)number);
    return fm_arena_strndup(arena, *text ? text : "unknown", strlen(*text ? text : "unknown"));
}

bool fm_sheet_row(struct fm_sheet *sheet, struct fm_arena *arena, struct fm_sheet_value **row)
{
    size_t needed = (sheet->n_rows + 1) * sheet->n_columns;
    struct fm_sheet_value *values = needed <= sheet->capacity
                                        ? sheet->values
                                        : fm_arena_grow(arena, sheet->values, &sheet->capacity, needed, sizeof *values);
    if (!values)
        return false;
    sheet->values = values;
    *row = values + sheet->n_rows++ * sheet->n_columns;
    for (size_t i = 0; i < sheet->n_columns; i++)
        (*row)[i] = (struct fm_sheet_value){NULL, NAN};
    return true;
}

void fm_sheet_start(struct fm_sheet *sheet, const char *key, const char *title, const struct fm_column *columns,
                    size_t n_columns)
{
    *sheet = (struct fm_sheet){.key = key, .title = title, .n_columns = n_columns};
    memcpy(sheet->columns, columns, n_columns * sizeof *columns);
}

static enum fm_status read_rows(struct fm_sheet *sheet, const struct fm_sheet_kind *kind, struct fm_query *query,
                                struct fm_arena *arena, struct fm_error *error)
{
    int first = kind->label == FM_LABEL_NAME || kind->label == FM_LABEL_SETTING ? 2 : 1;
    for (;;) {
        bool more;
        enum fm_status status = fm_query_next(query, &more, error);
        if (status || !more)
            return status;
        struct fm_sheet_value *row;
        const char *label = label_of(kind, query, arena);
        if (!label || !fm_sheet_row(sheet, arena, &row))
            return no_memory(error);
        row[0].text = label;
        for (size_t i = 1; i < sheet->n_columns; i++)
            row[i].number = fm_column_real(query, first + (int)i - 1);
    }
}

static void start(struct fm_sheet *sheet, const struct fm_sheet_kind *kind)
{
    *sheet = (struct fm_sheet){.key = kind->key, .title = kind->title};
    sheet->columns[sheet->n_columns++] = kind->first;
    for (size_t i = 0; kind->columns[i].sql; i++)
        sheet->columns[sheet->n_columns++] = kind->columns[i].column;
}

enum fm_status fm_sheet_fill(struct fm_sheet *sheet, const struct fm_sheet_kind *kind, struct fm_db *db,
                             const struct fm_scope *scope, const struct fm_totals *totals, struct fm_arena *arena,
                             struct fm_error *error)
{
    start(sheet, kind);
    struct fm_arena texts = {0};
    struct fm_writer sql = {.arena = &texts};
    const char *statement = write_statement(&sql, kind, scope, totals);
    struct fm_query *query = NULL;
    enum fm_status status = statement ? fm_query_open(&query, db, statement, error) : no_memory(error);
    if (!status) {
        fm_scope_bind(query, scope, rollup_of(kind, scope));
        status = read_rows(sheet, kind, query, arena, error);
    }
    fm_query_close(query);
    fm_arena_destroy(&texts);
    return status;
}

/* ---- from another table ---- */

static size_t column_of(const struct fm_sheet *sheet, const char *key)
{
    size_t i = 0;
    while (i + 1 < sheet->n_columns && strcmp(sheet->columns[i].key, key) != 0)
        i++;
    return i;
}

/* Rows of the same value by name. */
static int compare_rows(const void *a, const void *b)
{
    const struct fm_sheet_value *x = a, *y = b;
    return x[1].number != y[1].number ? (x[1].number < y[1].number ? 1 : -1) : strcmp(x[0].text, y[0].text);
}

enum fm_status fm_sheet_fill_of(struct fm_sheet *sheet, const struct fm_sheet_kind *kind, const struct fm_sheet *of,
                                struct fm_arena *arena, struct fm_error *error)
{
    size_t from[FM_SHEET_COLUMNS + 1] = {0};
    start(sheet, kind);
    for (size_t i = 0; i < sheet->n_columns; i++)
        from[i] = column_of(of, sheet->columns[i].key);
    for (size_t at = 0; at < of->n_rows; at++) {
        const struct fm_sheet_value *values = &of->values[at * of->n_columns];
        struct fm_sheet_value *row;
        if (!(values[from[1]].number > 0))
            continue;
        if (!fm_sheet_row(sheet, arena, &row))
            return no_memory(error);
        for (size_t i = 0; i < sheet->n_columns; i++)
            row[i] = values[from[i]];
    }
    if (sheet->n_rows)
        qsort(sheet->values, sheet->n_rows, sheet->n_columns * sizeof *sheet->values, compare_rows);
    return FM_OK;
}

/* ---- to readers ---- */

static void fill_table(const struct fm_sheet *sheet, const struct fm_column *columns, size_t rows,
                       struct fm_table *table, struct fm_arena *arena)
{
    fm_table_start(table, arena, columns, sheet->n_columns);
    for (size_t i = 0; i < rows * sheet->n_columns; i++) {
        const struct fm_sheet_value *value = &sheet->values[i];
        enum fm_column_kind kind = sheet->columns[i % sheet->n_columns].kind;
        if (value->text)
            fm_cell_text(table, value->text);
        else if (isnan(value->number))
            fm_cell_none(table);
        else if (kind == FM_COLUMN_COUNT && value->number >= 0)
            fm_cell_whole(table, fm_rounded(value->number));
        else
            fm_cell_number(table, value->number);
    }
}

/* For readers: without the columns of which nothing is known. */
static void known_columns(const struct fm_sheet *sheet, size_t rows, struct fm_column columns[])
{
    memcpy(columns, sheet->columns, sheet->n_columns * sizeof *columns);
    for (size_t c = 0; c < sheet->n_columns; c++) {
        bool known = false;
        for (size_t row = 0; row < rows && !known; row++) {
            const struct fm_sheet_value *value = &sheet->values[row * sheet->n_columns + c];
            known = value->text ? *value->text : !isnan(value->number);
        }
        if (!known)
            columns[c].heading = NULL;
    }
}

static size_t shown_rows(const struct fm_sheet *sheet, size_t rows)
{
    return rows && rows < sheet->n_rows ? rows : sheet->n_rows;
}

void fm_sheet_text(const struct fm_sheet *sheet, size_t rows, struct fm_arena *arena, FILE *out)
{
    rows = shown_rows(sheet, rows);
    if (!rows)
        return;
    struct fm_table table;
    struct fm_column columns[sizeof sheet->columns / sizeof *sheet->columns];
    known_columns(sheet, rows, columns);
    fill_table(sheet, columns, rows, &table, arena);
    fprintf(out, "%s\n", sheet->title);
    fm_table_print(&table, out);
    if (rows < sheet->n_rows)
        fprintf(out, "+ %zu more (--all shows them)\n", sheet->n_rows - rows);
    fputc('\n', out);
}

void fm_sheet_html(const struct fm_sheet *sheet, size_t rows, struct fm_arena *arena, FILE *out)
{
    rows = shown_rows(sheet, rows);
    if (!rows)
        return;
    struct fm_table table;
    struct fm_column columns[sizeof sheet->columns / sizeof *sheet->columns];
    known_columns(sheet, rows, columns);
    fill_table(sheet, columns, rows, &table, arena);
    fprintf(out, "<h2 id=\"%s\">%s</h2>\n", sheet->key, sheet->title);
    fm_table_html(&table, out);
    if (rows < sheet->n_rows)
        fprintf(out, "<p>+ %zu more</p>\n", sheet->n_rows - rows);
}

void fm_sheet_csv(const struct fm_sheet *sheet, struct fm_arena *arena, FILE *out)
{
    struct fm_table table;
    fill_table(sheet, sheet->columns, sheet->n_rows, &table, arena);
    fm_table_csv(&table, out);
}

/* Times are in nanoseconds here, and in seconds there. */
static double exact(const struct fm_column *column, double number)
{
    return column->kind == FM_COLUMN_TIME ? number / 1e9 : number;
}

void fm_sheet_json(const struct fm_sheet *sheet, struct fm_json *json)
{
    fm_json_array(json, sheet->key, FM_JSON_LINES);
    for (size_t row = 0; row < sheet->n_rows; row++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        for (size_t i = 0; i < sheet->n_columns; i++) {
            const struct fm_sheet_value *value = &sheet->values[row * sheet->n_columns + i];
            const struct fm_column *column = &sheet->columns[i];
            if (value->text)
                fm_json_text(json, column->key, value->text);
            else
                fm_json_real(json, column->key, exact(column, value->number));
        }
        fm_json_end(json);
    }
    fm_json_end(json);
}
