/* SPDX-License-Identifier: BSD-3-Clause */
/* Roll-ups: sums over the jobs of a day, so that a question about a year does not read a year's jobs. Each has a table
 * day_NAME and, summed up from it, month_NAME; those that are read for all users have week_NAME and
 * quarter_NAME, too (steps.h; their column `day` is the first of the step). A row is a cell:
 *
 *   jobs      day, user, program, language, class of ranks, class of CPU time, critical
 *   routines  day, user, language, class of ranks, class of CPU time, critical, routine
 *   groups    day, user, language, class of ranks, class of CPU time, critical, group of routines
 *   rules     day, user, program, rule of a finding
 *   hosts     day, host
 *   settings  day, user, kind, name       kind: enum fm_setting_kind
 *
 * They have about as many rows as there are jobs, because users and their jobs differ: right for the page of a user, which
 * seeks day and user, and too many for a question about all of them. For these there are coarser ones, with the same values:
 *
 *   classes       day, language, class of ranks, class of CPU time, critical       of jobs
 *   users         day, user                                                        of jobs
 *   programs      day, program, user                                               of jobs
 *   all_routines  day, language, class of ranks, routine                           of routines
 *   all_groups    day, group of routines                                           of groups
 *   all_rules     day, rule                                                        of rules
 *   all_settings  day, kind, name                                                  of settings
 *
 * The day is that of the job's end. Sums are weighted with the job's weight. They are whole numbers: times in microseconds,
 * rounded once per job, weights in 1/1024. Their columns are floating-point, in which sums of whole numbers are exact up
 * to 2^53 in whatever order, so what was added can be subtracted without a trace; beyond that they are rounded to 16
 * digits. Integer columns would overflow there, and one absurd record could stop the site.
 *
 * Cells are collected in memory and added to the tables by fm_rollups_flush, which makes the cells of longer steps and of
 * coarser roll-ups from them. Not thread-safe. */
#ifndef FM_SITE_STORE_ROLLUP_H
#define FM_SITE_STORE_ROLLUP_H

#include "site/record/record.h"
#include "site/store/engine.h"
#include "site/store/names.h"
#include "site/store/steps.h"

enum fm_rollup {
    FM_ROLLUP_JOBS,
    FM_ROLLUP_ROUTINES,
    FM_ROLLUP_GROUPS,
    FM_ROLLUP_RULES,
    FM_ROLLUP_HOSTS,
    FM_ROLLUP_SETTINGS,
    FM_ROLLUP_FINE, /* so many of these; what follows has their sums under fewer keys */
    FM_ROLLUP_CLASSES = FM_ROLLUP_FINE,
    FM_ROLLUP_USERS,
    FM_ROLLUP_PROGRAMS,
    FM_ROLLUP_ALL_ROUTINES,
    FM_ROLLUP_ALL_GROUPS,
    FM_ROLLUP_ALL_RULES,
    FM_ROLLUP_ALL_SETTINGS,
    FM_ROLLUPS
};
enum fm_setting_kind { FM_SETTING_VARIABLE, FM_SETTING_MPI, FM_SETTING_COMPILER, FM_SETTING_TOOL, FM_SETTING_LAUNCHER };

/* The columns of a roll-up: keys first. Keys that are numbers of names end in _id; values that are microseconds end in
 * _us. The first value is `jobs`. */
enum { FM_ROLLUP_KEYS = 7, FM_ROLLUP_COLUMNS = 64 };
struct fm_rollup_table {
    const char *name;
    struct fm_bulk_column columns[FM_ROLLUP_COLUMNS];
    size_t n_keys, n_columns;
    enum fm_rollup of;                  /* whose sums it has: itself, or the finer one */
    char names[FM_RECORD_N_FIELDS][40]; /* of columns that follow from FM_RECORD_FIELDS */
};
/* Fills *table, which has pointers into itself. */
void fm_rollup_describe(enum fm_rollup rollup, struct fm_rollup_table *table);
/* Whether it has a table of these steps. */
bool fm_rollup_is_by(enum fm_rollup rollup, enum fm_step step);

struct fm_rollups;

struct fm_rollups *fm_rollups_create(struct fm_db *db, struct fm_names *names); /* NULL if out of memory */
void fm_rollups_destroy(struct fm_rollups *rollups);                            /* may be NULL */

/* Adds a job, or subtracts what was added for it. */
enum fm_status fm_rollups_count(struct fm_rollups *rollups, const struct fm_record *record, const char *user,
                                double weight, bool subtract, struct fm_error *error);
/* Writes the cells if there are many. */
enum fm_status fm_rollups_flush_if_full(struct fm_rollups *rollups, struct fm_error *error);
enum fm_status fm_rollups_flush(struct fm_rollups *rollups, struct fm_error *error);
void fm_rollups_clear(struct fm_rollups *rollups); /* after a rollback */

/* Derived figures of a job that roll-ups and the job list share; NAN if unknown. */
double fm_site_job_wasted_s(const struct fm_record *record);     /* CPU time * (1 - parallel efficiency) */
double fm_site_job_mpi_fraction(const struct fm_record *record); /* of the CPU time */
int64_t fm_site_job_day(const struct fm_record *record);
double fm_weight_rounded(double weight); /* to 1/1024, at least that */

#endif
