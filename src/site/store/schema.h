/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a site's database: creating them and bringing older ones up to date. doc/SITE.md describes them.
 *
 * A migration brings a database from one version to the next, forward only, each in a transaction of its own together with
 * the new version: a crash in between leaves a database of some version, never half of one. Columns that follow from
 * FM_RECORD_FIELDS are no migrations: they are added when a Fathom with more fields opens the database for writing. */
#ifndef FM_SITE_STORE_SCHEMA_H
#define FM_SITE_STORE_SCHEMA_H

#include "site/record/record.h"
#include "site/store/engine.h"

enum { FM_SCHEMA_VERSION = 3 };

/* The step to version `to` from the one before it. */
struct fm_migration {
    int to;
    enum fm_status (*run)(struct fm_db *db, struct fm_error *error);
};

/* The version of a database; -1 if it has no tables of Fathom. */
enum fm_status fm_schema_version(struct fm_db *db, int *version, struct fm_error *error);
/* Runs the migrations that a database needs, in order; the last one has the newest version. A database of a newer one is
 * an error. */
enum fm_status fm_schema_migrate(struct fm_db *db, const struct fm_migration *migrations, size_t n,
                                 struct fm_error *error);
/* Creates the tables, or brings them up to date. With FM_DB_READ an older schema is an error that says what to run. */
enum fm_status fm_schema_settle(struct fm_db *db, struct fm_error *error);

/* The column of a field. Those that are reserved words in SQL have another name: "user" is user_name, "end" end_state. */
const char *fm_schema_column(const struct fm_record_field *field);
enum fm_value_kind fm_schema_kind(const struct fm_record_field *field);

/* The columns of `jobs` that do not follow from FM_RECORD_FIELDS: before and after those that do. */
extern const struct fm_bulk_column fm_jobs_before[], fm_jobs_after[];
enum { FM_JOBS_BEFORE = 2, FM_JOBS_AFTER = 5 };
enum { FM_JOBS_COLUMNS = FM_JOBS_BEFORE + FM_RECORD_N_FIELDS + FM_JOBS_AFTER };
void fm_schema_jobs_columns(struct fm_bulk_column columns[FM_JOBS_COLUMNS]);

/* PostgreSQL: the partitions for jobs that start in the month of `started`, if it deserves one (doc/SITE.md). */
enum fm_status fm_schema_partition(struct fm_db *db, int64_t started, struct fm_error *error);

/* Values of the table `fathom`. *value is to be freed; NULL if there is none. */
enum fm_status fm_schema_get(struct fm_db *db, const char *name, char **value, struct fm_error *error);
enum fm_status fm_schema_set(struct fm_db *db, const char *name, const char *value, struct fm_error *error);

#endif
