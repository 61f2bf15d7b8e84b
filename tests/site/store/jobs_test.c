/* The job list: filters, orders, pages, and the indexes that answer them. */
#include "site/store/jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "site/store/made_record.h"
#include "site/store/testing.h"
#include "tap.h"

enum { JOBS = 400, DAY_S = 86400 };

static bool fill(struct fm_store *store)
{
    struct fm_error error = {0};
    bool good = !fm_store_begin(store, &error);
    for (int i = 0; i < JOBS && good; i++) {
        uint64_t state = (uint64_t)i;
        struct fm_record record;
        fm_made_record(&record, &state, (time(NULL) / DAY_S - 60 + i / 10) * DAY_S);
        if (i % 9 == 0)
            record.parallel = NAN; /* unknown */
        if (i % 5 == 0)
            record.cpu_s = 100; /* many of the same */
        good = !fm_test_add(store, &record, FM_ORIGIN_LOG, 1, &error);
        fm_record_destroy(&record);
    }
    good = good && !fm_store_commit(store, &error);
    if (!good)
        printf("# %s\n", error.text);
    return good;
}

static double figure(const struct fm_site_job *job, enum fm_jobs_order order)
{
    switch (order) {
    case FM_JOBS_BY_ENDED:
        return (double)job->record.ended;
    case FM_JOBS_BY_CPU:
        return job->record.cpu_s;
    case FM_JOBS_BY_WASTED:
        return job->wasted_s;
    case FM_JOBS_BY_EFFICIENCY:
        return job->record.parallel;
    default:
        return job->mpi_fraction;
    }
}

/* All pages of a list: how many jobs; -1 if one is there twice, out of order, or not of the filter. */
static int walk(struct fm_store *store, const struct fm_jobs_filter *filter, enum fm_jobs_order order, bool descending,
                size_t limit)
{
    struct fm_jobs_cursor cursor = {""};
    bool *seen = calloc(JOBS + 1, sizeof *seen);
    double last = NAN;
    bool unknown = false, good = true;
    int n = 0;
    do {
        struct fm_error error = {0};
        struct fm_arena arena = {0};
        struct fm_jobs_page page;
        good = good && !fm_jobs_page(store, filter, order, descending, &cursor, limit, &arena, &page, &error);
        for (size_t i = 0; good && i < page.n; i++, n++) {
            double now = figure(&page.jobs[i], order);
            good = good && !seen[page.jobs[i].id];
            seen[page.jobs[i].id] = true;
            unknown = unknown || isnan(now);
            good = good && unknown == (bool)isnan(now); /* all of them at the end */
            good = good && (isnan(now) || isnan(last) || (descending ? now <= last : now >= last));
            good = good && (!filter->user || strcmp(filter->user, page.jobs[i].record.user) == 0);
            last = now;
        }
        if (!good)
            printf("# %s\n", error.text);
        cursor = page.next;
        fm_arena_destroy(&arena);
    } while (good && *cursor.text);
    free(seen);
    return good ? n : -1;
}

static void every_order(struct fm_store *store)
{
    struct fm_jobs_filter all = FM_JOBS_ALL, of_user = FM_JOBS_ALL;
    of_user.user = "user012";
    int jobs_of_user = (int)fm_test_number(store, "SELECT COUNT(*) FROM jobs WHERE user_name = 'user012'");
    for (int order = 0; order < FM_JOBS_ORDERS; order++) {
        tap_ok(walk(store, &all, (enum fm_jobs_order)order, true, 7) == JOBS, "all jobs by %s, downward",
               fm_jobs_orders[order]);
        tap_ok(walk(store, &all, (enum fm_jobs_order)order, false, 130) == JOBS, "and upward");
        tap_ok(walk(store, &of_user, (enum fm_jobs_order)order, true, 3) == jobs_of_user && jobs_of_user > 3,
               "those of a user by %s", fm_jobs_orders[order]);
    }
}

static void check_filter(struct fm_store *store, const struct fm_jobs_filter *filter, const char *where)
{
    struct fm_error error = {0};
    char sql[300];
    double counted;
    bool exact;
    snprintf(sql, sizeof sql, "SELECT COUNT(*) FROM jobs WHERE %s", where);
    int wanted = (int)fm_test_number(store, sql);
    tap_ok(walk(store, filter, FM_JOBS_BY_WASTED, true, 50) == wanted && wanted > 0 && wanted < JOBS, "%s: %d", where,
           wanted);
    tap_ok(fm_jobs_count(store, filter, &counted, &exact, &error) == FM_OK && exact && counted == wanted, "counted %s",
           error.text);
}

static void every_filter(struct fm_store *store)
{
    char where[128];
    int64_t middle = (int64_t)fm_test_number(store, "SELECT AVG(ended) FROM jobs");
    struct fm_jobs_filter filter = FM_JOBS_ALL;
    filter.program = "program12";
    check_filter(store, &filter, "program = 'program12'");
    filter = FM_JOBS_ALL;
    filter.rule = "barrier";
    check_filter(store, &filter, "id IN (SELECT job FROM findings WHERE rule = 'barrier')");
    filter.least_ranks = 8;
    filter.most_ranks = 100;
    check_filter(store, &filter, "id IN (SELECT job FROM findings WHERE rule = 'barrier') AND ranks BETWEEN 8 AND 100");
    filter = FM_JOBS_ALL;
    filter.complete = 0;
    check_filter(store, &filter, "complete = 0");
    filter = FM_JOBS_ALL;
    filter.least_mpi = 0.15;
    check_filter(store, &filter, "mpi_fraction >= 0.15");
    filter = FM_JOBS_ALL;
    filter.from = middle;
    filter.to = middle + 5 * DAY_S;
    snprintf(where, sizeof where, "ended >= %lld AND ended < %lld", (long long)filter.from, (long long)filter.to);
    check_filter(store, &filter, where);
    filter = FM_JOBS_ALL;
    filter.host = "node0007";
    check_filter(store, &filter, "id IN (SELECT job FROM hosts WHERE host = 'node0007')");
    filter = FM_JOBS_ALL;
    filter.account = "text 3";
    check_filter(store, &filter, "account = 'text 3'");
}

static void hostile_filters(struct fm_store *store)
{
    struct fm_error error = {0};
    struct fm_arena arena = {0};
    struct fm_jobs_page page;
    struct fm_jobs_filter filter = FM_JOBS_ALL;
    filter.user = "' OR 1=1 --";
    filter.rule = "x'; DROP TABLE jobs; --";
    tap_ok(walk(store, &filter, FM_JOBS_BY_CPU, true, 10) == 0, "a text is never SQL");
    filter = FM_JOBS_ALL;
    filter.uid = 7;
    tap_ok(walk(store, &filter, FM_JOBS_BY_CPU, true, 10) == 0, "nobody sees jobs of others");
    static const char *const cursors[] = {"x", "v:", "v:1", "v:1:", "v:nan:3", "n:", "n:1 OR 1", "v:1:2;", "v:1e300:1"};
    for (size_t i = 0; i < sizeof cursors / sizeof *cursors; i++) {
        struct fm_jobs_cursor cursor;
        snprintf(cursor.text, sizeof cursor.text, "%s", cursors[i]);
        filter = FM_JOBS_ALL;
        tap_ok(fm_jobs_page(store, &filter, FM_JOBS_BY_CPU, true, &cursor, 10, &arena, &page, &error) == FM_ERR_USAGE,
               "'%s' is no cursor", cursors[i]);
    }
    fm_arena_destroy(&arena);
}

static void one_job(struct fm_store *store)
{
    struct fm_error error = {0};
    struct fm_arena arena = {0};
    struct fm_site_job job;
    struct fm_record record;
    bool found;
    int64_t id = (int64_t)fm_test_number(store, "SELECT MIN(job) FROM findings");
    tap_ok(!fm_site_job_find(store, id, NULL, &arena, &job, &found, &error) && found && job.id == id, "a job is found");
    struct fm_site_job again;
    tap_ok(!fm_site_job_find(store, id, job.record.user, &arena, &again, &found, &error) && found && again.id == id,
           "by its owner");
    tap_ok(!fm_store_record(store, id, &record, &error) && record.n_findings > 0, "its record, too");
    bool same = job.finding && strcmp(job.finding->rule, record.findings[0].rule) == 0 &&
                job.finding->cost_s == record.findings[0].cost_s;
    for (size_t i = 0; i < FM_RECORD_N_FIELDS; i++) {
        const struct fm_record_field *field = &fm_record_fields[i];
        bool known = fm_record_known(&record, field);
        same = same && known == fm_record_known(&job.record, field);
        if (known && field->kind == FM_RECORD_KIND_TEXT)
            same = same && strcmp(*fm_record_text(&record, field), *fm_record_text(&job.record, field)) == 0;
        else if (known && (field->kind == FM_RECORD_KIND_WHOLE || field->kind == FM_RECORD_KIND_TIME))
            same = same && *fm_record_whole(&record, field) == *fm_record_whole(&job.record, field);
        else if (known && field->kind != FM_RECORD_KIND_FLAG)
            same = same && *fm_record_real(&record, field) == *fm_record_real(&job.record, field);
    }
    tap_ok(same, "with the same fields and the first finding");
    tap_ok(!fm_site_job_find(store, id, "somebody", &arena, &job, &found, &error) && !found, "not for somebody else");
    tap_ok(!fm_site_job_find(store, 99999, NULL, &arena, &job, &found, &error) && !found, "one that is not there");
    fm_record_destroy(&record);
    fm_arena_destroy(&arena);
}

/* Whether the plan of a page reads an index and sorts nothing. SQLite only: what PostgreSQL does with 400 jobs says nothing
 * about millions. */
static void plan(struct fm_store *store, const struct fm_jobs_filter *filter, enum fm_jobs_order order, bool first,
                 const char *index)
{
    struct fm_error error = {0};
    char *sql = fm_jobs_page_sql(store, filter, order, true, first, &error);
    char explain[1000];
    snprintf(explain, sizeof explain, "%s %s", fm_db_sql(fm_store_db(store), FM_SQL_EXPLAIN), sql);
    char *rows = fm_test_rows(store, explain);
    tap_ok(strstr(rows, index) && !strstr(rows, "SCAN jobs|") && !strstr(rows, "TEMP B-TREE"), "%s: %s", index, sql);
    free(rows);
    free(sql);
}

static void plans(struct fm_store *store)
{
    struct fm_jobs_filter all = FM_JOBS_ALL, user = FM_JOBS_ALL, program = FM_JOBS_ALL;
    user.user = "user012";
    program.program = "program12";
    for (int first = 0; first < 2; first++) {
        plan(store, &all, FM_JOBS_BY_ENDED, first, "jobs_ended");
        plan(store, &all, FM_JOBS_BY_CPU, first, "jobs_cpu");
        plan(store, &all, FM_JOBS_BY_WASTED, first, "jobs_wasted");
        plan(store, &all, FM_JOBS_BY_EFFICIENCY, first, "jobs_parallel");
        plan(store, &all, FM_JOBS_BY_MPI, first, "jobs_mpi");
        plan(store, &user, FM_JOBS_BY_ENDED, first, "jobs_user");
        plan(store, &program, FM_JOBS_BY_ENDED, first, "jobs_program");
    }
}

/* 600 jobs a day for 41 days of 1970, one of three by the user 7: more than are counted. */
static void many_jobs_are_estimated(struct fm_store *store)
{
    static const char *const statements[] = {
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 24599) "
        "INSERT INTO jobs (id, uid, key, started, ended, weight) "
        "SELECT 1000000 + i, CASE WHEN i % 3 = 0 THEN 7 ELSE 8 END, CAST(i AS TEXT), i * 144, i * 144 + 1, 1 FROM n",
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 40) "
        "INSERT INTO day_classes (day, language_id, ranks_class, cpu_class, critical, jobs) "
        "SELECT i, 1, 1, 1, 0, 600 FROM n",
        "INSERT INTO month_classes (day, language_id, ranks_class, cpu_class, critical, jobs) "
        "VALUES (0, 1, 1, 1, 0, 18600), (31, 1, 1, 1, 0, 6000)"};
    static const struct {
        int from, to, uid;
        double jobs;
    } cases[] = {{5, 40, -1, 21000}, {5, 40, 7, 7000}, {0, 40, -1, 24000}, {-1, 38, -1, 22800}, {1, 20, -1, 11400}};
    struct fm_error error = {0};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        tap_ok(!fm_db_run(fm_store_db(store), statements[i], &error), "many jobs: %s", error.text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fm_jobs_filter filter = FM_JOBS_ALL;
        double counted = 0;
        bool exact;
        filter.from = cases[i].from < 0 ? -1 : (int64_t)cases[i].from * DAY_S;
        filter.to = (int64_t)cases[i].to * DAY_S;
        filter.uid = cases[i].uid;
        enum fm_status status = fm_jobs_count(store, &filter, &counted, &exact, &error);
        tap_ok(!status && fabs(counted / cases[i].jobs - 1) < 0.01 && exact == (cases[i].jobs == 11400),
               "days %d to %d, uid %d: %.0f jobs", cases[i].from, cases[i].to, cases[i].uid, counted);
    }
}

int main(void)
{
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    tap_ok(fill(store), "a list of %d jobs", JOBS);
    every_order(store);
    every_filter(store);
    hostile_filters(store);
    one_job(store);
    if (!fm_test_is_postgres())
        plans(store);
    many_jobs_are_estimated(store);
    fm_store_close(store);
    fm_test_database_end();
    return tap_done();
}
