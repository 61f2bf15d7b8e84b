/* SPDX-License-Identifier: BSD-3-Clause */
/* Which jobs a summary is about, and the part of a SQL statement that selects their sums: whole quarters and
 * months from their tables, what is left from those of weeks and days. Roll-ups that tell users and more apart have months
 * and days only. */
#ifndef FM_SITE_SUMMARY_SCOPE_H
#define FM_SITE_SUMMARY_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/writer.h"
#include "site/store/rollup.h"

struct fm_scope {
    int64_t from, until;  /* days since 1970; `until` is the first that does not belong to it */
    const char *user;     /* NULL: all */
    const char *language; /* NULL: all */
    bool critical;        /* only jobs with much MPI (FM_CRITICAL_MPI) */
    bool of_ranks;        /* only jobs of this class of ranks (site/store/classes.h) */
    int ranks_class;
    bool of_cpu; /* only jobs of this class of CPU time */
    int cpu_class;
    double processors; /* capacity of the machine; 0: unknown */
};

/* The coarsest roll-up that has the sums of a fine one under these keys (NULL: none) and under all keys by which the scope
 * selects. Of a user it is the fine one itself: it is sought by day and user. */
enum fm_rollup fm_scope_rollup(const struct fm_scope *scope, enum fm_rollup fine, const char *key, const char *other);

/* "(SELECT ... UNION ALL ...) r": the rows of a roll-up that belong to the scope, with its keys, `jobs` and the columns
 * that the statement names up to here. Parameters $1 and $2 of the statement are the scope's (fm_scope_bind). A roll-up that
 * does not tell users, languages, classes or critical jobs apart ignores what the scope says of them. */
void fm_scope_write(struct fm_writer *sql, const struct fm_scope *scope, enum fm_rollup rollup);
void fm_scope_bind(struct fm_query *query, const struct fm_scope *scope, enum fm_rollup rollup);

#endif
