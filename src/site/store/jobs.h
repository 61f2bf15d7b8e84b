/* SPDX-License-Identifier: BSD-3-Clause */
/* The job list: jobs that fit a filter, in some order, a page at a time. A page begins after the last job of the one
 * before it (a cursor), not at a number of jobs to be skipped: the thousandth page is as fast as the first.
 *
 * Every text of a filter is a parameter of the statement, never part of it. */
#ifndef FM_SITE_STORE_JOBS_H
#define FM_SITE_STORE_JOBS_H

#include "base/arena.h"
#include "site/store/store.h"

enum fm_jobs_order {
    FM_JOBS_BY_ENDED,
    FM_JOBS_BY_CPU,
    FM_JOBS_BY_WASTED,
    FM_JOBS_BY_EFFICIENCY,
    FM_JOBS_BY_MPI,
    FM_JOBS_ORDERS
};
extern const char *const fm_jobs_orders[FM_JOBS_ORDERS + 1]; /* "ended", "cpu", "wasted", "efficiency", "mpi", NULL */

/* Fields that are NULL, or below 0, are not looked at: begin with FM_JOBS_ALL. */
struct fm_jobs_filter {
    const char *owner; /* whose jobs may be seen at all; `user` is what was asked for, and may be another one */
    const char *user, *program, *rule, *account, *partition, *host;
    const char *tag;                    /* given by hand (tags.h) */
    const struct fm_jobs_filter *among; /* of the jobs that fit this one, too */
    int64_t uid;
    int64_t least_ranks, most_ranks;
    int64_t from, to; /* ended, seconds since 1970; `to` is not included */
    int complete;     /* 0 or 1 */
    double least_mpi; /* fraction */
};
#define FM_JOBS_ALL           \
    ((struct fm_jobs_filter){ \
        .uid = -1, .least_ranks = -1, .most_ranks = -1, .from = -1, .to = -1, .complete = -1, .least_mpi = -1})

/* The last job of a page; "" is before the first. */
struct fm_jobs_cursor {
    char text[64];
};

struct fm_site_job {
    int64_t id, uid;
    enum fm_store_origin origin;
    double weight, wasted_s, mpi_fraction;
    struct fm_record record;                 /* its fields; lists are empty; nothing to be destroyed */
    const struct fm_record_finding *finding; /* the most expensive one, or NULL */
    const char **rules;                      /* of all findings, the most expensive first */
    size_t n_rules;
};

struct fm_jobs_page {
    struct fm_site_job *jobs;
    size_t n;
    struct fm_jobs_cursor next; /* "" after the last page */
};

enum { FM_JOBS_PAGE_MAX = 1000 };
/* Jobs whose figure is unknown come last. Memory comes from `arena`. A cursor that is none is FM_ERR_USAGE. */
enum fm_status fm_jobs_page(struct fm_store *store, const struct fm_jobs_filter *filter, enum fm_jobs_order order,
                            bool descending, const struct fm_jobs_cursor *after, size_t limit, struct fm_arena *arena,
                            struct fm_jobs_page *page, struct fm_error *error);

/* How many jobs fit. Exact if it is at most FM_JOBS_COUNTED; otherwise an estimate from the roll-ups. */
enum { FM_JOBS_COUNTED = 10000 };
enum fm_status fm_jobs_count(struct fm_store *store, const struct fm_jobs_filter *filter, double *jobs, bool *exact,
                             struct fm_error *error);

/* One job; *found is false if there is none, or if it belongs to somebody else than `owner` (NULL: anybody). */
enum fm_status fm_site_job_find(struct fm_store *store, int64_t id, const char *owner, struct fm_arena *arena,
                                struct fm_site_job *job, bool *found, struct fm_error *error);

/* Whether a job fits the conditions that a job alone can tell: all but `host`, `tag` and `among`. */
bool fm_jobs_filter_fits(const struct fm_jobs_filter *filter, const struct fm_site_job *job);

/* The statement of a page, for tests of its plan; to be freed. */
char *fm_jobs_page_sql(struct fm_store *store, const struct fm_jobs_filter *filter, enum fm_jobs_order order,
                       bool descending, bool first, struct fm_error *error);

#endif
