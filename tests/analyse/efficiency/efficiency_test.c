#include "analyse/efficiency/efficiency.h"

#include <math.h>
#include <string.h>

#include "analyse/efficiency/computation.h"
#include "report/sample.h"
#include "tap.h"

static bool about(double value, double wanted)
{
    return fabs(value - wanted) < 1e-9;
}

static struct fm_spread spread_of(const uint64_t *values, uint32_t n)
{
    struct fm_spread spread = {0};
    for (uint32_t i = 0; i < n; i++)
        fm_spread_add(&spread, values[i], i);
    return spread;
}

static void test_factors(void)
{
    const uint64_t walls[] = {100, 100, 100, 100}, works[] = {80, 40, 40, 40}, none[] = {0, 0, 0, 0};
    struct fm_spread wall = spread_of(walls, 4), work = spread_of(works, 4), idle = spread_of(none, 4), nobody = {0};
    struct fm_factors factors = fm_factors_of(&wall, &work);
    tap_ok(factors.known && about(factors.load_balance, 0.625) && about(factors.communication, 0.8) &&
               about(factors.parallel, 0.5),
           "mean / longest work, longest work / wall time, and their product");
    tap_ok(!factors.estimated, "nothing is estimated until the floor is known");
    fm_factors_estimate(&factors, &wall, 40);
    tap_ok(factors.estimated && about(factors.transfer, 0.9) &&
               about(factors.serialisation * factors.transfer, factors.communication),
           "calls that do not wait are transfer, the rest of communication is serialisation");
    fm_factors_estimate(&factors, &wall, 400);
    tap_ok(about(factors.transfer, 0.8) && about(factors.serialisation, 1), "it cannot be more than all communication");
    factors = fm_factors_of(&wall, &idle);
    fm_factors_estimate(&factors, &wall, 0);
    tap_ok(factors.known && factors.parallel == 0 && !factors.estimated, "without work there is nothing to divide");
    factors = fm_factors_of(&nobody, &nobody);
    fm_factors_estimate(&factors, &nobody, 0);
    tap_ok(!factors.known && !factors.estimated, "without ranks nothing is known");
}

static void test_run(struct fm_profile *profile, struct fm_arena *arena)
{
    struct fm_efficiency efficiency;
    struct fm_error error;
    tap_ok(!fm_efficiency_find(profile, NULL, NULL, arena, &efficiency, &error) && efficiency.run.known &&
               about(efficiency.run.parallel, efficiency.run.load_balance * efficiency.run.communication) &&
               about(efficiency.run.communication, efficiency.run.serialisation * efficiency.run.transfer),
           "each factor is the product of those below it");
    tap_ok(efficiency.n_regions == 3 && strcmp(efficiency.regions[2].name, "barotropic/pcg") == 0 &&
               about(efficiency.regions[1].factors.load_balance, (4520 + 3 * 1920.) / 4 / 4520) &&
               about(efficiency.regions[1].factors.communication, 4520 / 4920.),
           "regions have factors of their own");
    tap_ok(!fm_efficiency_find(profile, "step", NULL, arena, &efficiency, &error) && efficiency.from &&
               efficiency.from->kind == FM_SPAN_FROM_TIMER && about(efficiency.run.communication, 10800 / 11500.) &&
               !efficiency.run.estimated,
           "from the first start of a timer on");
    tap_ok(!fm_efficiency_find(profile, "region", NULL, arena, &efficiency, &error) &&
               strcmp(efficiency.from->name, "baroclinic") == 0,
           "the region that is entered first");
    tap_ok(fm_efficiency_find(profile, "nothing", NULL, arena, &efficiency, &error) == FM_ERR_INPUT &&
               strstr(error.text, "has no region or timer 'nothing', only baroclinic, barotropic, step"),
           "a name that is not there: what is");
    profile->n_routines = 0;
    fm_efficiency_find(profile, NULL, NULL, arena, &efficiency, &error);
    tap_ok(!efficiency.run.known, "without MPI calls nothing is known");
}

static void test_timers(struct fm_arena *arena)
{
    const uint64_t totals[] = {10, 20}, outside[] = {5, 15};
    struct fm_timer timers[] = {{.name = "misused", .parent = ""},
                                {.name = "old", .parent = "", .total_ns = spread_of(totals, 2)},
                                {.name = "step", .parent = "", .total_ns = spread_of(totals, 2)}};
    struct fm_span spans[] = {
        {.kind = FM_SPAN_FROM_TIMER, .name = "old", .wall_ns = spread_of(totals, 2)},
        {.kind = FM_SPAN_TIMER, .name = "other", .wall_ns = spread_of(outside, 2), .outside_ns = spread_of(outside, 2)},
        {.kind = FM_SPAN_TIMER, .name = "step", .wall_ns = spread_of(totals, 2), .outside_ns = spread_of(outside, 2)}};
    struct fm_profile profile = {.timers = timers, .n_timers = 3, .spans = spans, .n_spans = 3};
    struct fm_efficiency efficiency;
    struct fm_error error;
    tap_ok(!fm_efficiency_find(&profile, NULL, NULL, arena, &efficiency, &error) && efficiency.n_timers == 2 &&
               about(efficiency.timers[0].balance, 0.75) && !efficiency.timers[0].factors.known,
           "of a timer whose time in MPI is unknown, only the balance of its time is known");
    const struct fm_factors *factors = &efficiency.timers[1].factors;
    tap_ok(factors->known && about(factors->load_balance, 10 / 15.) && about(factors->communication, 15 / 20.) &&
               !factors->estimated,
           "other timers have factors");
    profile.n_spans = 0;
    tap_ok(fm_efficiency_find(&profile, "step", NULL, arena, &efficiency, &error) == FM_ERR_INPUT &&
               strstr(error.text, "from an older version"),
           "when it was started first was not always measured");
    profile.n_timers = 0;
    tap_ok(fm_efficiency_find(&profile, "step", NULL, arena, &efficiency, &error) == FM_ERR_INPUT &&
               !strcmp(error.text, "the profile has no region or timer 'step'"),
           "no regions, no timers");
}

static void test_scaling(void)
{
    struct fm_profile *two = sample_profile(4), *four = sample_profile(8);
    double strong = fm_computation_scaling(two, four, true).scaling;
    double weak = fm_computation_scaling(two, four, false).scaling;
    tap_ok(about(strong, 0.5) && about(weak, 1), "the same work on each rank: twice as much in all (%f, %f)", strong,
           weak);
    tap_ok(about(fm_computation_scaling(two, two, true).scaling, 1), "a run relative to itself");
    fm_profile_destroy(two);
    fm_profile_destroy(four);
}

/* Twice the instructions in the program at half the cycles for each, and a clock that is slower by what is left. */
static void test_counted_scaling(void)
{
    struct fm_profile *first = sample_profile(4), *other = sample_profile(4);
    for (size_t i = 0; i < other->n_counters; i++) {
        struct fm_counter *counter = &other->counters[i];
        counter->counts.sum *= strcmp(counter->name, "instructions") == 0 ? 2 : 1;
        counter->in_mpis.sum *= strcmp(counter->name, "instructions") == 0 ? 2 : 1;
    }
    for (size_t i = 0; i < other->n_processes; i++)
        other->processes[i].wall_ns += other->processes[i].wall_ns - other->processes[i].mpi_ns;
    struct fm_computation scaling = fm_computation_scaling(first, other, true);
    tap_ok(about(scaling.scaling, 0.5) && about(scaling.instructions, 0.5) && about(scaling.ipc, 2) &&
               about(scaling.frequency, 0.5),
           "instructions x IPC x frequency (%f = %f x %f x %f)", scaling.scaling, scaling.instructions, scaling.ipc,
           scaling.frequency);
    struct fm_profile *larger = sample_profile(8);
    scaling = fm_computation_scaling(first, larger, false);
    tap_ok(about(scaling.instructions * scaling.ipc * scaling.frequency, scaling.scaling),
           "their product is computation scaling, of a rank too");
    for (size_t i = 0; i < other->n_counters; i++)
        other->counters[i].unsplit = 1;
    scaling = fm_computation_scaling(first, other, true);
    tap_ok(about(scaling.scaling, 0.5) && scaling.instructions == 0 && scaling.ipc == 0 && scaling.frequency == 0,
           "unknown if events in MPI are not known");
    other->n_counters = 0;
    tap_ok(fm_computation_scaling(first, other, true).ipc == 0, "unknown without counters");
    fm_profile_destroy(first);
    fm_profile_destroy(other);
    fm_profile_destroy(larger);
}

int main(void)
{
    struct fm_arena arena = {0};
    struct fm_profile *profile = sample_profile(4);
    test_factors();
    test_run(profile, &arena);
    test_timers(&arena);
    test_scaling();
    test_counted_scaling();
    fm_profile_destroy(profile);
    fm_arena_destroy(&arena);
    return tap_done();
}
