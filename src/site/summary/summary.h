/* SPDX-License-Identifier: BSD-3-Clause */
/* A summary of a site's jobs, or of a user's, over some time: an overview and tables (sheet.h), as text, HTML, CSV, JSON. */
#ifndef FM_SITE_SUMMARY_SUMMARY_H
#define FM_SITE_SUMMARY_SUMMARY_H

#include "site/calibration/calibration.h"
#include "site/store/store.h"
#include "site/summary/facts.h"
#include "site/summary/sheet.h"

#define FM_CRITICAL_KEY "critical_jobs"

enum { FM_CRITICAL_ROWS = 10000 }; /* at most, of that table */

enum { FM_SUMMARY_SHEETS = 24 };
struct fm_site_summary {
    struct fm_scope scope;
    struct fm_totals totals;
    struct fm_sheet sheets[FM_SUMMARY_SHEETS];
    size_t n_sheets;
    struct fm_arena arena;
};

/* sheet: name of the only table that is wanted; NULL: all. To be closed in any case. */
enum fm_status fm_site_summary_make(struct fm_site_summary *summary, struct fm_db *db, const struct fm_scope *scope,
                                    const char *sheet, struct fm_error *error);
/* Adds the tables of estimates.h, and their sums. */
enum fm_status fm_site_summary_estimate(struct fm_site_summary *summary, struct fm_db *db,
                                        const struct fm_calibration *calibration, struct fm_error *error);
/* Adds a table of single jobs: those with much MPI, at most `rows`. */
enum fm_status fm_site_summary_add_critical(struct fm_site_summary *summary, struct fm_store *store, size_t rows,
                                            struct fm_error *error);
void fm_site_summary_close(struct fm_site_summary *summary);

/* rows: of each table, at most; 0: all */
void fm_site_summary_text(struct fm_site_summary *summary, size_t rows, FILE *out);
void fm_site_summary_html(struct fm_site_summary *summary, size_t rows, FILE *out);
void fm_site_summary_json(struct fm_site_summary *summary, FILE *out);
/* Of the table with that name; it must be there. */
void fm_site_summary_csv(struct fm_site_summary *summary, const char *sheet, FILE *out);

#endif
