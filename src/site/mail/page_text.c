/* SPDX-License-Identifier: BSD-3-Clause */
/* A page as text, at most 78 columns wide. Critical lines begin with "!". */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "site/mail/page.h"

enum { WIDTH = 78, GAP = 2, LEAST_TEXT = 10, MOST_WORD = 60 };

/* ---- paragraphs ---- */

struct folded_line {
    struct fm_writer *out;
    size_t column, indent;
};

static void add_word(struct folded_line *line, const char *word, size_t bytes)
{
    char copy[1024];
    snprintf(copy, sizeof copy, "%.*s", (int)bytes, word);
    size_t width = fm_text_width(copy);
    width = width < MOST_WORD ? width : MOST_WORD;
    if (line->column > line->indent && line->column + 1 + width > WIDTH) {
        fm_write(line->out, "\n%*s", (int)line->indent, "");
        line->column = line->indent;
    } else if (line->column > line->indent) {
        fm_write(line->out, " ");
        line->column++;
    }
    line->column += fm_write_cut(line->out, copy, MOST_WORD);
}

static void write_folded(struct fm_writer *out, const char *head, size_t indent, const char *text)
{
    struct folded_line line = {out, indent, indent};
    fm_write(out, "%-*s", (int)indent, head);
    for (; *text; text += strspn(text, " \n")) {
        size_t bytes = strcspn(text, " \n");
        if (bytes)
            add_word(&line, text, bytes);
        text += bytes;
    }
    fm_write(out, "\n");
}

static void write_heading(struct fm_writer *out, const char *text)
{
    fm_write(out, "\n");
    size_t width = fm_write_cut(out, text, WIDTH);
    fm_write(out, "\n");
    for (size_t i = 0; i < width; i++)
        fm_write(out, "-");
    fm_write(out, "\n");
}

static void write_bar(struct fm_writer *out, const struct fm_page_block *block)
{
    char text[256] = "Where the time goes:", percent[FM_UNIT_CHARS];
    size_t n = strlen(text);
    for (size_t i = 0; i < block->n_parts && n < sizeof text; i++) {
        int length = snprintf(text + n, sizeof text - n, "%s %s %s", i ? "," : "", block->parts[i].name,
                              fm_percent_whole(percent, block->parts[i].fraction));
        n += length > 0 ? (size_t)length : 0;
    }
    write_folded(out, "  ", 2, text);
}

/* ---- tables ---- */

static size_t width_of(const struct fm_page_block *table, size_t column)
{
    size_t width = fm_text_width(table->columns[column].heading);
    for (size_t i = 0; i < table->n_rows; i++) {
        size_t cell = fm_text_width(table->rows[i].cells[column]);
        width = cell > width ? cell : width;
    }
    return width;
}

/* First texts become narrower, the widest first; then spare columns are left out (width 0), the last one first. */
static void fit(const struct fm_page_block *table, size_t widths[FM_PAGE_COLUMNS])
{
    size_t sum = GAP;
    for (size_t i = 0; i < table->n_columns; i++) {
        widths[i] = width_of(table, i);
        sum += widths[i] + (i ? GAP : 0);
    }
    while (sum > WIDTH) {
        size_t widest = table->n_columns, spare = table->n_columns;
        for (size_t i = 0; i < table->n_columns; i++) {
            if ((table->columns[i].flags & FM_PAGE_WRAPS) && widths[i] > LEAST_TEXT &&
                (widest == table->n_columns || widths[i] > widths[widest]))
                widest = i;
            if ((table->columns[i].flags & FM_PAGE_SPARE) && widths[i])
                spare = i;
        }
        if (widest < table->n_columns) {
            widths[widest]--;
            sum--;
        } else if (spare < table->n_columns) {
            sum -= widths[spare] + GAP;
            widths[spare] = 0;
        } else {
            return;
        }
    }
}

static void write_cell(struct fm_writer *out, const char *text, size_t width, bool is_text, bool is_last)
{
    size_t own = fm_text_width(text);
    size_t padding = own < width ? width - own : 0;
    if (!is_text)
        fm_write(out, "%*s", (int)padding, "");
    fm_write_cut(out, text, width);
    if (is_text && !is_last)
        fm_write(out, "%*s", (int)padding, "");
}

static void write_table(struct fm_writer *out, const struct fm_page_block *table)
{
    size_t widths[FM_PAGE_COLUMNS] = {0}, last = 0;
    fit(table, widths);
    for (size_t i = 0; i < table->n_columns; i++)
        last = widths[i] ? i : last;
    for (size_t row = 0; row <= table->n_rows; row++) {
        const struct fm_page_row *cells = row ? &table->rows[row - 1] : NULL;
        fm_write(out, "%s", cells && cells->critical ? "! " : "  ");
        for (size_t i = 0; i <= last; i++) {
            if (!widths[i])
                continue;
            const char *text = cells ? cells->cells[i] : table->columns[i].heading;
            fm_write(out, "%*s", i ? GAP : 0, "");
            write_cell(out, text, widths[i], (table->columns[i].flags & FM_PAGE_TEXTS), i == last);
        }
        fm_write_end(out);
    }
}

static void write_block(struct fm_writer *out, const struct fm_page_block *block)
{
    switch (block->kind) {
    case FM_PAGE_LEAD:
        write_folded(out, "", 0, block->text);
        break;
    case FM_PAGE_HEADING:
        write_heading(out, block->text);
        break;
    case FM_PAGE_TEXT:
        write_folded(out, "  ", 2, block->text);
        break;
    case FM_PAGE_MESSAGE:
        write_folded(out, block->critical ? "! " : "  ", 2, block->text);
        if (block->more)
            write_folded(out, "    ", 4, block->more);
        if (block->link) {
            fm_write(out, "    ");
            fm_write_text(out, block->link);
            fm_write(out, "\n");
        }
        break;
    case FM_PAGE_BAR:
        write_bar(out, block);
        break;
    case FM_PAGE_TABLE:
        write_table(out, block);
        break;
    case FM_PAGE_LINK:
        fm_write(out, "\n");
        fm_write_cut(out, block->text, MOST_WORD);
        fm_write(out, ":\n");
        fm_write_text(out, block->more);
        fm_write(out, "\n");
        break;
    case FM_PAGE_NOTE:
        fm_write(out, "\n");
        write_folded(out, "", 0, block->text);
        break;
    }
}

void fm_page_write_text(struct fm_writer *out, const struct fm_page *page)
{
    for (size_t i = 0; i < page->n; i++) {
        enum fm_page_kind kind = page->blocks[i].kind;
        /* messages belong together, and to what is before them if that is a heading */
        bool apart = kind == FM_PAGE_MESSAGE || kind == FM_PAGE_TEXT || kind == FM_PAGE_BAR || kind == FM_PAGE_TABLE;
        if (i && apart && page->blocks[i - 1].kind != FM_PAGE_HEADING &&
            (page->blocks[i - 1].kind != kind || kind == FM_PAGE_TABLE))
            fm_write(out, "\n");
        write_block(out, &page->blocks[i]);
    }
}
