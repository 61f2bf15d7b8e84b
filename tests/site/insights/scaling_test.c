/* Programs that stop scaling. */
#include "site/insights/scaling.h"

#include <string.h>

#include "site/insights/limits.h"
#include "site/insights/made_runs.h"
#include "tap.h"

enum { COUNTS = 6, PER_COUNT = 8, RUNS = COUNTS * PER_COUNT };

static struct fm_scaling_limit found;
static bool tested, stops;

/* work: seconds outside MPI, summed over ranks; mpi: seconds of a rank in MPI. */
static struct fm_run run_of(int number, int64_t ranks, double work, double mpi, double io)
{
    struct fm_run run = made_run(number, number / 4, ranks, 1);
    run.program_s = work;
    run.mpi_s = mpi * (double)ranks;
    run.io_s = io;
    run.cpu_s = run.program_s + run.mpi_s + run.io_s;
    run.wall_s = run.cpu_s / (double)ranks;
    return run;
}

/* Ranks 4 to 128; work grows by ranks^grows; MPI has `share` of a rank's time on 4 ranks, and grows by `log` for each doubling. */
static bool is_named(double grows, double share, double log_growth, double noise, int per_count)
{
    struct fm_run runs[RUNS];
    uint64_t state = 7;
    int n = 0;
    for (int i = 0; i < per_count * COUNTS; i++) {
        int size = i % COUNTS;
        double ranks = ldexp(4, size), work = 4000 * pow(ranks / 4, grows) * made_noise(&state, noise);
        double mpi = work / ranks * share + 1000 * share * log_growth * size;
        runs[n] = run_of(n, (int64_t)ranks, work, mpi, 0);
        n++;
    }
    return !fm_scaling_find(runs, (size_t)n, &tested, &stops, &found, NULL) && stops &&
           found.chance < FM_INSIGHT_CHANCE;
}

static void modes(void)
{
    tap_ok(is_named(0, 0.2, 0.5, 0.01, PER_COUNT) && found.mode == FM_SCALING_STRONG && found.n == COUNTS &&
               found.points[5].ranks == 128 && found.points[0].runs == PER_COUNT,
           "the same problem on more ranks: strong");
    tap_ok(found.mpi > 0.98 && fabs(found.program) < 0.02, "what is lost is lost in MPI");
    double lost = 0.5 * found.points[5].cpu_s / found.points[5].unit;
    tap_ok(fabs(fm_scaling_without(&found, lost) - 2 * found.efficiency) < 1e-9,
           "without half of it, it would be twice as efficient");
    /* wall: 1200/p + 100 * size, p = ranks / 4: 1200, 700, 500, 450, 475, 537 */
    tap_ok(found.fastest_ranks == 32 && found.efficient_ranks == 8 && fabs(found.estimated_ranks - 33) < 4,
           "fastest on %lld, efficient up to %lld, estimate %g", (long long)found.fastest_ranks,
           (long long)found.efficient_ranks, found.estimated_ranks);
    tap_ok(is_named(1, 0.2, 2, 0.01, PER_COUNT) && found.mode == FM_SCALING_WEAK && found.fastest_ranks == 0 &&
               isnan(found.estimated_ranks),
           "a problem that grows with the ranks: weak, and no number of ranks is the fastest");
    tap_ok(is_named(0.5, 0.2, 2, 0.01, PER_COUNT) && found.mode == FM_SCALING_UNKNOWN && found.fastest_ranks == 0,
           "neither: unknown");
    tap_ok(is_named(0, 0.2, 0.5, 0.5, PER_COUNT) && found.mode == FM_SCALING_UNKNOWN, "problems of all sizes: unknown");
}

static void thresholds(void)
{
    tap_ok(!is_named(0, 0.2, 0, 0.01, PER_COUNT) && tested && !stops, "what scales is looked at, and not named");
    /* efficiency on 128 ranks: 1.2 / (1.2 + 32 * 0.2 * g * 5) */
    double at = 1.2 * (1 / FM_SCALING_EFFICIENCY - 1) / 32;
    tap_ok(is_named(0, 0.2, at * 1.1, 0.001, PER_COUNT), "just below the efficiency: %g", found.efficiency);
    tap_ok(!is_named(0, 0.2, at * 0.9, 0.001, PER_COUNT), "just above it");
    tap_ok(is_named(0, 0.2, 0.5, 0.01, FM_SCALING_RUNS + 1) && !is_named(0, 0.2, 0.5, 0.01, FM_SCALING_RUNS - 1),
           "enough runs, and too few");

    struct fm_run two[20];
    for (int i = 0; i < 20; i++)
        two[i] = run_of(i, i % 2 ? 4 : 64, 4000, i % 2 ? 10 : 1000, 0);
    tap_ok(!fm_scaling_find(two, 20, &tested, &stops, &found, NULL) && !tested, "two numbers of ranks tell no trend");
    for (int i = 0; i < 20; i++)
        two[i] = run_of(i, 8 + i % 3, 4000, 10 + 1000 * (i % 3), 0);
    tap_ok(!fm_scaling_find(two, 20, &tested, &stops, &found, NULL) && !tested, "8, 9 and 10 ranks are too close");
    for (int i = 0; i < 20; i++) {
        two[i] = run_of(i, 8 << i % 3, 4000, 10, 0);
        two[i].program_s = NAN;
    }
    tap_ok(!fm_scaling_find(two, 20, &tested, &stops, &found, NULL) && !tested,
           "nothing known of the work, nothing said");
}

static void parts(void)
{
    struct fm_run runs[RUNS];
    for (int i = 0; i < RUNS; i++) /* every rank does what one could do */
        runs[i] = run_of(i, INT64_C(4) << i % COUNTS, 4000 * pow(1.1, i % COUNTS), 0.01 * (i % COUNTS), 0);
    tap_ok(!fm_scaling_find(runs, RUNS, &tested, &stops, &found, NULL) && tested && found.mode == FM_SCALING_STRONG &&
               stops && found.program > 0.9,
           "repeated work stops it: %g", found.efficiency);
    for (int i = 0; i < RUNS; i++) /* larger problems, by accident more often on many ranks */
        runs[i] = run_of(i, INT64_C(4) << i % COUNTS, i % COUNTS == 5 && i % 2 ? 5600 : 4000, 0, 0);
    tap_ok(!fm_scaling_find(runs, RUNS, &tested, &stops, &found, NULL) && tested && !stops,
           "larger problems take longer, and are no loss");
    for (int i = 0; i < RUNS; i++) /* rank 0 writes */
        runs[i] = run_of(i, INT64_C(4) << i % COUNTS, 4000, 10, 100 * ldexp(1, 2 * (i % COUNTS)));
    tap_ok(!fm_scaling_find(runs, RUNS, &tested, &stops, &found, NULL) && stops && found.io > 0.9, "I/O stops it: %g",
           found.io);
    for (int i = 0; i < RUNS; i++) { /* two inputs; the one with more loss is told about */
        bool small = i / COUNTS % 2;
        runs[i] = run_of(i, INT64_C(4) << i % COUNTS, small ? 80 : 4000, (small ? 2 : 100) * (i % COUNTS), 0);
    }
    tap_ok(!fm_scaling_find(runs, RUNS, &tested, &stops, &found, NULL) && stops &&
               found.points[0].runs == PER_COUNT / 2 && found.points[0].program_s == 4000,
           "inputs are told apart");
}

static void estimates(void)
{
    struct fm_scaling_point points[6] = {{0}};
    for (int i = 0; i < 6; i++) {
        points[i].ranks = 4 << i;
        points[i].wall_s = 10 + 1000 / ldexp(1, i) + 100 * i;
    }
    /* 1000 * ln 2 / 100 = 6.9 times 4 */
    tap_ok(fabs(fm_scaling_estimate(points, 6) - 27.7) < 0.1, "a minimum between points: %g",
           fm_scaling_estimate(points, 6));
    tap_ok(isnan(fm_scaling_estimate(points, 3)), "three points fit everything");
    for (int i = 0; i < 6; i++)
        points[i].wall_s = 1000 / ldexp(1, i);
    tap_ok(isnan(fm_scaling_estimate(points, 6)), "no minimum");
    const double zigzag[] = {100, 20, 90, 15, 80, 10};
    for (int i = 0; i < 6; i++)
        points[i].wall_s = zigzag[i];
    tap_ok(isnan(fm_scaling_estimate(points, 6)), "no fit");
}

static void noise(void)
{
    int named = 0;
    enum { PROGRAMS = 300 };
    for (int k = 0; k < PROGRAMS; k++) {
        struct fm_run runs[RUNS];
        uint64_t state = (uint64_t)k + 1;
        for (int i = 0; i < RUNS; i++)
            runs[i] = run_of(i, INT64_C(4) << i % COUNTS, 4000 * made_noise(&state, 0.1),
                             100 * made_noise(&state, 1) / ldexp(1, i % COUNTS), 0);
        named += !fm_scaling_find(runs, RUNS, &tested, &stops, &found, NULL) && stops &&
                 found.chance * PROGRAMS < FM_INSIGHT_CHANCE;
    }
    tap_ok(named == 0, "none of %d programs that only vary: %d", PROGRAMS, named);
}

int main(void)
{
    modes();
    thresholds();
    parts();
    estimates();
    noise();
    return tap_done();
}
