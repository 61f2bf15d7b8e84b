/* SPDX-License-Identifier: BSD-3-Clause */
/* One job of a site, for whoever answers its user's question: everything of its record, its routines, findings and hosts, and
 * where it stands among the other runs of its program. As text, HTML, CSV of a table, or JSON.
 *
 * Memory comes from the arena of the report. */
#ifndef FM_SITE_JOB_JOB_H
#define FM_SITE_JOB_JOB_H

#include "site/calibration/calibration.h"
#include "site/insights/references.h"
#include "site/store/jobs.h"
#include "site/store/store.h"
#include "site/summary/facts.h"
#include "site/summary/sheet.h"

enum { FM_JOB_SHEETS = 12, FM_JOBS_NAMED = 20 };

struct fm_job_report {
    struct fm_site_job job;  /* its fields */
    struct fm_record record; /* with its lists */
    struct fm_facts facts;
    struct fm_sheet sheets[FM_JOB_SHEETS];
    size_t n_sheets;
    struct fm_arena arena;
};

/* The jobs that a text names: those with this id of the batch system, the latest first; if there are none, or the text
 * begins with '#', the one with this number in the database. At most FM_JOBS_NAMED. */
enum fm_status fm_jobs_named(struct fm_store *store, const char *text, int64_t ids[FM_JOBS_NAMED], size_t *n,
                             struct fm_error *error);

/* calibration: NULL if there is none. To be closed if it succeeds. */
enum fm_status fm_job_report_make(struct fm_job_report *report, struct fm_store *store, int64_t id,
                                  const struct fm_calibration *calibration, struct fm_error *error);
void fm_job_report_close(struct fm_job_report *report);

/* Leaves only the table of this name, if there is one, and no facts beside it. */
void fm_job_report_select(struct fm_job_report *report, const char *sheet);

/* rows: of each table, at most; 0: all */
void fm_job_report_text(struct fm_job_report *report, size_t rows, FILE *out);
/* A section of a page (site/summary/html.h). */
void fm_job_report_html(struct fm_job_report *report, size_t rows, FILE *out);
/* Members of an object. */
void fm_job_report_json(struct fm_job_report *report, struct fm_json *json);
/* False if there is no such table. */
bool fm_job_report_csv(struct fm_job_report *report, const char *sheet, FILE *out);
/* Names of its tables, ended by NULL. */
extern const char *const fm_job_sheets[];

/* ---- parts ---- */

void fm_job_report_facts(struct fm_job_report *report);
enum fm_status fm_job_report_fill(struct fm_job_report *report, const struct fm_calibration *calibration,
                                  struct fm_error *error);
enum fm_status fm_job_report_compare(struct fm_job_report *report, struct fm_store *store, struct fm_error *error);

#endif
