/* Old jobs are deleted or thinned out; sums stay. */
#include "site/store/retention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "site/store/made_record.h"
#include "site/store/testing.h"
#include "tap.h"

enum { DAYS = 70, PER_DAY = 30, DAY_S = 86400 };

static int64_t first_day(void)
{
    return (time(NULL) / DAY_S - DAYS - 2) * DAY_S;
}

static void made(struct fm_record *record, int i)
{
    uint64_t state = (uint64_t)i;
    fm_made_record(record, &state, first_day() + (int64_t)(i / PER_DAY) * DAY_S);
    if (i % 3) { /* two of three are tiny, and much alike */
        record->user = i % 2 ? "ann" : "bob";
        record->program = "tests";
        record->ranks = 2;
        record->wall_s = 1 + i % 10;
        record->cpu_s = 2 * record->wall_s;
    }
}

static enum fm_status add(struct fm_store *store, int from, int to, enum fm_store_origin origin)
{
    struct fm_error error = {0};
    enum fm_status status = fm_store_begin(store, &error);
    for (int i = from; i < to && !status; i++) {
        struct fm_record record;
        made(&record, i);
        status = fm_test_add(store, &record, origin, 1, &error);
        fm_record_destroy(&record);
    }
    status = status ? status : fm_store_commit(store, &error);
    if (status)
        printf("# %s\n", error.text);
    return status;
}

static int lost(struct fm_store *store)
{
    return (int)fm_test_number(store,
                               "SELECT (SELECT COUNT(*) FROM documents WHERE job NOT IN (SELECT id FROM jobs)) + "
                               "(SELECT COUNT(*) FROM findings WHERE job NOT IN (SELECT id FROM jobs)) + "
                               "(SELECT COUNT(*) FROM hosts WHERE job NOT IN (SELECT id FROM jobs))");
}

static void thinning(struct fm_store *store)
{
    struct fm_error error = {0};
    uint64_t deleted;
    char *rollups = fm_test_rollups(store);
    double cpu = fm_test_number(store, "SELECT SUM(cpu_s * weight) FROM jobs WHERE program = 'tests'");
    double large = fm_test_number(store,
                                  "SELECT COUNT(*) FROM jobs WHERE cpu_s >= 3600 OR wall_s >= 600 OR ranks >= 64");
    struct fm_thinning thin = FM_THINNING_DEFAULT;
    thin.one_of = 5;
    thin.before = first_day() + 40 * DAY_S;
    tap_ok(fm_store_thin(store, &thin, &deleted, &error) == FM_OK && deleted > 500, "thinned: %llu deleted %s",
           (unsigned long long)deleted, error.text);
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM jobs") == DAYS * PER_DAY - (double)deleted,
           "that many are gone");
    tap_ok(fabs(fm_test_number(store, "SELECT SUM(weight) FROM jobs") - DAYS * PER_DAY) < 1e-6,
           "the others stand for them");
    tap_ok(fabs(fm_test_number(store, "SELECT SUM(cpu_s * weight) FROM jobs WHERE program = 'tests'") / cpu - 1) < 0.05,
           "also with their CPU time");
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM jobs WHERE cpu_s >= 3600 OR wall_s >= 600 OR ranks >= 64") ==
               large,
           "large and long ones are all there");
    tap_ok(lost(store) == 0, "nothing is left of those that are gone");
    char *after = fm_test_rollups(store);
    tap_ok(strcmp(rollups, after) == 0, "roll-ups are the same");
    uint64_t again;
    tap_ok(fm_store_thin(store, &thin, &again, &error) == FM_OK && again == 0, "once more thins nothing twice");
    double jobs = fm_test_number(store, "SELECT COUNT(*) FROM jobs");
    tap_ok(add(store, 0, 200, FM_ORIGIN_LOG) == FM_OK && fm_store_counts(store)->old > 50 &&
               fm_store_counts(store)->added == 0,
           "records of that time are not added again");
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM jobs") == jobs, "indeed");
    double weights = fm_test_number(store, "SELECT SUM(weight) FROM jobs");
    tap_ok(add(store, 0, 200, FM_ORIGIN_PROFILE) == FM_OK && fm_store_counts(store)->replaced > 50,
           "better ones of jobs that were kept take their place");
    char *replaced = fm_test_rollups(store);
    tap_ok(fabs(fm_test_number(store, "SELECT SUM(weight) FROM jobs") - weights) < 1e-6 &&
               strcmp(rollups, replaced) == 0,
           "with their weight; roll-ups are the same");
    free(rollups);
    free(after);
    free(replaced);
}

static void deleting(struct fm_store *store)
{
    struct fm_error error = {0};
    uint64_t deleted;
    char sql[128];
    int64_t before = first_day() + 45 * DAY_S + DAY_S / 48; /* in the middle of what a day has */
    snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM jobs WHERE started < %lld", (long long)before);
    double old = fm_test_number(store, sql), all = fm_test_number(store, "SELECT COUNT(*) FROM jobs");
    char *rollups = fm_test_rollups(store);
    tap_ok(fm_store_delete(store, before, &deleted, &error) == FM_OK && (double)deleted == old && old > 100,
           "deleted: %llu %s", (unsigned long long)deleted, error.text);
    tap_ok(fm_test_number(store, sql) == 0, "no old job is left");
    tap_ok(fm_test_number(store, "SELECT COUNT(*) FROM jobs") == all - old, "the others are");
    tap_ok(lost(store) == 0, "nothing is left of those that are gone");
    char *after = fm_test_rollups(store);
    tap_ok(strcmp(rollups, after) == 0, "roll-ups are the same");
    tap_ok(add(store, 0, 100, FM_ORIGIN_PROFILE) == FM_OK && fm_store_counts(store)->old == 100,
           "records of that time are not added again");
    free(rollups);
    free(after);
}

int main(void)
{
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    tap_ok(add(store, 0, DAYS * PER_DAY, FM_ORIGIN_LOG) == FM_OK, "jobs of %d days", DAYS);
    thinning(store);
    deleting(store);
    fm_store_close(store);
    fm_test_database_end();
    return tap_done();
}
