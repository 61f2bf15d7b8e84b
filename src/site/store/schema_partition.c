/* SPDX-License-Identifier: BSD-3-Clause */
/* Partitions of PostgreSQL: one per month of the jobs' start, so that old months are dropped instead of deleted, and
 * indexes stay small. Only months of the last years have one. What is older goes into the default partition: otherwise a
 * job with a wrong clock, or a user who sends made-up records, would create hundreds of tables. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "site/store/classes.h"
#include "site/store/schema.h"

enum { PARTITION_MONTHS = 60 };

static enum fm_status is_there(struct fm_db *db, const char *table, bool *there, struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(&query, db, "SELECT to_regclass($1) IS NULL", error);
    if (status)
        return status;
    fm_query_text(query, 1, table);
    status = fm_query_next(query, there, error);
    *there = !status && *fm_column_text(query, 0) == 'f';
    fm_query_close(query);
    return status;
}

enum fm_status fm_schema_partition(struct fm_db *db, int64_t started, struct fm_error *error)
{
    static const char *const tables[] = {"jobs", "documents", "findings", "hosts"};
    int64_t oldest = fm_month_start((int64_t)time(NULL), -PARTITION_MONTHS, NULL, NULL);
    if (fm_db_kind(db) != FM_DB_POSTGRES || started < oldest)
        return FM_OK;
    int year, month;
    int64_t from = fm_month_start(started, 0, &year, &month), to = fm_month_start(started, 1, NULL, NULL);
    char name[32], sql[256];
    bool there = false;
    snprintf(name, sizeof name, "jobs_%04d_%02d", year, month);
    enum fm_status status = is_there(db, name, &there, error);
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !status && !there; i++) {
        snprintf(sql, sizeof sql,
                 "CREATE TABLE %s_%04d_%02d PARTITION OF %s FOR VALUES FROM (%" PRId64 ") TO (%" PRId64 ")", tables[i],
                 year, month, tables[i], from, to);
        status = fm_db_run(db, sql, error);
    }
    return status;
}
