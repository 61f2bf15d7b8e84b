/* Databases of other versions. */
#include "site/store/schema.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "site/store/made_record.h"
#include "site/store/testing.h"
#include "tap.h"

/* ---- the mechanism, with versions made up ---- */

static enum fm_status make_oldest(struct fm_db *db, struct fm_error *error)
{
    return fm_db_run(db,
                     "CREATE TABLE fathom (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
                     "CREATE TABLE things (a TEXT); INSERT INTO things VALUES ('one')",
                     error);
}

static enum fm_status add_column(struct fm_db *db, struct fm_error *error)
{
    return fm_db_run(db, "ALTER TABLE things ADD COLUMN b TEXT; UPDATE things SET b = 'two'", error);
}

static enum fm_status fail_half_way(struct fm_db *db, struct fm_error *error)
{
    enum fm_status status = fm_db_run(db, "UPDATE things SET b = 'three'; CREATE TABLE half (a TEXT)", error);
    return status ? status : fm_db_run(db, "UPDATE nowhere SET a = 1", error);
}

static void text_of(struct fm_db *db, const char *sql, char text[64])
{
    struct fm_error error = {0};
    struct fm_query *query;
    bool row = false;
    *text = 0;
    if (fm_query_open(&query, db, sql, &error))
        return;
    if (!fm_query_next(query, &row, &error) && row)
        snprintf(text, 64, "%s", fm_column_text(query, 0));
    fm_query_close(query);
}

static void migrations(void)
{
    static const struct fm_migration steps[] = {{0, make_oldest}, {1, add_column}, {2, fail_half_way}};
    struct fm_error error = {0};
    struct fm_db *db;
    int version;
    char text[64];
    fm_db_open(&db, fm_test_database(), FM_DB_CREATE, &error);
    tap_ok(fm_schema_version(db, &version, &error) == FM_OK && version == -1, "no version before the first");
    tap_ok(fm_schema_migrate(db, steps, 1, &error) == FM_OK && !fm_schema_version(db, &version, &error) && version == 0,
           "version 0 is made %s", error.text);
    tap_ok(fm_schema_migrate(db, steps, 2, &error) == FM_OK && !fm_schema_version(db, &version, &error) && version == 1,
           "and brought to version 1 %s", error.text);
    text_of(db, "SELECT b FROM things", text);
    tap_ok(strcmp(text, "two") == 0, "with what it had");
    tap_ok(fm_schema_migrate(db, steps, 2, &error) == FM_OK, "once is enough");
    tap_ok(fm_schema_migrate(db, steps, 3, &error) != FM_OK && !fm_schema_version(db, &version, &error) && version == 1,
           "a migration that fails: %s", error.text);
    text_of(db, "SELECT b FROM things", text);
    tap_ok(strcmp(text, "two") == 0, "changes nothing");
    tap_ok(fm_db_run(db, "SELECT * FROM half", &error) != FM_OK, "at all");
    tap_ok(fm_schema_migrate(db, steps, 1, &error) == FM_ERR_INPUT && strstr(error.text, "newer"), "%s", error.text);
    fm_db_close(db);
}

/* ---- the real one ---- */

static void other_databases(void)
{
    struct fm_error error = {0};
    struct fm_store *store;
    const char *where = fm_test_database();
    struct fm_db *db;
    fm_db_open(&db, where, FM_DB_CREATE, &error);
    fm_db_run(db, "CREATE TABLE something (a TEXT)", &error);
    fm_db_close(db);
    tap_ok(fm_store_open(&store, where, FM_DB_READ, &error) == FM_ERR_INPUT, "%s", error.text);
    tap_ok(fm_store_open(&store, where, FM_DB_WRITE, &error) == FM_ERR_INPUT, "%s", error.text);
    where = fm_test_database();
    store = fm_test_store(where, FM_DB_CREATE);
    fm_schema_set(fm_store_db(store), "version", "99", &error);
    fm_store_close(store);
    tap_ok(fm_store_open(&store, where, FM_DB_READ, &error) == FM_ERR_INPUT && strstr(error.text, "newer"), "%s",
           error.text);
    tap_ok(fm_store_open(&store, where, FM_DB_WRITE, &error) == FM_ERR_INPUT && strstr(error.text, "newer"), "%s",
           error.text);
}

/* A database that was made before the record had these fields. */
static void fields_are_added(void)
{
    struct fm_error error = {0};
    const char *where = fm_test_database();
    struct fm_store *store = fm_test_store(where, FM_DB_CREATE);
    struct fm_db *db = fm_store_db(store);
    uint64_t state = 1;
    struct fm_record record;
    tap_ok(!fm_db_run(db,
                      "DROP VIEW jobs_by_day; DROP VIEW jobs_by_month; ALTER TABLE jobs DROP COLUMN io_calls;"
                      "ALTER TABLE jobs DROP COLUMN compiler; ALTER TABLE day_jobs DROP COLUMN io_calls;"
                      "ALTER TABLE month_jobs DROP COLUMN io_calls;"
                      "DROP VIEW users_by_week; ALTER TABLE week_users DROP COLUMN io_calls",
                      &error),
           "a database with fewer fields %s", error.text);
    fm_store_close(store);
    tap_ok(fm_store_open(&store, where, FM_DB_READ, &error) == FM_ERR_INPUT && strstr(error.text, "site init"), "%s",
           error.text);
    store = fm_test_store(where, FM_DB_WRITE);
    fm_made_record(&record, &state, time(NULL) - 100000);
    record.io_calls = 7;
    fm_store_begin(store, &error);
    fm_test_add(store, &record, FM_ORIGIN_LOG, 1, &error);
    tap_ok(fm_store_commit(store, &error) == FM_OK, "gets them when it is written to %s", error.text);
    tap_ok(fm_test_number(store, "SELECT io_calls FROM jobs") == 7 &&
               fm_test_number(store, "SELECT io_calls FROM jobs_by_month") == 7 &&
               fm_test_number(store, "SELECT io_calls FROM users_by_week") == 7,
           "also in roll-ups and views");
    fm_record_destroy(&record);
    fm_store_close(store);
    store = fm_test_store(where, FM_DB_READ);
    tap_ok(true, "and can be read again");
    fm_store_close(store);
}

int main(void)
{
    migrations();
    other_databases();
    fields_are_added();
    fm_test_database_end();
    return tap_done();
}
