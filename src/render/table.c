/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of render/text.h. The text of a cell is a number and a unit, which are aligned separately:
 *
 *     4.5 ms
 *    12.3 s       */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "base/writer.h"
#include "render/csv.h"
#include "render/shorten.h"
#include "render/text.h"
#include "render/xml.h"

enum cell_kind { CELL_NONE, CELL_TEXT, CELL_NUMBER, CELL_WHOLE, CELL_LINE };

struct fm_cell {
    enum cell_kind kind;
    double number;
    uint64_t whole;
    const char *text; /* formatted text */
};

enum { MAX_COLUMNS = 32, MIN_TEXT = 12, FAIR_TEXT = 36, SHORT_BAR = 8 };

struct table_layout {
    size_t number[MAX_COLUMNS], unit[MAX_COLUMNS]; /* widths; text cells have no unit */
    size_t gap;
    bool hidden[MAX_COLUMNS];
};

void fm_table_start(struct fm_table *table, struct fm_arena *arena, const struct fm_column *columns, size_t n_columns)
{
    *table = (struct fm_table){.arena = arena, .columns = columns, .n_columns = n_columns};
    table->failed = n_columns > MAX_COLUMNS;
}

void fm_table_spare(struct fm_table *table, const size_t *columns, size_t n)
{
    table->spared = columns;
    table->n_spared = n;
}

static void add_cell(struct fm_table *table, struct fm_cell cell)
{
    if (table->failed)
        return;
    void *grown = fm_arena_grow(table->arena, table->cells, &table->capacity, table->n_cells + 1, sizeof cell);
    if (!grown) {
        table->failed = true;
        return;
    }
    table->cells = grown;
    table->cells[table->n_cells++] = cell;
}

static const char *humanise(char *buffer, enum fm_column_kind kind, double number, uint64_t whole)
{
    switch (kind) {
    case FM_COLUMN_COUNT:
        return fm_count_text(buffer, whole);
    case FM_COLUMN_RANK:
        snprintf(buffer, FM_UNIT_CHARS, "%" PRIu64, whole);
        return buffer;
    case FM_COLUMN_TIME:
        return fm_time_text(buffer, number);
    case FM_COLUMN_BYTES:
        return fm_bytes_text(buffer, number);
    case FM_COLUMN_RATE:
        return fm_rate_text(buffer, number);
    case FM_COLUMN_PERCENT:
        return fm_percent_text(buffer, number);
    case FM_COLUMN_MEAN:
        return fm_mean_text(buffer, number);
    default:
        return "";
    }
}

static void add_number(struct fm_table *table, struct fm_cell cell, enum fm_column_kind kind)
{
    char buffer[FM_UNIT_CHARS];
    const char *text = humanise(buffer, kind, cell.number, cell.whole);
    cell.text = fm_arena_strndup(table->arena, text, strlen(text));
    table->failed |= !cell.text;
    add_cell(table, cell);
}

static enum fm_column_kind next_kind(const struct fm_table *table)
{
    return table->columns[table->n_cells % table->n_columns].kind;
}

void fm_cell_text(struct fm_table *table, const char *text)
{
    add_cell(table, (struct fm_cell){.kind = CELL_TEXT, .text = text});
}

void fm_cell_as(struct fm_table *table, enum fm_column_kind kind, double number)
{
    uint64_t whole = fm_rounded(number);
    add_number(table, (struct fm_cell){.kind = CELL_NUMBER, .number = number, .whole = whole}, kind);
}

void fm_cell_number(struct fm_table *table, double number)
{
    fm_cell_as(table, next_kind(table), number);
}

void fm_cell_whole(struct fm_table *table, uint64_t number)
{
    add_number(table, (struct fm_cell){.kind = CELL_WHOLE, .number = (double)number, .whole = number},
               next_kind(table));
}

void fm_cell_none(struct fm_table *table)
{
    add_cell(table, (struct fm_cell){.kind = CELL_NONE, .text = ""});
}

void fm_cell_whole_or_none(struct fm_table *table, uint64_t number, bool known)
{
    if (known)
        fm_cell_whole(table, number);
    else
        fm_cell_none(table);
}

void fm_cell_number_or_none(struct fm_table *table, double number, bool known)
{
    if (known)
        fm_cell_number(table, number);
    else
        fm_cell_none(table);
}

void fm_cell_line(struct fm_table *table, const char *text)
{
    add_cell(table, (struct fm_cell){.kind = CELL_LINE, .text = text});
    for (size_t i = 1; i < table->n_columns; i++)
        fm_cell_none(table);
}

/* ---- text ---- */

static bool is_text(const struct fm_column *column)
{
    return column->kind == FM_COLUMN_TEXT || column->kind == FM_COLUMN_SOURCE || column->kind == FM_COLUMN_BAR ||
           column->kind == FM_COLUMN_KEY;
}

static void measure(const struct fm_column *column, const char *text, size_t *number, size_t *unit)
{
    size_t width = fm_text_width(text);
    const char *space = is_text(column) ? NULL : strchr(text, ' ');
    *number = space ? (size_t)(space - text) : width;
    *unit = space ? width - *number : 0; /* including the space before it */
}

static bool is_shown(const struct fm_table *table, const struct table_layout *layout, size_t c)
{
    return table->columns[c].heading && !layout->hidden[c];
}

static size_t total_width(const struct fm_table *table, const struct table_layout *layout)
{
    size_t width = table->indent;
    for (size_t c = 0; c < table->n_columns; c++)
        if (is_shown(table, layout, c))
            width += layout->number[c] + layout->unit[c] + (c ? layout->gap : 0);
    return width;
}

static bool is_cut(const struct fm_column *column)
{
    return column->heading && (column->kind == FM_COLUMN_TEXT || column->kind == FM_COLUMN_SOURCE);
}

/* The widest text; the number of columns if none is wider than `least`. */
static size_t longest_text(const struct fm_table *table, const struct table_layout *layout, size_t least)
{
    size_t longest = table->n_columns;
    for (size_t c = 0; c < table->n_columns; c++)
        if (is_shown(table, layout, c) && is_cut(&table->columns[c]) && layout->number[c] > least &&
            (longest == table->n_columns || layout->number[c] > layout->number[longest]))
            longest = c;
    return longest;
}

/* What can be spared on a narrow terminal: ratios of other columns, which have a "/" in their heading, then bars, then
 * the last column. */
static size_t least_needed(const struct fm_table *table, const struct table_layout *layout)
{
    size_t bar = table->n_columns, last = table->n_columns;
    for (size_t c = 0; c < table->n_columns; c++) {
        const struct fm_column *column = &table->columns[c];
        if (!column->heading || layout->hidden[c] || is_cut(column) || column->kind == FM_COLUMN_KEY)
            continue;
        if (strchr(column->heading, '/'))
            return c;
        if (column->kind != FM_COLUMN_BAR)
            last = c;
        else if (layout->number[c] > SHORT_BAR)
            bar = c;
    }
    return bar < table->n_columns ? bar : last;
}

/* A table that says itself which columns can be spared has its texts cut before it loses others. */
static size_t next_hidden(const struct fm_table *table, const struct table_layout *layout)
{
    for (size_t i = 0; i < table->n_spared; i++)
        if (is_shown(table, layout, table->spared[i]))
            return table->spared[i];
    if (table->n_spared && longest_text(table, layout, MIN_TEXT) < table->n_columns)
        return table->n_columns;
    return least_needed(table, layout);
}

/* Shrinks a table that is too wide: first the gaps, then the longest texts. On a narrow terminal, columns are hidden
 * before texts become too short to be understood. */
static void fit(const struct fm_table *table, struct table_layout *layout, size_t limit)
{
    if (total_width(table, layout) > (limit == FM_TEXT_LIMIT ? FM_TEXT_COLUMNS : limit))
        layout->gap = 1;
    while (total_width(table, layout) > limit) {
        bool narrow = limit < FM_TEXT_COLUMNS;
        size_t longest = longest_text(table, layout, narrow ? FAIR_TEXT : MIN_TEXT);
        size_t spared = narrow ? next_hidden(table, layout) : table->n_columns;
        if (longest == table->n_columns && spared < table->n_columns) {
            layout->hidden[spared] = true;
            continue;
        }
        if (longest == table->n_columns)
            longest = longest_text(table, layout, MIN_TEXT);
        if (longest == table->n_columns)
            return;
        layout->number[longest]--;
    }
}

static struct table_layout lay_out(const struct fm_table *table, size_t limit)
{
    struct table_layout layout = {.gap = 2};
    for (size_t i = 0; i < table->n_cells; i++) {
        size_t c = i % table->n_columns, number, unit;
        if (table->cells[i].kind == CELL_LINE)
            continue;
        measure(&table->columns[c], table->cells[i].text, &number, &unit);
        layout.number[c] = number > layout.number[c] ? number : layout.number[c];
        layout.unit[c] = unit > layout.unit[c] ? unit : layout.unit[c];
    }
    for (size_t c = 0; c < table->n_columns; c++) {
        size_t heading = table->columns[c].heading ? fm_text_width(table->columns[c].heading) : 0;
        if (heading > layout.number[c] + layout.unit[c])
            layout.number[c] = heading - layout.unit[c];
    }
    fit(table, &layout, limit);
    return layout;
}

/* Blanks are printed only when something follows, so that no line ends in blanks. */
static void print_blanks(FILE *out, size_t *blanks)
{
    fprintf(out, "%*s", (int)*blanks, "");
    *blanks = 0;
}

static void print_heading(FILE *out, const struct fm_column *column, size_t width, size_t *blanks)
{
    struct fm_cut shown = fm_text_cut(column->heading, width);
    size_t heading = shown.width, left = is_text(column) ? 0 : width - heading;
    *blanks += left;
    if (heading)
        print_blanks(out, blanks);
    fm_print_cut(out, column->heading, width);
    *blanks += width - heading - left;
}

/* Shortens the texts of a column to its width. Returns false if out of memory. */
static bool shorten_column(const struct fm_table *table, const struct table_layout *layout, size_t c)
{
    size_t n = table->n_cells / table->n_columns;
    const char **texts = fm_arena_alloc(table->arena, n * sizeof *texts);
    if (!texts)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct fm_cell *row = &table->cells[i * table->n_columns];
        texts[i] = row->kind == CELL_LINE ? "" : row[c].text;
        if (table->columns[c].kind == FM_COLUMN_SOURCE)
            texts[i] = fm_shorten_end(table->arena, texts[i], layout->number[c]);
    }
    if (table->columns[c].kind == FM_COLUMN_TEXT)
        fm_shorten_column(table->arena, texts, n, layout->number[c]);
    for (size_t i = 0; i < n; i++)
        if (table->cells[i * table->n_columns].kind != CELL_LINE)
            table->cells[i * table->n_columns + c].text = texts[i];
    return true;
}

static void print_cell(FILE *out, const struct fm_column *column, const char *text, size_t number_width,
                       size_t unit_width, size_t *blanks)
{
    size_t number, unit;
    measure(column, text, &number, &unit);
    if (number + unit == 0) {
        *blanks += number_width + unit_width;
        return;
    }
    size_t before = is_text(column) || number >= number_width ? 0 : number_width - number;
    *blanks += before;
    print_blanks(out, blanks);
    size_t printed = fm_print_cut(out, text, number_width - before + unit_width);
    *blanks += number_width + unit_width - before - printed;
}

static void print_row(const struct fm_table *table, const struct table_layout *layout, const struct fm_cell *cells,
                      FILE *out)
{
    size_t blanks = table->indent;
    if (cells && cells->kind == CELL_LINE) {
        print_blanks(out, &blanks);
        fm_print_text(out, cells->text);
        fputc('\n', out);
        return;
    }
    for (size_t c = 0; c < table->n_columns; c++) {
        if (!is_shown(table, layout, c))
            continue;
        blanks += c ? layout->gap : 0;
        if (cells)
            print_cell(out, &table->columns[c], cells[c].text, layout->number[c], layout->unit[c], &blanks);
        else
            print_heading(out, &table->columns[c], layout->number[c] + layout->unit[c], &blanks);
    }
    fputc('\n', out);
}

static void print_hidden(const struct fm_table *table, const struct table_layout *layout, FILE *out)
{
    struct fm_writer names = {.arena = table->arena};
    size_t n = 0;
    for (size_t c = 0; c < table->n_columns; c++)
        if (layout->hidden[c] && table->columns[c].heading[0])
            fm_write(&names, "%s%s", n++ ? ", " : "", table->columns[c].heading);
    if (n && fm_writer_text(&names))
        fm_print_sentence(out, "Hidden on this narrow terminal: %s.", fm_writer_text(&names));
}

void fm_table_print(const struct fm_table *table, FILE *out)
{
    if (table->failed)
        return;
    struct table_layout layout = lay_out(table, fm_output_limit(out));
    for (size_t c = 0; c < table->n_columns; c++)
        if (is_cut(&table->columns[c]) && !shorten_column(table, &layout, c))
            return;
    print_row(table, &layout, NULL, out);
    for (size_t i = 0; i < table->n_cells; i += table->n_columns)
        print_row(table, &layout, &table->cells[i], out);
    print_hidden(table, &layout, out);
}

/* ---- CSV ---- */

/* Sums over a site can be beyond a whole number of nanoseconds. */
static const double most_ns = 0x1p63;

static bool is_whole(const struct fm_column *column, const struct fm_cell *cell)
{
    return (column->kind == FM_COLUMN_COUNT || column->kind == FM_COLUMN_RANK) && cell->number == (double)cell->whole;
}

static void csv_cell(struct fm_csv *csv, const struct fm_column *column, const struct fm_cell *cell)
{
    if (cell->kind == CELL_NONE)
        fm_csv_text(csv, "");
    else if (is_text(column))
        fm_csv_text(csv, cell->text);
    else if (column->kind == FM_COLUMN_TIME && cell->number >= most_ns)
        fm_csv_number(csv, cell->number / 1e9);
    else if (column->kind == FM_COLUMN_TIME)
        fm_csv_seconds(csv, cell->whole);
    else if (cell->kind == CELL_WHOLE || is_whole(column, cell))
        fm_csv_whole(csv, cell->whole);
    else
        fm_csv_number(csv, cell->number);
}

void fm_table_csv(const struct fm_table *table, FILE *out)
{
    struct fm_csv csv = {.out = out};
    if (table->failed)
        return;
    for (size_t c = 0; c < table->n_columns; c++)
        if (table->columns[c].key)
            fm_csv_text(&csv, table->columns[c].key);
    fm_csv_end_row(&csv);
    for (size_t i = 0; i < table->n_cells; i += table->n_columns) {
        if (table->cells[i].kind == CELL_LINE)
            continue;
        for (size_t c = 0; c < table->n_columns; c++)
            if (table->columns[c].key)
                csv_cell(&csv, &table->columns[c], &table->cells[i + c]);
        fm_csv_end_row(&csv);
    }
}

/* ---- HTML ---- */

static void html_cell(FILE *out, const struct fm_column *column, const struct fm_cell *cell)
{
    bool share = column->kind == FM_COLUMN_PERCENT && cell->kind == CELL_NUMBER;
    if (is_text(column)) {
        fputs("<td>", out);
    } else if (share) {
        double part = cell->number > 1 ? 1 : cell->number > 0 ? cell->number : 0;
        fputs("<td class=\"n p\" style=\"--p:", out);
        fm_xml_number(out, 100 * part);
        fputs("%\">", out);
    } else {
        fputs("<td class=\"n\">", out);
    }
    fm_xml_text(out, cell->text);
    fputs("</td>", out);
}

static void html_row(FILE *out, const struct fm_table *table, const struct fm_cell *cells)
{
    fputs("<tr>", out);
    if (cells->kind == CELL_LINE) {
        fprintf(out, "<td colspan=\"%zu\">", table->n_columns);
        fm_xml_text(out, cells->text);
        fputs("</td>", out);
    }
    for (size_t c = 0; cells->kind != CELL_LINE && c < table->n_columns; c++)
        if (table->columns[c].heading)
            html_cell(out, &table->columns[c], &cells[c]);
    fputs("</tr>\n", out);
}

void fm_table_html(const struct fm_table *table, FILE *out)
{
    if (table->failed)
        return;
    fputs("<table>\n<thead><tr>", out);
    for (size_t c = 0; c < table->n_columns; c++) {
        if (!table->columns[c].heading)
            continue;
        fputs(is_text(&table->columns[c]) ? "<th>" : "<th class=\"n\">", out);
        fm_xml_text(out, table->columns[c].heading);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < table->n_cells; i += table->n_columns)
        html_row(out, table, &table->cells[i]);
    fputs("</tbody>\n</table>\n", out);
}
