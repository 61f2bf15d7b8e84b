/* Where figures stand among those of others. */
#include "site/insights/references.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "site/store/testing.h"
#include "tap.h"

enum { DAY = 20000, DAY_S = 86400 };

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static void pure(void)
{
    struct fm_weighted values[] = {{3, 1}, {1, 1}, {2, 1}, {4, 1}};
    fm_weighted_sort(values, 4);
    struct fm_reference found = fm_weighted_reference(values, 4, 3);
    tap_ok(found.n == 4 && near(found.min, 1) && near(found.max, 4) && near(found.avg, 2.5), "least, most, mean");
    tap_ok(near(found.p25, 1) && near(found.median, 2) && near(found.p75, 3), "quartiles");
    tap_ok(near(found.percentile, 62.5), "a value that is there is half below itself");
    tap_ok(near(fm_weighted_reference(values, 4, 0).percentile, 0) &&
               near(fm_weighted_reference(values, 4, 5).percentile, 100) &&
               near(fm_weighted_reference(values, 4, 2.5).percentile, 50),
           "below all, above all, in between");
    struct fm_weighted heavy[] = {{1, 1}, {10, 9}};
    found = fm_weighted_reference(heavy, 2, 10);
    tap_ok(near(found.avg, 9.1) && near(found.median, 10) && near(found.percentile, 55), "weights count");
    found = fm_weighted_reference(NULL, 0, 1);
    tap_ok(found.n == 0 && isnan(found.median) && isnan(found.percentile) && near(found.value, 1),
           "nothing to compare with");
    found = fm_weighted_reference(values, 4, NAN);
    tap_ok(isnan(found.percentile) && near(found.median, 2), "an unknown value has no place");
}

struct job {
    const char *user, *program;
    double cpu_s, mpi_s, weight;
    int64_t instructions;
    int day;
};

static void add(struct fm_store *store, const struct job *job, int number)
{
    struct fm_error error = {0};
    struct fm_record record;
    fm_record_init(&record);
    char key[40];
    snprintf(key, sizeof key, "%032d", number);
    record.key = key;
    record.user = job->user;
    record.program = job->program;
    record.language = "C";
    record.ranks = 2;
    record.ended = (int64_t)(DAY + job->day) * DAY_S + 3600;
    record.started = record.ended - 10;
    record.cpu_s = job->cpu_s;
    record.wall_s = job->cpu_s / 2;
    record.mpi_s = job->mpi_s;
    record.program_s = job->cpu_s - job->mpi_s;
    record.parallel = record.program_s / record.cpu_s;
    record.instructions = job->instructions;
    record.counted_s = job->instructions >= 0 ? record.program_s : NAN;
    if (fm_test_add(store, &record, FM_ORIGIN_SPOOL, job->weight, &error))
        printf("# %s\n", error.text);
    fm_record_destroy(&record);
}

static struct fm_store *made(void)
{
    const struct job all[] = {
        {"ann", "pop", 100, 10, 1, 900000000, 0}, {"ann", "pop", 300, 90, 1, 2100000000, 1},
        {"ann", "wrf", 100, 100, 1, -1, 1},       {"bob", "pop", 100, 50, 3, -1, 2},
        {"cid", "cg", 10, 1, 1, 90000000, 3},     {"ann", "pop", 100, 100, 1, 1, 10}, /* after the interval */
        {"bob", "pop", 1000, 1000, 1, 1, -1},                                         /* before it */
    };
    struct fm_error error = {0};
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    if (fm_store_begin(store, &error))
        printf("# %s\n", error.text);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add(store, &all[i], (int)i);
    if (fm_store_commit(store, &error))
        printf("# %s\n", error.text);
    return store;
}

static void from_a_database(void)
{
    struct fm_store *store = made();
    struct fm_error error = {0};
    struct fm_references *references;
    struct fm_reference found[FM_REFERENCE_FIGURES];
    tap_ok(!fm_references_open(&references, fm_store_db(store), DAY, DAY + 10, &error), "opened %s", error.text);
    bool known = fm_references_user(references, "ann", found);
    tap_ok(known && near(found[FM_REFERENCE_MPI].value, 0.4) && found[FM_REFERENCE_MPI].n == 3 &&
               near(found[FM_REFERENCE_MPI].percentile, 50) && near(found[FM_REFERENCE_MPI].max, 0.5) &&
               near(found[FM_REFERENCE_MPI].min, 0.1),
           "a user's share of MPI is that of the sums, and stands among three users");
    tap_ok(near(found[FM_REFERENCE_PARALLEL].value, 0.6), "efficiency, too: %g", found[FM_REFERENCE_PARALLEL].value);
    tap_ok(near(found[FM_REFERENCE_INSTRUCTIONS].value, 1e7) && found[FM_REFERENCE_INSTRUCTIONS].n == 2 &&
               found[FM_REFERENCE_INSTRUCTIONS].of == 3,
           "jobs without counters do not count for rates, and n says how many users have them");
    tap_ok(!found[FM_REFERENCE_FP].n && isnan(found[FM_REFERENCE_FP].value), "what nobody counted is unknown");
    tap_ok(!fm_references_user(references, "eve", found) && isnan(found[FM_REFERENCE_MPI].value) &&
               found[FM_REFERENCE_MPI].n == 3,
           "a user without jobs has no values");

    bool good = !fm_references_program(references, "ann", "pop", found, &error);
    /* 0.1, 0.3 and three times 0.5 */
    tap_ok(good && near(found[FM_REFERENCE_MPI].value, 0.25) && found[FM_REFERENCE_MPI].n == 3 &&
               near(found[FM_REFERENCE_MPI].avg, 0.38) && near(found[FM_REFERENCE_MPI].median, 0.5) &&
               near(found[FM_REFERENCE_MPI].percentile, 20),
           "a program among its runs, with their weights: %s", error.text);
    good = !fm_references_program(references, "ann", "pop", found, &error);
    tap_ok(good && near(found[FM_REFERENCE_MPI].avg, 0.38), "asked again, the same");
    good = !fm_references_program(references, "cid", "pop", found, &error);
    tap_ok(good && isnan(found[FM_REFERENCE_MPI].value) && found[FM_REFERENCE_MPI].n == 3,
           "of somebody who did not run it");
    double values[FM_REFERENCE_FIGURES] = {0.2, NAN, NAN, NAN, NAN};
    good = !fm_references_among_runs(references, "nothing", NULL, values, found, &error);
    tap_ok(good && !found[FM_REFERENCE_MPI].n && near(found[FM_REFERENCE_MPI].value, 0.2), "a program that nobody ran");
    fm_references_among_users(references, NULL, values, found);
    tap_ok(near(found[FM_REFERENCE_MPI].percentile, 100.0 / 3), "a job's value among users");
    fm_references_close(references);
    fm_store_close(store);
}

/* Runs of a program by n users; "me" is one of them. */
static struct fm_reference among_runs_of(int n)
{
    static const char *const users[] = {"me", "ann", "bob", "cid", "dan"};
    struct fm_error error = {0};
    struct fm_references *references;
    struct fm_reference found[FM_REFERENCE_FIGURES];
    struct fm_store *store = fm_test_store(fm_test_database(), FM_DB_CREATE);
    fm_store_begin(store, &error);
    for (int i = 0; i < 8; i++)
        add(store, &(struct job){users[i % n], "pop", 100, 10 + i, 1, i % n == 1 ? 900000000 : -1, 0}, i);
    fm_store_commit(store, &error);
    if (fm_references_open(&references, fm_store_db(store), DAY, DAY + 10, &error) ||
        fm_references_program(references, "me", "pop", found, &error))
        printf("# %s\n", error.text);
    tap_ok(found[FM_REFERENCE_INSTRUCTIONS].others == (n > 1), "of whom the counters are known");
    struct fm_reference users_found[FM_REFERENCE_FIGURES];
    fm_references_user(references, "me", users_found);
    tap_ok(users_found[FM_REFERENCE_MPI].others == (size_t)n - 1, "%d users", n);
    fm_references_among_users(references, "eve", (double[FM_REFERENCE_FIGURES]){0}, users_found);
    tap_ok(users_found[FM_REFERENCE_MPI].others == (size_t)n, "all of them are others for somebody else");
    fm_references_close(references);
    fm_store_close(store);
    return found[FM_REFERENCE_MPI];
}

static void others_stay_private(void)
{
    struct fm_reference alone = among_runs_of(1), two = among_runs_of(2), three = among_runs_of(3),
                        four = among_runs_of(4);
    tap_ok(alone.others == 0 && !fm_reference_is_private(&alone), "own runs may be compared");
    tap_ok(two.others == 1 && fm_reference_is_private(&two), "least and most would be those of the other one");
    tap_ok(three.others == 2 && fm_reference_is_private(&three), "two others are too few");
    tap_ok(four.others == FM_REFERENCE_LEAST_OTHERS && !fm_reference_is_private(&four), "three are enough");
    fm_reference_hide(&two);
    tap_ok(isnan(two.min) && isnan(two.max) && isnan(two.avg) && isnan(two.median) && isnan(two.p25) &&
               isnan(two.p75) && isnan(two.percentile) && two.n == 8 && near(two.value, 0.13),
           "what is hidden");
}

static void of_a_job(void)
{
    struct fm_record record;
    double values[FM_REFERENCE_FIGURES];
    fm_record_init(&record);
    fm_reference_values_of_job(&record, values);
    bool none = true;
    for (size_t k = 0; k < FM_REFERENCE_FIGURES; k++)
        none = none && isnan(values[k]);
    tap_ok(none, "nothing is known of an empty record");
    record.cpu_s = 10;
    record.mpi_s = 2;
    record.counted_s = 8;
    record.l2_misses = 16;
    fm_reference_values_of_job(&record, values);
    tap_ok(near(values[FM_REFERENCE_MPI], 0.2) && near(values[FM_REFERENCE_L2_MISSES], 2) &&
               isnan(values[FM_REFERENCE_FP]),
           "figures of a job");
    fm_record_destroy(&record);
}

int main(void)
{
    pure();
    others_stay_private();
    of_a_job();
    from_a_database();
    fm_test_database_end();
    return tap_done();
}
