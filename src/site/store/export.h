/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a site as files for other tools: NAME.csv (RFC 4180, a header, NULL is empty) and NAME.schema.json with the
 * type and unit of each column. All of them show the database at one moment. */
#ifndef FM_SITE_STORE_EXPORT_H
#define FM_SITE_STORE_EXPORT_H

#include "site/store/store.h"

struct fm_tables_export {
    const char *directory;
    int64_t from, until;       /* jobs that ended since, and before, or INT64_MAX; seconds since 1970 */
    const char *const *tables; /* only these, if any */
    size_t n_tables;
    unsigned written; /* out: tables */
    uint64_t rows;    /* out */
};

enum fm_status fm_store_export(struct fm_store *store, struct fm_tables_export *request, struct fm_error *error);

#endif
