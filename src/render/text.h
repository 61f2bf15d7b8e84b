/* SPDX-License-Identifier: BSD-3-Clause */
/* Text for terminals: strings made safe to print, and tables.
 *
 * A table is filled cell by cell, row by row, and printed as text (aligned, with units, at most
 * fm_output_limit() columns wide), as CSV (RFC 4180, exact numbers) or as HTML. Each column has two names: `heading` for text,
 * `key` for CSV; a column without heading or key is left out there.
 *
 * Memory comes from the caller's arena. If it runs out, the table is marked as failed and prints nothing. */
#ifndef FM_RENDER_TEXT_H
#define FM_RENDER_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/safe_text.h"
#include "base/utf8.h"
#include "render/width.h"

/* ---- strings ---- */

/* Prints `bytes` bytes of a text, made safe for the format it is written into. */
void fm_print_safe(FILE *out, enum fm_safe kind, const char *text, size_t bytes);
/* Prints a text with '?' for characters that a terminal would interpret. */
void fm_print_text(FILE *out, const char *text);
/* The same, but keeps newlines. */
void fm_print_lines(FILE *out, const char *text);
/* printf of a line, or part of one, that may contain names of unknown origin. */
void fm_print_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fm_print_line_list(FILE *out, const char *format, va_list values) __attribute__((format(printf, 2, 0)));
/* Prints a text, cut in the middle ("abc..xyz") if it is wider than `columns`. Returns the printed width. */
size_t fm_print_cut(FILE *out, const char *text, size_t columns);
/* Prints a text wrapped at fm_output_columns(), with all lines but the first indented, and a final newline. Longer words
 * are shortened. */
void fm_print_folded(FILE *out, const char *text, size_t indent);
/* The same, with a text in front of it; the lines that follow are indented by its width. */
void fm_print_hanging(FILE *out, const char *head, const char *text);
/* printf of a sentence or two, wrapped like that, with all lines but the first indented by 2. */
void fm_print_sentence(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* printf into the arena. Returns "" if out of memory. */
const char *fm_format(struct fm_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- tables ---- */

enum fm_column_kind {
    FM_COLUMN_TEXT,   /* left-aligned; shortened as a label if the table is too wide (render/shorten.h) */
    FM_COLUMN_SOURCE, /* left-aligned; its end is left out if the table is too wide */
    FM_COLUMN_BAR,    /* left-aligned; never cut */
    FM_COLUMN_KEY,    /* left-aligned; neither cut nor hidden: what identifies the row, to be copied */
    FM_COLUMN_COUNT,  /* integers */
    FM_COLUMN_RANK,   /* an identifying number, without thousands separators */
    FM_COLUMN_MEAN,   /* numbers */
    FM_COLUMN_TIME,   /* ns; CSV: seconds */
    FM_COLUMN_BYTES,
    FM_COLUMN_RATE,    /* bytes per second */
    FM_COLUMN_PERCENT, /* fraction; shown in percent */
};

struct fm_column {
    const char *heading, *key;
    enum fm_column_kind kind;
};

struct fm_table {
    struct fm_arena *arena;
    const struct fm_column *columns;
    size_t n_columns;
    const size_t *spared;
    size_t n_spared;
    struct fm_cell *cells;
    size_t n_cells, capacity;
    bool failed;
    size_t indent; /* of each line; text only */
};

void fm_table_start(struct fm_table *table, struct fm_arena *arena, const struct fm_column *columns, size_t n_columns);
/* The columns that are hidden first on a narrow terminal, in this order; must outlive the table. */
void fm_table_spare(struct fm_table *table, const size_t *columns, size_t n);
void fm_cell_text(struct fm_table *table, const char *text); /* the text must outlive the table */
void fm_cell_number(struct fm_table *table, double number);
void fm_cell_whole(struct fm_table *table, uint64_t number);                      /* exact in CSV */
void fm_cell_as(struct fm_table *table, enum fm_column_kind kind, double number); /* overrides the column's kind */
void fm_cell_none(struct fm_table *table);                                        /* no value */
void fm_cell_whole_or_none(struct fm_table *table, uint64_t number, bool known);
void fm_cell_number_or_none(struct fm_table *table, double number, bool known);
void fm_cell_line(struct fm_table *table, const char *text); /* text only: a line across all columns */

void fm_table_print(const struct fm_table *table, FILE *out);
void fm_table_csv(const struct fm_table *table, FILE *out);
/* An element <table>: numbers as in text, with the class "n"; shares have the class "p" and, as the property --p of their
 * style, their length. Columns are those of text. */
void fm_table_html(const struct fm_table *table, FILE *out);

#endif
