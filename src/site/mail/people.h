/* SPDX-License-Identifier: BSD-3-Clause */
/* What mails say of users, as far as it comes from roll-ups: the sums of every user, program and MPI routine over the
 * period and over the one before it. It is read once for all users; a mail takes its part of it. Also the insights, and
 * reference values (site/insights/references.h). */
#ifndef FM_SITE_MAIL_PEOPLE_H
#define FM_SITE_MAIL_PEOPLE_H

#include "site/insights/insight.h"
#include "site/insights/references.h"

struct fm_mail_period {
    int64_t from, until;     /* days since 1970; `until` is the first after it */
    int64_t before;          /* the period before is from `before` to `from` */
    char name[40];           /* "2026-W46", "2026-11" or "2026-11-01..2026-11-10" */
    char title[80];          /* "week 46 (9 to 15 November 2026)" */
    const char *before_name; /* "week before" */
};
void fm_mail_period_describe(struct fm_mail_period *period, int64_t from, int64_t until);

/* Sums over jobs. */
struct fm_mail_sums {
    double jobs, complete_jobs, cpu_s, mpi_s, program_s, waiting_s, io_s, no_cpu_s, wasted_s, critical_jobs;
};

/* A user, or a program or a routine of a user. Of a routine: jobs, `mpi_s`, and `calls`. */
struct fm_mail_row {
    const char *user, *name; /* name: NULL for all of the user's */
    struct fm_mail_sums sums;
    double calls;
};
struct fm_mail_rows {
    struct fm_mail_row *items; /* by user; of a user most CPU time (routines: MPI time) first */
    size_t n;
};

struct fm_mail_people {
    struct fm_mail_period period;
    struct fm_mail_rows users, programs, routines; /* users: most CPU time first */
    struct fm_mail_rows users_before, programs_before;
    struct fm_mail_sums all, all_before;
    struct fm_references *references;
    struct fm_insight_list insights;
    struct fm_arena arena;
};

/* All of it shows one state of the database. To be closed in any case. */
enum fm_status fm_mail_people_open(struct fm_mail_people *people, struct fm_db *db, const struct fm_mail_period *period,
                                   struct fm_error *error);
void fm_mail_people_close(struct fm_mail_people *people);

/* The rows of a user, which follow each other; *n is 0 if there are none. */
const struct fm_mail_row *fm_mail_rows_of(const struct fm_mail_rows *rows, const char *user, size_t *n);
/* Of rows by user and name; NULL if there is none. */
const struct fm_mail_row *fm_mail_row_of(const struct fm_mail_rows *rows, const char *user, const char *name);

double fm_mail_efficiency(const struct fm_mail_sums *sums); /* NAN if unknown, also the next */
double fm_mail_wasted_s(const struct fm_mail_sums *sums);
double fm_mail_mpi_fraction(const struct fm_mail_sums *sums);

#endif
