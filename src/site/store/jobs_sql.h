/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of the job list. For jobs*.c.
 *
 * SQLite decides between indexes by guesses, so it is told: if few jobs have the filter's user, program, ... (up to
 * FM_JOBS_FEW), these are read and sorted; otherwise jobs are read in the order asked for until a page is full, and
 * columns of the filter are written as +column, which no index applies to. PostgreSQL has statistics and decides itself. */
#ifndef FM_SITE_STORE_JOBS_SQL_H
#define FM_SITE_STORE_JOBS_SQL_H

#include "base/writer.h"
#include "site/store/jobs.h"

enum { FM_JOBS_FEW = 20000, FM_JOBS_SAMPLE = 2000 };

/* What selects few jobs, if anything does. */
enum fm_jobs_lead {
    FM_LEAD_NONE,
    FM_LEAD_USER,
    FM_LEAD_PROGRAM,
    FM_LEAD_RULE,
    FM_LEAD_HOST,
    FM_LEAD_TAG,
    FM_LEAD_TIME,
    FM_LEADS
};
enum fm_status fm_jobs_choose_lead(struct fm_db *db, const struct fm_jobs_filter *filter, enum fm_jobs_lead *lead,
                                   struct fm_error *error);

/* " AND ..." for each condition of a filter, numbered from *parameter on, and the values for it. */
void fm_jobs_write_filter(struct fm_writer *sql, const struct fm_db *db, const struct fm_jobs_filter *filter,
                          enum fm_jobs_lead lead, enum fm_jobs_order order, int *parameter);
void fm_jobs_bind_filter(struct fm_query *query, const struct fm_jobs_filter *filter, int *parameter);

enum fm_jobs_phase { FM_PHASE_FIRST, FM_PHASE_AFTER, FM_PHASE_UNKNOWN }; /* unknown: those without the figure */
const char *fm_jobs_order_column(enum fm_jobs_order order);
/* The statement of a page: id, started, figure. Parameters: those of the filter; after: figure, id; unknown: id; limit. */
void fm_jobs_write_page(struct fm_writer *sql, const struct fm_db *db, const struct fm_jobs_filter *filter,
                        enum fm_jobs_lead lead, enum fm_jobs_order order, bool descending, enum fm_jobs_phase phase);

#endif
