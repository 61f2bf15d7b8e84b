/* Fits of measurements that were made up from known models, with noise and disturbed points. */
#include "site/calibration/fit.h"

#include <math.h>

#include "tap.h"

enum { MODELS = 400, SIZES = 8, COUNTS = 5, POINTS = SIZES * COUNTS };

static const uint64_t sizes[SIZES] = {8, 128, 1024, 8192, 32768, 65536, 262144, 1 << 20};
static const uint32_t counts[COUNTS] = {2, 4, 8, 16, 32};

/* A generator of our own: the same numbers everywhere. */
static double random_share(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static double from_to(uint64_t *state, double from, double to)
{
    return from * pow(to / from, random_share(state));
}

static double time_of(const struct fm_model *model, double ranks, double bytes)
{
    return fm_model_latency(model, ranks) + bytes * fm_model_per_byte(model, ranks);
}

static struct fm_model random_model(uint64_t *state)
{
    struct fm_model model = {
        .a_s = from_to(state, 1e-7, 1e-5),
        .b_s = random_share(state) < 0.2 ? 0 : from_to(state, 1e-7, 1e-5),
        .c_s = from_to(state, 1e-11, 1e-8),
        .d_s = random_share(state) < 0.2 ? 0 : from_to(state, 1e-11, 1e-8),
        .growth = random_share(state) < 0.5 ? FM_GROWTH_LOG2 : FM_GROWTH_RANKS,
    };
    return model;
}

/* Measured times are longer than they should be, never shorter; some are many times longer. */
static size_t measure(const struct fm_model *model, double noise, double disturbed, uint64_t *state,
                      struct fm_calibration_point *points)
{
    size_t n = 0;
    for (int c = 0; c < COUNTS; c++)
        for (int s = 0; s < SIZES; s++) {
            double factor = 1 + noise * random_share(state);
            factor *= random_share(state) < disturbed ? 2 + 8 * random_share(state) : 1;
            points[n++] = (struct fm_calibration_point){
                .ranks = counts[c],
                .bytes = sizes[s],
                .min_s = factor * time_of(model, counts[c], (double)sizes[s]),
            };
        }
    return n;
}

/* The largest deviation, as a factor, within what was measured and for four times as many ranks. */
static double worst(const struct fm_model *a, const struct fm_model *b)
{
    double most = 1;
    for (int ranks = 2; ranks <= 128; ranks *= 2)
        for (int s = 0; s < SIZES; s++) {
            double x = time_of(a, ranks, (double)sizes[s]), y = time_of(b, ranks, (double)sizes[s]);
            most = fmax(most, fmax(x / y, y / x));
        }
    return most;
}

static void planted_models_are_recovered(void)
{
    static const struct {
        const char *what;
        double noise, disturbed, factor;
    } cases[] = {
        {"exact measurements", 0, 0, 1.001}, {"noise of 5 %", 0.05, 0, 1.25}, {"and disturbed ones", 0.05, 0.05, 1.6}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint64_t state = 19 + k;
        int good = 0;
        double most = 1;
        for (int i = 0; i < MODELS; i++) {
            struct fm_calibration_point points[POINTS];
            struct fm_model planted = random_model(&state), found = {0};
            size_t n = measure(&planted, cases[k].noise, cases[k].disturbed, &state, points);
            bool fitted = fm_fit(points, n, &found) && found.a_s >= 0 && found.b_s >= 0 && found.c_s >= 0 &&
                          found.d_s >= 0;
            double off = fitted ? worst(&planted, &found) : INFINITY;
            good += off <= cases[k].factor;
            most = fmax(most, off);
        }
        printf("# %s: %d of %d within a factor of %g, the worst %g\n", cases[k].what, good, MODELS, cases[k].factor,
               most);
        tap_ok(good == MODELS, "%s: every time is recovered within a factor of %g", cases[k].what, cases[k].factor);
    }
}

static void coefficients_are_recovered(void)
{
    const struct fm_model planted = {2e-6, 1e-6, 1e-10, 5e-11, FM_GROWTH_RANKS, 0};
    struct fm_calibration_point points[POINTS];
    struct fm_model found;
    uint64_t state = 1;
    size_t n = measure(&planted, 0.01, 0, &state, points);
    tap_ok(fm_fit(points, n, &found) && fabs(found.a_s / planted.a_s - 1) < 0.05 &&
               fabs(found.b_s / planted.b_s - 1) < 0.05 && fabs(found.c_s / planted.c_s - 1) < 0.1 &&
               fabs(found.d_s / planted.d_s - 1) < 0.05 && found.growth == FM_GROWTH_RANKS && found.residual < 0.02,
           "each coefficient, with how the time per byte grows");
}

static void what_is_not_measured_is_zero(void)
{
    const struct fm_calibration_point two[] = {{2, 8, 1e-6, 1e-6, 1}, {2, 1 << 20, 101e-6, 0, 1}},
                                      barrier[] = {{2, 0, 1e-6, 0, 1}, {4, 0, 2e-6, 0, 1}, {8, 0, 3e-6, 0, 1}},
                                      one[] = {{4, 8, 3e-6, 0, 1}},
                                      bad[] = {{2, 8, 0, 0, 1}, {1, 8, 1e-6, 0, 1}, {2, 8, NAN, 0, 1}};
    struct fm_model model;
    tap_ok(fm_fit(two, 2, &model) && model.b_s == 0 && model.d_s == 0 && fabs(model.a_s - 1e-6) < 1e-8 &&
               fabs(1 / model.c_s / 1.0486e10 - 1) < 0.01,
           "one number of ranks: nothing depends on it");
    tap_ok(fm_fit(barrier, 3, &model) && model.c_s == 0 && model.d_s == 0 && fabs(model.b_s - 1e-6) < 1e-9 &&
               model.a_s < 1e-9,
           "without data: no time per byte");
    tap_ok(fm_fit(one, 1, &model) && fabs(model.a_s - 3e-6) < 1e-12 && model.residual < 1e-9, "a single measurement");
    tap_ok(!fm_fit(bad, 3, &model) && !fm_fit(NULL, 0, &model), "none that makes sense");
}

int main(void)
{
    planted_models_are_recovered();
    coefficients_are_recovered();
    what_is_not_measured_is_zero();
    return tap_done();
}
