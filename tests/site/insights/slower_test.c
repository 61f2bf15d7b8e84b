/* Programs that became slower, and those that only vary. */
#include "site/insights/slower.h"

#include "site/insights/limits.h"
#include "site/insights/made_runs.h"
#include "tap.h"

enum { DAYS = 60, PER_DAY = 4, RUNS = DAYS * PER_DAY, AT = 35 };

struct made {
    double factor;     /* from day AT on */
    double undone;     /* from day 50 on, if it is not 0 */
    double noise, odd; /* deviation; share of runs that take twice as long */
    double input;      /* of every second run */
    int last_days;     /* runs only until so many days after AT; 0: all */
    uint64_t seed;
};

static struct fm_slower found;

static size_t make(const struct made *made, struct fm_run *runs)
{
    uint64_t state = made->seed;
    size_t n = 0;
    for (int i = 0; i < RUNS; i++) {
        int day = i / PER_DAY;
        if (made->last_days && day >= AT + made->last_days)
            break;
        double factor = day >= AT ? made->factor : 1;
        if (made->undone > 0 && day >= 50)
            factor = made->undone;
        factor *= made_noise(&state, made->noise);
        if (made_real(&state) < made->odd)
            factor *= 2;
        if (made->input > 0 && made_real(&state) < 0.5)
            factor *= made->input;
        runs[n++] = made_run(i, day, INT64_C(4) << i % 3, factor);
    }
    return n;
}

/* Whether the change would be reported if it were the only program. */
static bool is_named(const struct made *made)
{
    struct fm_run runs[RUNS];
    bool tested, slower;
    size_t n = make(made, runs);
    struct fm_error error;
    if (fm_slower_find(runs, n, &tested, &slower, &found, &error))
        return false;
    return slower && found.chance < FM_INSIGHT_CHANCE;
}

static void regressions(void)
{
    struct made made = {.factor = 1.1, .noise = 0.01, .seed = 1};
    tap_ok(is_named(&made) && found.ended / MADE_DAY_S == AT && fabs(found.factor - 1.1) < 0.01,
           "10 %% slower: %g on day %lld", found.factor, (long long)found.ended / MADE_DAY_S);
    tap_ok(found.n_before == AT * PER_DAY && found.n_after == RUNS - AT * PER_DAY && found.chance < 1e-9,
           "all runs were compared, whatever their ranks");
    tap_ok(fabs(found.program - 0.8) < 0.05 && fabs(found.mpi - 0.2) < 0.05 && fabs(found.io) < 1e-9,
           "code and MPI have their shares in it");
    double cost = 0.1 * 100 * (RUNS - AT * PER_DAY) * 28 / 3.0;
    tap_ok(fabs(found.cost_s - cost) < 0.05 * cost, "what it costs: %g, %g expected", found.cost_s, cost);
    tap_ok(found.n_picked_before == FM_SLOWER_PICKS && found.before[0].id == AT * PER_DAY - 1 &&
               found.after[0].id == AT * PER_DAY,
           "runs next to the change are picked");
    made.input = 0.02;
    tap_ok(is_named(&made) && found.ended / MADE_DAY_S == AT, "runs with small problems in between do not matter");
    made.odd = 0.1;
    tap_ok(is_named(&made) && found.ended / MADE_DAY_S == AT, "nor do those that take twice as long");
    struct made large = {.factor = 4, .noise = 0.01, .seed = 2};
    tap_ok(is_named(&large) && fabs(found.factor - 4) < 0.1, "four times slower is not another input: %g",
           found.factor);
}

static void thresholds(void)
{
    struct made made = {.factor = 1 + FM_SLOWER_LEAST * 1.15, .noise = 0.003, .seed = 3};
    tap_ok(is_named(&made), "just above the least");
    made.factor = 1 + FM_SLOWER_LEAST * 0.85;
    tap_ok(!is_named(&made), "just below it");
    made = (struct made){.factor = 0.8, .noise = 0.01, .seed = 4};
    tap_ok(!is_named(&made), "faster is not slower");
    made = (struct made){.factor = 1.2, .undone = 1, .noise = 0.01, .seed = 5};
    tap_ok(!is_named(&made), "what was undone is no more");
    made.undone = 1.1;
    tap_ok(is_named(&made), "what was undone in part is");
    made = (struct made){.factor = 1.2, .noise = 0.01, .last_days = 5, .seed = 6};
    tap_ok(is_named(&made), "20 runs afterwards are enough");
    made.last_days = 1;
    tap_ok(!is_named(&made), "4 are not");
    struct fm_run few[11];
    for (int i = 0; i < 11; i++)
        few[i] = made_run(i, i, 4, i < 6 ? 1 : 2);
    bool tested, slower;
    tap_ok(!fm_slower_find(few, 11, &tested, &slower, &found, NULL) && !tested && !slower, "11 runs are too few");
    tap_ok(!fm_slower_find(few, 0, &tested, &slower, &found, NULL) && !tested && !slower, "none, too");
}

static void noise(void)
{
    int named = 0;
    enum { PROGRAMS = 300 };
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        struct made made = {.factor = 1, .noise = i % 3 ? 0.02 : 0.3, .odd = i % 2 ? 0.15 : 0, .seed = 1000 + i};
        named += is_named(&made) && found.chance * PROGRAMS < FM_INSIGHT_CHANCE;
    }
    tap_ok(named == 0, "none of %d programs that only vary: %d", PROGRAMS, named);
}

int main(void)
{
    regressions();
    thresholds();
    noise();
    return tap_done();
}
