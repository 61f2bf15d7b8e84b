/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of a summary: filled from the database, and shown as text, HTML, CSV or JSON. Which tables there are, and the
 * columns of each, is told by sheets.h; a new one is a few lines there.
 *
 * Memory comes from the caller's arena. */
#ifndef FM_SITE_SUMMARY_SHEET_H
#define FM_SITE_SUMMARY_SHEET_H

#include <stdio.h>

#include "render/json.h"
#include "render/text.h"
#include "site/summary/scope.h"

/* What stands at the beginning of a row. */
enum fm_sheet_label {
    FM_LABEL_NAME,    /* a name: its number is in the column */
    FM_LABEL_RANKS,   /* class of ranks */
    FM_LABEL_CPU,     /* class of CPU time */
    FM_LABEL_GROUP,   /* group of routines */
    FM_LABEL_SETTING, /* a name of one kind of settings */
};

/* SQL for the value: an aggregate over the rows `r` of the roll-up. Times are in nanoseconds. In it, {ranks}, {cpu_us},
 * {jobs} and {capacity_us} stand for the totals of the scope; a capacity that is unknown is NULL. */
struct fm_sheet_column {
    struct fm_column column;
    const char *sql;
};

enum { FM_SHEET_COLUMNS = 14 };
struct fm_sheet_kind {
    const char *key, *title;
    enum fm_rollup rollup;
    const char *group_by; /* column of the roll-up */
    enum fm_sheet_label label;
    int setting;       /* enum fm_setting_kind, for FM_LABEL_SETTING */
    const char *order; /* SQL: by what the rows are sorted */
    const char *of; /* NULL; or key of the table whose rows these are, if their first value is above 0: largest first */
    struct fm_column first;
    struct fm_sheet_column columns[FM_SHEET_COLUMNS]; /* ended by one without SQL */
};

struct fm_sheet_value {
    const char *text; /* NULL: a number */
    double number;    /* NAN: unknown */
};

struct fm_sheet {
    const char *key, *title;
    struct fm_column columns[FM_SHEET_COLUMNS + 8];
    size_t n_columns;
    struct fm_sheet_value *values; /* row after row */
    size_t n_rows, capacity;
};

/* Sums over the whole scope; what the other tables are compared with. */
struct fm_totals {
    double jobs, ranks, complete_jobs;
    double cpu_s, mpi_s, overhead_s, program_s, waiting_s, io_s, no_cpu_s, wasted_s;
    double ranks_cpu_s; /* sum of ranks x CPU time */
    double instructions, fp_instructions, l2_misses, counted_s;
    double critical_jobs, critical_cpu_s;
    double users, programs, routines; /* how many there are */
    double capacity_s;                /* of the machine; NAN if unknown */
    /* Estimated (estimates.h), parts of mpi_s; NAN without a calibration. Local: in routines that do not communicate. */
    double latency_s, transfer_s, synchronisation_s, local_s, not_estimated_s;
};
/* counts: also how many users, programs and routines there are; each has a row in the table of that name. */
enum fm_status fm_totals_find(struct fm_db *db, const struct fm_scope *scope, bool counts, struct fm_totals *totals,
                              struct fm_error *error);

extern const struct fm_sheet_kind fm_sheet_kinds[];
extern const size_t fm_n_sheet_kinds;
/* NULL if there is none of that name. */
const struct fm_sheet_kind *fm_sheet_kind_of(const char *key);

enum fm_status fm_sheet_fill(struct fm_sheet *sheet, const struct fm_sheet_kind *kind, struct fm_db *db,
                             const struct fm_scope *scope, const struct fm_totals *totals, struct fm_arena *arena,
                             struct fm_error *error);

/* Fills a table that is `of` another one, which has its columns. */
enum fm_status fm_sheet_fill_of(struct fm_sheet *sheet, const struct fm_sheet_kind *kind, const struct fm_sheet *of,
                                struct fm_arena *arena, struct fm_error *error);

/* An empty one, to be filled by hand: the columns are copied. */
void fm_sheet_start(struct fm_sheet *sheet, const char *key, const char *title, const struct fm_column *columns,
                    size_t n_columns);
/* Adding rows by hand; all values are unknown at first. False if out of memory. */
bool fm_sheet_row(struct fm_sheet *sheet, struct fm_arena *arena, struct fm_sheet_value **row);

/* rows: at most, 0: all */
void fm_sheet_text(const struct fm_sheet *sheet, size_t rows, struct fm_arena *arena, FILE *out);
void fm_sheet_html(const struct fm_sheet *sheet, size_t rows, struct fm_arena *arena, FILE *out);
void fm_sheet_csv(const struct fm_sheet *sheet, struct fm_arena *arena, FILE *out);
void fm_sheet_json(const struct fm_sheet *sheet, struct fm_json *json);

#endif
