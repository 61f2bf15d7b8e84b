/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/store/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "site/store/schema_tables.h"

/* ---- the table `fathom` ---- */

enum fm_status fm_schema_get(struct fm_db *db, const char *name, char **value, struct fm_error *error)
{
    struct fm_query *query;
    bool row = false;
    *value = NULL;
    enum fm_status status = fm_query_open(&query, db, "SELECT value FROM fathom WHERE name = $1", error);
    if (status)
        return status;
    fm_query_text(query, 1, name);
    status = fm_query_next(query, &row, error);
    if (!status && row && !(*value = strdup(fm_column_text(query, 0))))
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for a value of the database");
    fm_query_close(query);
    return status;
}

enum fm_status fm_schema_set(struct fm_db *db, const char *name, const char *value, struct fm_error *error)
{
    struct fm_query *query;
    enum fm_status status = fm_query_open(
        &query, db, "INSERT INTO fathom (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2",
        error);
    if (status)
        return status;
    fm_query_text(query, 1, name);
    fm_query_text(query, 2, value);
    status = fm_query_run(query, error);
    fm_query_close(query);
    return status;
}

static enum fm_status is_ours(struct fm_db *db, bool *ours, struct fm_error *error)
{
    struct fm_query *query;
    bool row;
    enum fm_status status = fm_query_open(&query, db,
                                          fm_db_kind(db) == FM_DB_POSTGRES
                                              ? "SELECT COUNT(*) FROM pg_tables WHERE tablename = 'fathom'"
                                              : "SELECT COUNT(*) FROM sqlite_schema WHERE name = 'fathom'",
                                          error);
    if (status)
        return status;
    status = fm_query_next(query, &row, error);
    *ours = !status && row && fm_column_whole(query, 0) > 0;
    fm_query_close(query);
    return status;
}

enum fm_status fm_schema_version(struct fm_db *db, int *version, struct fm_error *error)
{
    bool ours;
    *version = -1;
    enum fm_status status = is_ours(db, &ours, error);
    if (status || !ours)
        return status;
    char *value;
    status = fm_schema_get(db, "version", &value, error);
    if (!status && !value)
        status = fm_fail(error, FM_ERR_INPUT, "the database '%s' has no version", fm_db_name(db));
    if (!status && value)
        *version = (int)strtol(value, NULL, 10);
    free(value);
    return status;
}

/* ---- migrations ---- */

static enum fm_status migrate_once(struct fm_db *db, const struct fm_migration *migration, struct fm_error *error)
{
    char text[16];
    int version;
    snprintf(text, sizeof text, "%d", migration->to);
    enum fm_status status = fm_db_begin(db, error);
    if (status)
        return status;
    /* somebody else may have been faster: only one at a time is within a transaction that writes */
    if (fm_db_kind(db) == FM_DB_POSTGRES)
        status = fm_db_run(db, "SELECT pg_advisory_xact_lock(" FM_STORE_LOCK ")", error);
    if (!status)
        status = fm_schema_version(db, &version, error);
    if (!status && version < migration->to) {
        status = migration->run(db, error);
        if (!status)
            status = fm_schema_set(db, "version", text, error);
    }
    if (!status)
        return fm_db_commit(db, error);
    fm_db_rollback(db);
    return status;
}

enum fm_status fm_schema_migrate(struct fm_db *db, const struct fm_migration *migrations, size_t n,
                                 struct fm_error *error)
{
    int version;
    enum fm_status status = fm_schema_version(db, &version, error);
    if (!status && version > migrations[n - 1].to)
        return fm_fail(error, FM_ERR_INPUT,
                       "the database '%s' is of a newer Fathom: it has version %d, this Fathom knows %d",
                       fm_db_name(db), version, migrations[n - 1].to);
    for (size_t i = 0; i < n && !status; i++)
        if (migrations[i].to > version)
            status = migrate_once(db, &migrations[i], error);
    return status;
}

/* Every version that there ever was, for databases of that age. */
static const struct fm_migration migrations[] = {
    {1, fm_schema_create},
    {2, fm_schema_to_2},
    {3, fm_schema_to_3},
};
enum { MIGRATIONS = sizeof migrations / sizeof *migrations };

/* ---- settling ---- */

static enum fm_status settle_for_reading(struct fm_db *db, struct fm_error *error)
{
    int version;
    bool missing = false;
    enum fm_status status = fm_schema_version(db, &version, error);
    if (!status && version < 0)
        return fm_fail(error, FM_ERR_INPUT, "'%s' is not a database of Fathom; 'fathom site init' makes one",
                       fm_db_name(db));
    if (!status && version > FM_SCHEMA_VERSION)
        return fm_schema_migrate(db, migrations, MIGRATIONS, error); /* says so */
    if (!status && version == FM_SCHEMA_VERSION)
        status = fm_schema_missing(db, &missing, error);
    if (!status && (missing || version < FM_SCHEMA_VERSION))
        return fm_fail(error, FM_ERR_INPUT,
                       "the database '%s' is of an older Fathom; run 'fathom site init' to bring it up to date",
                       fm_db_name(db));
    return status;
}

enum fm_status fm_schema_settle(struct fm_db *db, struct fm_error *error)
{
    bool missing = false;
    int version;
    if (fm_db_access(db) == FM_DB_READ)
        return settle_for_reading(db, error);
    enum fm_status status = fm_schema_version(db, &version, error);
    if (!status && version < 0 && fm_db_access(db) == FM_DB_WRITE)
        return settle_for_reading(db, error);
    if (!status)
        status = fm_schema_migrate(db, migrations, MIGRATIONS, error);
    if (!status)
        status = fm_schema_missing(db, &missing, error);
    if (status || !missing)
        return status;
    status = fm_db_begin(db, error);
    if (!status)
        status = fm_schema_complete(db, error);
    if (!status)
        return fm_db_commit(db, error);
    fm_db_rollback(db);
    return status;
}
