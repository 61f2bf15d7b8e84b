/* SPDX-License-Identifier: BSD-3-Clause */
/* The query of an address, and the words that select jobs: "user=ann&ranks_from=64". Each parameter may be there once, and
 * only those that the address knows: a filter that is misspelt must not show everything. */
#ifndef FM_SITE_HTTP_PARAMETERS_H
#define FM_SITE_HTTP_PARAMETERS_H

#include "site/http/routes.h"
#include "site/store/jobs.h"

/* clang-format off */
#define FM_SITE_PARAMETERS(X) \
    X(user) X(program) X(account) X(partition) X(host) X(rule) X(tag) X(ranks_from) X(ranks_to) X(from) X(to) X(state) \
    X(mpi_from) X(order) X(up) X(limit) X(after) X(count) X(by)
/* clang-format on */
#define X(name) FM_SITE_PARAMETER_##name,
enum fm_site_parameter { FM_SITE_PARAMETERS(X) FM_SITE_N_PARAMETERS };
#undef X

enum { FM_SITE_QUERY_BYTES = 2048, FM_SITE_WRONG = 128 };
struct fm_site_parameters {
    const char *values[FM_SITE_N_PARAMETERS]; /* NULL: absent, or empty */
    unsigned given;                           /* a bit for each that is there */
    char text[FM_SITE_QUERY_BYTES];
    size_t used;
};

/* Adds a parameter as it is in the address (escaped). Returns what is wrong, or NULL. */
const char *fm_site_parameters_add(struct fm_site_parameters *parameters, enum fm_site_route_kind kind,
                                   const char *name, const char *escaped);

/* Sets a condition of a filter from a parameter; `text` must outlive the filter. Returns what is wrong, or NULL; *known is
 * false if it is no condition (`tag` is none here). */
const char *fm_site_filter_set(struct fm_jobs_filter *filter, const char *name, const char *text, bool *known);
/* All conditions of a query. */
const char *fm_site_filter_make(struct fm_jobs_filter *filter, const struct fm_site_parameters *parameters);

/* "2026-11-18" as days since 1970. */
bool fm_site_day_read(const char *text, int64_t *day);

#endif
