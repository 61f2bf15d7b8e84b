/* What is added to the database, and what roll-ups make of it. */
#include "site/store/store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "site/store/classes.h"
#include "site/store/made_record.h"
#include "site/store/tags.h"
#include "site/store/testing.h"
#include "tap.h"

enum { DAY_S = 86400 };

static int64_t start_of_tests(void)
{
    return (time(NULL) / DAY_S - 40) * DAY_S;
}

static bool add_random(struct fm_store *store, uint64_t seed, size_t n, enum fm_store_origin origin)
{
    struct fm_error error = {0};
    if (fm_store_begin(store, &error))
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t state = seed + i;
        struct fm_record record;
        fm_made_record(&record, &state, start_of_tests() + (int64_t)(i % 35) * DAY_S);
        enum fm_status status = fm_test_add(store, &record, origin, i % 7 ? 1 : 10, &error);
        fm_record_destroy(&record);
        if (status) {
            printf("# %s\n", error.text);
            return false;
        }
    }
    if (fm_store_commit(store, &error)) {
        printf("# %s\n", error.text);
        return false;
    }
    return true;
}

/* ---- adding ---- */

static void records_are_added_once(void)
{
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    tap_ok(add_random(store, 1, 300, FM_ORIGIN_LOG), "300 records are added");
    tap_ok(fm_store_counts(store)->added == 300, "and counted as added");
    char *before = fm_test_rollups(store);
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM jobs") == 300, "one row each");
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM documents") == 300, "with its record");
    tap_ok(add_random(store, 1, 300, FM_ORIGIN_LOG) && fm_store_counts(store)->known == 300 &&
               fm_store_counts(store)->added == 0,
           "the same ones again are known");
    char *after = fm_test_rollups(store);
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM jobs") == 300 && strcmp(before, after) == 0,
           "and change neither jobs nor roll-ups");
    tap_ok(fabs(fm_test_number(store, "SELECT SUM(jobs) FROM day_jobs") -
                fm_test_number(store, "SELECT SUM(weight) FROM jobs")) < 1e-9,
           "roll-ups have the weights of all jobs");
    tap_ok(fabs(fm_test_number(store, "SELECT SUM(cpu_s) FROM jobs_by_day") -
                fm_test_number(store, "SELECT SUM(cpu_s * weight) FROM jobs")) < 1e-3,
           "and their CPU time");
    tap_ok(fm_test_number(store, "SELECT SUM(cpu_us) FROM month_jobs") ==
               fm_test_number(store, "SELECT SUM(cpu_us) FROM day_jobs"),
           "months have what days have");
    tap_ok(fm_test_number(store, "SELECT SUM(cpu_us) FROM week_users") ==
               fm_test_number(store, "SELECT SUM(cpu_us) FROM day_jobs"),
           "weeks too");
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM day_jobs WHERE critical = 1") > 0, "some are critical");
    double differences = fm_test_coarse_differences(store);
    tap_ok(differences == 0, "coarse roll-ups are sums of the others (%g rows differ)", differences);
    char *wanted = fm_test_rows(
        store, "SELECT user_name, program, SUM(weight) AS n, COUNT(DISTINCT ended / 86400) AS days FROM "
               "jobs GROUP BY user_name, program ORDER BY 1, 2");
    char *got = fm_test_rows(store, "SELECT user_name, program, SUM(jobs) AS n, COUNT(*) AS days FROM programs_by_day "
                                    "GROUP BY user_name, program ORDER BY 1, 2");
    tap_ok(strcmp(wanted, got) == 0, "and of the jobs");
    free(wanted);
    free(got);
    free(before);
    free(after);
    fm_store_close(store);
}

static void the_record_comes_back(void)
{
    struct fm_error error = {0};
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    uint64_t state = 5;
    struct fm_record record, kept;
    char text[FM_RECORD_BYTES + 1], again[FM_RECORD_BYTES + 1];
    fm_made_record(&record, &state, start_of_tests());
    fm_record_write(&record, text);
    fm_store_begin(store, &error);
    fm_test_add(store, &record, FM_ORIGIN_SPOOL, 1, &error);
    fm_store_commit(store, &error);
    int64_t job = (int64_t)fm_test_number(store, "SELECT id FROM jobs");
    if (tap_ok(fm_store_record(store, job, &kept, &error) == FM_OK, "a record can be read again %s", error.text)) {
        fm_record_write(&kept, again);
        tap_ok(strcmp(text, again) == 0, "and is what was sent");
        fm_record_destroy(&kept);
    }
    tap_ok(fm_store_record(store, job + 1, &kept, &error) == FM_ERR_USAGE, "a job that is not there: %s", error.text);
    char user[64];
    fm_test_text(store, "SELECT user_name FROM jobs", user, sizeof user);
    tap_ok(strcmp(user, record.user) == 0, "columns have its fields");
    tap_ok(fm_test_number(store, "SELECT cpu_s FROM jobs") == record.cpu_s, "exactly");
    fm_record_destroy(&record);
    fm_store_close(store);
}

/* ---- replacing ---- */

static void replacing_leaves_no_trace(void)
{
    struct fm_error error = {0};
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    add_random(store, 1000, 60, FM_ORIGIN_PROFILE);
    char *wanted = fm_test_rollups(store);
    char *jobs = fm_test_rows(store, "SELECT key, cpu_s, mpi_s, weight, origin FROM jobs ORDER BY key");
    fm_store_close(store);

    /* first what the log had of them, which differs, some of it in the same batch */
    store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    fm_store_begin(store, &error);
    for (size_t i = 0; i < 60; i++) {
        uint64_t state = 1000 + i;
        struct fm_record record;
        fm_made_record(&record, &state, start_of_tests() + (int64_t)(i % 35) * DAY_S);
        record.cpu_s *= 3.7;
        record.mpi_s = record.cpu_s / 3;
        record.program = "another";
        record.n_routines = record.n_routines > 2 ? 2 : 0;
        record.n_findings = 0;
        record.ended += 5 * DAY_S * (i % 2);
        fm_test_add(store, &record, FM_ORIGIN_LOG, 3, &error);
        fm_record_destroy(&record);
    }
    tap_ok(fm_store_commit(store, &error) == FM_OK, "incomplete records are added %s", error.text);
    tap_ok(add_random(store, 1000, 60, FM_ORIGIN_PROFILE) && fm_store_counts(store)->replaced == 60,
           "better ones take their place");
    char *rollups = fm_test_rollups(store);
    char *after = fm_test_rows(store, "SELECT key, cpu_s, mpi_s, weight, origin FROM jobs ORDER BY key");
    tap_ok(strcmp(wanted, rollups) == 0, "roll-ups are as if the others had never been there");
    tap_ok(fm_test_coarse_differences(store) == 0, "the coarse ones too");
    tap_ok(strcmp(jobs, after) == 0, "jobs too");
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM documents") == 60, "one record each");
    tap_ok(add_random(store, 1000, 60, FM_ORIGIN_LOG) && fm_store_counts(store)->known == 60,
           "what says less does not replace");
    free(wanted);
    free(jobs);
    free(rollups);
    free(after);
    fm_store_close(store);
}

static void tags_stay(void)
{
    struct fm_error error = {0};
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    struct fm_arena arena = {0};
    const char *tags[FM_TAGS_OF_JOB];
    enum fm_tagging became;
    size_t n = 0;
    add_random(store, 1, 5, FM_ORIGIN_LOG);
    int64_t job = (int64_t)fm_test_number(store, "SELECT MIN(id) FROM jobs");
    fm_tag_set(fm_store_db(store), job, NULL, "look at it", "ann", &became, &error);
    tap_ok(add_random(store, 1, 5, FM_ORIGIN_PROFILE) && fm_store_counts(store)->replaced == 5, "better records come");
    tap_ok(fm_test_number(store, "SELECT MIN(id) FROM jobs") == (double)job, "jobs keep their numbers");
    tap_ok(fm_tags_of(fm_store_db(store), job, &arena, tags, &n, &error) == FM_OK && n == 1 &&
               strcmp(tags[0], "look at it") == 0,
           "and their tags");
    fm_arena_destroy(&arena);
    fm_store_close(store);
}

static void replacing_within_a_batch(void)
{
    struct fm_error error = {0};
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    uint64_t state = 77;
    struct fm_record record;
    fm_made_record(&record, &state, start_of_tests());
    fm_store_begin(store, &error);
    record.cpu_s = 10;
    fm_test_add(store, &record, FM_ORIGIN_LOG, 1, &error);
    record.cpu_s = 20;
    fm_test_add(store, &record, FM_ORIGIN_PROFILE, 1, &error);
    record.cpu_s = 30;
    fm_test_add(store, &record, FM_ORIGIN_SPOOL, 1, &error);
    fm_store_commit(store, &error);
    tap_ok(fm_store_counts(store)->added == 1 && fm_store_counts(store)->known == 2, "three of a job are one");
    tap_ok(fm_test_number(store, "SELECT cpu_s FROM jobs") == 20 &&
               fm_test_number(store, "SELECT SUM(cpu_s) FROM jobs_by_day") == 20,
           "the one that says most");
    fm_record_destroy(&record);
    fm_store_close(store);
}

/* ---- refusing, rolling back ---- */

static void hostile_records(void)
{
    struct fm_error error = {0};
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    uint64_t state = 9;
    struct fm_record record;
    fm_store_begin(store, &error);
    fm_made_record(&record, &state, start_of_tests());
    record.started = -1;
    tap_ok(fm_test_add(store, &record, FM_ORIGIN_LOG, 1, &error) == FM_ERR_INPUT, "refused: %s", error.text);
    tap_ok(fm_store_refused(store, "future", 20000, &error) == FM_OK, "and counted");
    fm_record_destroy(&record);
    for (int i = 0; i < 50; i++) { /* each as large as a record can be */
        fm_made_record(&record, &state, start_of_tests());
        record.user = "'); DROP TABLE jobs; --";
        record.program = "a\tb'\"\\x";
        record.instructions = record.read_bytes = FM_RECORD_WHOLE_MAX;
        record.cpu_s = FM_RECORD_REAL_MAX;
        record.ranks = FM_RECORD_WHOLE_MAX;
        record.started = start_of_tests();
        if (fm_test_add(store, &record, FM_ORIGIN_LOG, 1000, &error))
            tap_ok(false, "%s", error.text);
        fm_record_destroy(&record);
    }
    tap_ok(fm_store_commit(store, &error) == FM_OK, "sums do not overflow");
    tap_ok(fabs(fm_test_number(store, "SELECT SUM(instructions) FROM day_jobs") / 5e22 - 1) < 1e-12, "they are right");
    char text[64];
    fm_test_text(store, "SELECT DISTINCT user_name FROM jobs_by_day", text, sizeof text);
    tap_ok(strcmp(text, "'); DROP TABLE jobs; --") == 0, "a name is a name");
    tap_ok(fm_test_number(store, "SELECT records FROM refused") == 1, "what was refused is counted");
    fm_store_close(store);
}

static void a_rolled_back_batch(void)
{
    struct fm_error error = {0};
    const char *where = fm_test_database();
    struct fm_store *store = fm_test_store(where, FM_DB_CREATE);
    static const char counted[] = "SELECT SUM(CAST(value AS BIGINT)) FROM fathom WHERE name = 'records_added'";
    static const char of_source[] = "SELECT COALESCE(SUM(CAST(value AS BIGINT)), 0) FROM fathom WHERE name IN "
                                    "('read /var/log/fathom', 'waiting /var/log/fathom')";
    uint64_t state = 3;
    struct fm_record record;
    char *position;
    add_random(store, 40, 20, FM_ORIGIN_LOG);
    char *before = fm_test_rollups(store);
    fm_store_begin(store, &error);
    for (int i = 0; i < 2100; i++) { /* more than are kept in memory */
        fm_made_record(&record, &state, start_of_tests());
        fm_test_add(store, &record, FM_ORIGIN_LOG, 1, &error);
        fm_record_destroy(&record);
    }
    fm_store_set_position(store, "/var/log/fathom", "17", &error);
    fm_store_note_read(store, "/var/log/fathom", 1000, 7, &error);
    fm_store_rollback(store);
    char *after = fm_test_rollups(store);
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM jobs") == 20 && strcmp(before, after) == 0,
           "a batch that is rolled back leaves nothing");
    fm_store_position(store, "/var/log/fathom", &position, &error);
    tap_ok(strcmp(position, "") == 0 && fm_test_number(store, of_source) == 0 && fm_test_number(store, counted) == 20,
           "not even its position and counts");
    free(position);
    tap_ok(add_random(store, 70, 20, FM_ORIGIN_LOG), "the next one is added");
    fm_store_begin(store, &error);
    fm_store_set_position(store, "/var/log/fathom", "12", &error);
    fm_store_set_position(store, "/var/log/fathom", "19", &error);
    fm_store_commit(store, &error);
    fm_store_position(store, "/var/log/fathom", &position, &error);
    tap_ok(strcmp(position, "19") == 0, "a position is kept");
    fm_store_begin(store, &error);
    fm_store_note_read(store, "/var/log/fathom", 1000, 7, &error);
    fm_store_note_read(store, "/var/log/fathom", 2000, 5, &error);
    fm_store_commit(store, &error);
    tap_ok(fm_test_number(store, of_source) == 2005 && fm_test_number(store, counted) == 40,
           "so is when a source was read, and what became of its records");
    free(position);
    fm_store_close(store);

    store = fm_test_store(where, FM_DB_READ);
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM jobs") == 40, "a reader sees what was committed");
    tap_ok(fm_db_run(fm_store_db(store), "DELETE FROM jobs", &error) != FM_OK, "and cannot write: %s", error.text);
    fm_store_close(store);
    free(before);
    free(after);
}

static void jobs_of_other_times(void)
{
    struct fm_error error = {0};
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    struct fm_record record;
    fm_store_begin(store, &error);
    for (int64_t year = 1980; year < 2024; year++) {
        uint64_t state = (uint64_t)year;
        fm_made_record(&record, &state, (year - 1970) * 31556952);
        fm_test_add(store, &record, FM_ORIGIN_LOG, 1, &error);
        fm_record_destroy(&record);
    }
    tap_ok(fm_store_commit(store, &error) == FM_OK, "jobs of any year %s", error.text);
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM jobs") == 44, "are added");
    if (fm_test_is_postgres())
        tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM pg_tables WHERE tablename LIKE 'jobs_%'") < 10,
               "the old ones without partitions of their own");
    fm_store_close(store);
}

int main(void)
{
    records_are_added_once();
    the_record_comes_back();
    replacing_leaves_no_trace();
    tags_stay();
    replacing_within_a_batch();
    hostile_records();
    a_rolled_back_batch();
    jobs_of_other_times();
    fm_test_database_end();
    return tap_done();
}
