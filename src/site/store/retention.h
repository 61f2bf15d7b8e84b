/* SPDX-License-Identifier: BSD-3-Clause */
/* Old jobs: deleted after some time, or thinned out before. Roll-ups stay as they are. What is deleted is deleted day by
 * day, a transaction each, so that readers and the next batch need not wait long; it can be interrupted at any time and
 * goes on where it was.
 *
 * Thinning keeps all large or long jobs and some of the tiny ones. Jobs of the same user, program and number of ranks on
 * a day are put in order of their CPU time, and every N-th of them is kept, at least one; the weight of those that are
 * kept grows so that the sum of weights stays what it was. Sums over jobs are to be weighted; they differ from the true
 * ones by what a sample of such jobs differs.
 *
 * A record of a job of a time that has been deleted or thinned out is not added any more (fm_store_counts.old): nobody
 * could tell whether it has been counted. */
#ifndef FM_SITE_STORE_RETENTION_H
#define FM_SITE_STORE_RETENTION_H

#include "site/store/store.h"

/* Deletes jobs that started before `before` (seconds since 1970). */
enum fm_status fm_store_delete(struct fm_store *store, int64_t before, uint64_t *deleted, struct fm_error *error);

struct fm_thinning {
    int64_t before;  /* jobs that started before */
    unsigned one_of; /* keeps one of so many tiny jobs */
    /* a job is tiny if it is below all of these */
    double cpu_s, wall_s;
    int64_t ranks;
};
#define FM_THINNING_DEFAULT ((struct fm_thinning){.one_of = 20, .cpu_s = 3600, .wall_s = 600, .ranks = 64})
enum fm_status fm_store_thin(struct fm_store *store, const struct fm_thinning *thinning, uint64_t *deleted,
                             struct fm_error *error);

#endif
