/* SPDX-License-Identifier: BSD-3-Clause */
/* What a mail says of the single jobs of a user: findings summed up over jobs, and the jobs that waste most. Read for one
 * user, from the index of that user's jobs. */
#ifndef FM_SITE_MAIL_DETAILS_H
#define FM_SITE_MAIL_DETAILS_H

#include "base/arena.h"
#include "base/intern.h"
#include "site/mail/people.h"

enum { FM_MAIL_FINDINGS = 8, FM_MAIL_JOBS = 8 };

/* The same finding of the same program in several jobs. */
struct fm_mail_finding {
    const char *program, *rule, *file, *function, *text; /* text: of the job in which it costs most */
    int64_t line;
    double cost_s, jobs;
    double most_s;      /* of one job, with its number of ranks */
    int64_t ranks, job; /* its number in the database */
};

struct fm_mail_job {
    int64_t job;                                       /* number in the database */
    const char *id, *program, *file, *function, *rule; /* of the most expensive finding; "": none */
    int64_t ranks, ended, line;
    int complete;
    double cpu_s, wasted_s, mpi_fraction, parallel;
};

struct fm_mail_details {
    struct fm_mail_finding *findings; /* highest cost first */
    size_t n_findings;
    struct fm_mail_job jobs[FM_MAIL_JOBS]; /* most wasted first */
    size_t n_jobs;
};

/* Memory comes from the arena. */
enum fm_status fm_mail_details_read(struct fm_mail_details *details, struct fm_db *db, const char *user,
                                    const struct fm_mail_period *period, struct fm_arena *arena,
                                    struct fm_error *error);

#endif
