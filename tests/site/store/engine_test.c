/* Both engines do the same. */
#include "site/store/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "site/store/testing.h"
#include "tap.h"

static struct fm_db *open_db(void)
{
    struct fm_error error = {0};
    struct fm_db *db = NULL;
    tap_ok(fm_db_open(&db, fm_test_database(), FM_DB_CREATE, &error) == FM_OK, "a database is opened %s", error.text);
    char sql[256];
    snprintf(sql, sizeof sql, "CREATE TABLE t (k %s NOT NULL PRIMARY KEY, r %s, s TEXT, b %s) %s",
             fm_db_sql(db, FM_SQL_WHOLE), fm_db_sql(db, FM_SQL_REAL), fm_db_sql(db, FM_SQL_BYTES),
             fm_db_sql(db, FM_SQL_TABLE));
    tap_ok(fm_db_run(db, sql, &error) == FM_OK, "a table is made %s", error.text);
    return db;
}

static void values_come_back(struct fm_db *db)
{
    static const double reals[] = {0.1, 1e300, -1e-300, 123456789.123456789, 0};
    static const char *const texts[] = {"", "a'b\"c", "\xc3\xa4\xe2\x82\xac", "$1 ?1", "line\nline\\"};
    static const unsigned char bytes[] = {0, 1, 255, '\\', 0, 'x'};
    struct fm_error error = {0};
    struct fm_query *query;
    bool row;
    fm_query_open(&query, db, "INSERT INTO t (s, r, k, b) VALUES ($3, $2, $1, $4)", &error);
    for (int i = 0; i < 5; i++) {
        fm_query_whole(query, 1, i == 4 ? INT64_MIN + 1 : i);
        fm_query_real(query, 2, reals[i]);
        fm_query_text(query, 3, texts[i]);
        fm_query_bytes(query, 4, bytes, i == 3 ? 0 : sizeof bytes);
        tap_ok(fm_query_run(query, &error) == FM_OK, "a row %s", error.text);
    }
    fm_query_whole(query, 1, 100);
    fm_query_real(query, 2, NAN);
    fm_query_text(query, 3, NULL);
    fm_query_null(query, 4);
    tap_ok(fm_query_run(query, &error) == FM_OK, "a row of NULL %s", error.text);
    fm_query_close(query);
    fm_query_open(&query, db, "SELECT k, r, s, b FROM t WHERE k >= $1 ORDER BY k", &error);
    fm_query_whole(query, 1, 0);
    for (int i = 0; i < 4; i++) {
        fm_query_next(query, &row, &error);
        size_t size;
        const void *got = fm_column_bytes(query, 3, &size);
        tap_ok(row && fm_column_whole(query, 0) == i && fm_column_real(query, 1) == reals[i] &&
                   strcmp(fm_column_text(query, 2), texts[i]) == 0 && size == (i == 3 ? 0 : sizeof bytes) &&
                   (size == 0 || memcmp(got, bytes, size) == 0),
               "row %d is what it was", i);
    }
    fm_query_next(query, &row, &error);
    tap_ok(row && fm_column_is_null(query, 1) && fm_column_is_null(query, 2) && fm_column_is_null(query, 3) &&
               isnan(fm_column_real(query, 1)) && strcmp(fm_column_text(query, 2), "") == 0,
           "NULL is NULL");
    fm_query_next(query, &row, &error);
    tap_ok(!row && strcmp(fm_query_column_name(query, 2), "s") == 0 && fm_query_columns(query) == 4, "then it ends");
    fm_query_whole(query, 1, 3);
    fm_query_next(query, &row, &error);
    tap_ok(row && fm_column_whole(query, 0) == 3, "and can be run again");
    fm_query_close(query);
    fm_query_open(&query, db, "SELECT k FROM t WHERE k < 0", &error);
    fm_query_next(query, &row, &error);
    tap_ok(row && fm_column_whole(query, 0) == INT64_MIN + 1, "the smallest number");
    fm_query_close(query);
}

static void bulks(struct fm_db *db)
{
    static const struct fm_bulk_column columns[] = {{"k", FM_VALUE_WHOLE}, {"r", FM_VALUE_REAL}};
    static const struct fm_bulk_column all[] = {
        {"k", FM_VALUE_WHOLE}, {"r", FM_VALUE_REAL}, {"s", FM_VALUE_TEXT}, {"b", FM_VALUE_BYTES}};
    struct fm_error error = {0};
    struct fm_bulk *bulk;
    struct fm_query *query;
    bool row;
    fm_db_run(db, "DELETE FROM t", &error);
    fm_db_begin(db, &error);
    tap_ok(fm_bulk_open(&bulk, db, &(struct fm_bulk_target){"t", all, 4, 0}, &error) == FM_OK, "a bulk %s", error.text);
    for (int i = 0; i < 5000; i++) {
        fm_bulk_whole(bulk, i);
        fm_bulk_real(bulk, i % 7 ? 1.5 * i : NAN);
        fm_bulk_text(bulk, i % 11 ? "it's\t\\N" : NULL);
        fm_bulk_bytes(bulk, "\0\1", 2);
        if (fm_bulk_row(bulk, &error))
            break;
    }
    tap_ok(fm_bulk_end(bulk, &error) == FM_OK, "of 5,000 rows %s", error.text);
    for (int turn = 0; turn < 2; turn++) {
        fm_bulk_open(&bulk, db, &(struct fm_bulk_target){"t", columns, 2, 1}, &error);
        for (int i = 4990; i < 5010; i++) {
            fm_bulk_whole(bulk, i);
            fm_bulk_real(bulk, 1000000);
            fm_bulk_row(bulk, &error);
        }
        tap_ok(fm_bulk_end(bulk, &error) == FM_OK, "one that adds %s", error.text);
    }
    tap_ok(fm_db_commit(db, &error) == FM_OK, "committed");
    fm_query_open(&query, db,
                  "SELECT COUNT(*), COUNT(r), COUNT(s), SUM(CASE WHEN k = 4992 THEN r ELSE 0 END), "
                  "SUM(CASE WHEN k = 5009 THEN r ELSE 0 END) FROM t",
                  &error);
    fm_query_next(query, &row, &error);
    tap_ok(fm_column_whole(query, 0) == 5010, "all rows are there");
    tap_ok(fm_column_whole(query, 2) == 5000 - 455, "with their NULLs");
    tap_ok(fm_column_real(query, 3) == 2000000 + 1.5 * 4992 && fm_column_real(query, 4) == 2000000, "and their sums");
    fm_query_close(query);
    fm_db_begin(db, &error);
    fm_bulk_open(&bulk, db, &(struct fm_bulk_target){"t", all, 4, 0}, &error);
    fm_bulk_whole(bulk, -5);
    fm_bulk_real(bulk, 0);
    fm_bulk_text(bulk, "");
    fm_bulk_null(bulk);
    fm_bulk_row(bulk, &error);
    fm_bulk_abandon(bulk);
    fm_db_rollback(db);
    fm_query_open(&query, db, "SELECT COUNT(*) FROM t WHERE k = -5", &error);
    fm_query_next(query, &row, &error);
    tap_ok(row && fm_column_whole(query, 0) == 0, "one that is abandoned leaves nothing");
    fm_query_close(query);
}

static void streams(struct fm_db *db)
{
    struct fm_error error = {0};
    struct fm_query *query;
    bool row;
    int64_t n = 0;
    fm_query_open(&query, db, "SELECT k FROM t ORDER BY k", &error);
    fm_query_stream(query);
    while (!fm_query_next(query, &row, &error) && row)
        n++;
    tap_ok(n == 5010, "a stream of %lld rows", (long long)n);
    fm_query_close(query);
    fm_query_open(&query, db, "SELECT k FROM t ORDER BY k", &error);
    fm_query_stream(query);
    fm_query_next(query, &row, &error);
    fm_query_close(query);
    fm_query_open(&query, db, "SELECT COUNT(*) FROM t", &error);
    tap_ok(fm_query_next(query, &row, &error) == FM_OK && fm_column_whole(query, 0) == 5010,
           "one that is closed early is over %s", error.text);
    fm_query_close(query);
}

static void errors(struct fm_db *db)
{
    struct fm_error error = {0};
    struct fm_query *query;
    struct fm_db *other;
    tap_ok(fm_query_open(&query, db, "SELECT nonsense FROM nowhere", &error) != FM_OK, "%s", error.text);
    fm_query_open(&query, db, "INSERT INTO t (k) VALUES ($1)", &error);
    fm_query_whole(query, 1, 1);
    tap_ok(fm_query_run(query, &error) != FM_OK, "%s", error.text);
    fm_query_whole(query, 1, -77);
    tap_ok(fm_query_run(query, &error) == FM_OK, "after an error it can be run again");
    fm_query_close(query);
    fm_db_begin(db, &error);
    fm_db_run(db, "INSERT INTO t (k) VALUES (-78)", &error);
    fm_db_run(db, "INSERT INTO t (k) VALUES (-78)", &error);
    fm_db_rollback(db);
    tap_ok(fm_db_open(&other, "mysql://x", FM_DB_READ, &error) == FM_ERR_USAGE, "%s", error.text);
    tap_ok(fm_db_open(&other, "/nonexistent/x.db", FM_DB_CREATE, &error) == FM_ERR_SYSTEM, "%s", error.text);
    tap_ok(fm_db_open(&other, "postgresql://u:hunter2@h/d", FM_DB_READ, &error) == FM_ERR_USAGE &&
               !strstr(error.text, "hunter2"),
           "%s", error.text);
    tap_ok(fm_db_open(&other, "postgresql://u:hunter2@h:x/d?bad", FM_DB_READ, &error) == FM_ERR_USAGE &&
               !strstr(error.text, "hunter2"),
           "%s", error.text);
    tap_ok(fm_db_open(&other, "postgresql:///d?host=/nonexistent", FM_DB_READ, &error) == FM_ERR_SYSTEM, "%s",
           error.text);
}

/* A statement that would never end. */
static void late(struct fm_db *db)
{
    static const char sql[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i % 7 + 1 FROM n) SELECT COUNT(*) FROM n";
    struct fm_error error = {0};
    struct fm_query *query;
    bool row;
    tap_ok(fm_db_limit(db, 0.05, &error) == FM_OK, "a limit is set %s", error.text);
    fm_query_open(&query, db, sql, &error);
    tap_ok(fm_query_next(query, &row, &error) != FM_OK && !row && fm_db_was_late(db),
           "what takes longer is given up: %s", error.text);
    fm_query_close(query);
    fm_db_limit(db, 0, &error);
    fm_query_open(&query, db, "SELECT COUNT(*) FROM t", &error);
    tap_ok(fm_query_next(query, &row, &error) == FM_OK && row && !fm_db_was_late(db), "and others are answered %s",
           error.text);
    fm_query_close(query);
}

int main(void)
{
    struct fm_db *db = open_db();
    values_come_back(db);
    bulks(db);
    streams(db);
    errors(db);
    late(db);
    fm_db_close(db);
    fm_test_database_end();
    return tap_done();
}
