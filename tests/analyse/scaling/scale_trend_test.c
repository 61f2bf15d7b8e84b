/* Trends of known forms, what they mean for more processes, and where to run. */
#include "analyse/scaling/scale_advice.h"
#include "analyse/scaling/scale_trend.h"

#include <math.h>
#include <string.h>

#include "analyse/calls/made_tree.h"
#include "tap.h"

static const uint32_t processes[] = {4, 8, 16, 32, 64, 128};

struct compared {
    struct fm_arena arena;
    struct fm_calltree trees[MADE_RUNS];
    struct fm_scale_run runs[MADE_RUNS];
    struct fm_scale scale;
};

/* One function with these times in ms. */
static bool compare(struct compared *c, enum fm_scale_mode mode, const double *ms, size_t n)
{
    struct made_row row = {1, FRAME, "main", 0, {0}, NULL, NULL};
    *c = (struct compared){0};
    for (size_t i = 0; i < n; i++) {
        row.own_ms[i] = (uint64_t)llround(ms[i]);
        made_tree(&row, 1, i, &c->arena, &c->trees[i]);
        c->runs[i] = (struct fm_scale_run){&c->trees[i], processes[i], 0, NULL, NULL, false, 0};
    }
    return !fm_scale_join(mode, c->runs, n, &c->arena, &c->scale, NULL);
}

static double shape(enum fm_trend_form form, double p)
{
    const double shapes[] = {0, 1 / p, log2(p), p, p * log2(p), p * p};
    return shapes[form];
}

static void test_forms(void)
{
    for (int form = 0; form < FM_TREND_FORMS; form++) {
        double ms[MADE_RUNS];
        struct compared c;
        struct fm_trend trend = {.form = FM_TREND_FORMS};
        for (size_t i = 0; i < MADE_RUNS; i++)
            ms[i] = 50000 + 10000 * shape((enum fm_trend_form)form, processes[i]);
        bool fitted = compare(&c, FM_SCALE_STRONG, ms, MADE_RUNS) && fm_trend_fit(&c.scale, 1, false, &trend);
        tap_ok(fitted && trend.form == (enum fm_trend_form)form && fabs(trend.base_ns / 5e10 - 1) < 1e-3 &&
                   (form == 0 || fabs(trend.slope_ns / 1e10 - 1) < 1e-3) && trend.residual < 1e-3,
               "%s is seen for what it is", fm_trend_text((enum fm_trend_form)form));
        struct fm_projection projected;
        double expected = ms[0] / (50000 + 10000 * shape((enum fm_trend_form)form, 1024));
        tap_ok(fm_scale_project(&c.scale, 1024, &projected) && fabs(projected.efficiency / expected - 1) < 1e-3 &&
                   projected.low <= projected.efficiency && projected.efficiency <= projected.high &&
                   projected.low > 0.95 * expected,
               "  and goes on like that: %.3f to %.3f at 1024", projected.low, projected.high);
        fm_arena_destroy(&c.arena);
        for (size_t i = 0; i < MADE_RUNS; i++) /* in a weak series C itself is looked at */
            ms[i] *= processes[i];
        fitted = compare(&c, FM_SCALE_WEAK, ms, MADE_RUNS) && fm_trend_fit(&c.scale, 1, false, &trend);
        tap_ok(fitted && trend.form == (enum fm_trend_form)form, "  in a weak series too");
        fm_arena_destroy(&c.arena);
    }
}

static void test_limits(void)
{
    static const double falling[] = {10000, 9000, 8000, 7000, 6000, 5000};
    static const double below_0[] = {600, 5400, 24600, 101400, 408600, 1637400}; /* 100 p^2 - 1000 */
    struct compared c;
    struct fm_trend trend;
    struct fm_projection projected;
    tap_ok(compare(&c, FM_SCALE_STRONG, falling, 6) && fm_trend_fit(&c.scale, 0, false, &trend) &&
               trend.form == FM_TREND_FALLING && trend.slope_ns > 0 && fm_trend_at(&trend, 1e9) > 0,
           "what falls does not fall below 0");
    tap_ok(fm_scale_project(&c.scale, 1024, &projected) && projected.efficiency > 1 &&
               projected.high == projected.efficiency && projected.low < projected.high,
           "and no more is promised than was seen");
    fm_arena_destroy(&c.arena);
    tap_ok(compare(&c, FM_SCALE_STRONG, below_0, 6) && fm_trend_fit(&c.scale, 0, false, &trend) &&
               trend.form == FM_TREND_SQUARE && trend.base_ns == 0 && fabs(trend.slope_ns / 1e8 - 1) < 0.01,
           "no work is less than none");
    fm_arena_destroy(&c.arena);
}

static void test_noise(void)
{
    static const double flat[] = {10000, 10100, 9950, 10080, 9900, 10050};
    static const double rising[] = {10000, 11100, 11900, 13050, 14080, 14900};
    struct compared c;
    struct fm_trend trend;
    struct fm_projection near_by, far;
    tap_ok(compare(&c, FM_SCALE_STRONG, flat, 6) && fm_trend_fit(&c.scale, 0, false, &trend) &&
               trend.form == FM_TREND_CONSTANT && fm_trend_at(&trend, 1e6) == trend.base_ns,
           "scatter is no trend");
    fm_arena_destroy(&c.arena);
    tap_ok(compare(&c, FM_SCALE_STRONG, rising, 6) && fm_trend_fit(&c.scale, 0, false, &trend) &&
               trend.form == FM_TREND_LOG,
           "log p is seen through some");
    tap_ok(fm_scale_project(&c.scale, 256, &near_by) && fm_scale_project(&c.scale, 4096, &far) &&
               far.efficiency < near_by.efficiency && near_by.low < near_by.efficiency &&
               near_by.high > near_by.efficiency && far.high / far.low > near_by.high / near_by.low,
           "the further away, the wider the band: %.3f to %.3f, %.3f to %.3f", near_by.low, near_by.high, far.low,
           far.high);
    fm_arena_destroy(&c.arena);
    tap_ok(compare(&c, FM_SCALE_STRONG, rising, 3) && fm_scale_project(&c.scale, 256, &far) &&
               far.high - far.low > near_by.high - near_by.low,
           "and with three runs wider still: %.3f to %.3f", far.low, far.high);
    fm_arena_destroy(&c.arena);
    tap_ok(compare(&c, FM_SCALE_STRONG, rising, 2) && !fm_trend_fit(&c.scale, 0, false, &trend) &&
               !fm_scale_project(&c.scale, 256, &far),
           "two runs are no trend");
    for (size_t i = 0; i < 2; i++)
        c.runs[2 + i] = c.runs[i];
    tap_ok(!fm_scale_join(FM_SCALE_STRONG, c.runs, 4, &c.arena, &c.scale, NULL) &&
               !fm_trend_fit(&c.scale, 0, false, &trend),
           "nor are these twice");
    fm_arena_destroy(&c.arena);
}

static void test_own(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {1000, 1000, 1000, 1000}, NULL, NULL},
        {2, ROUTINE, "MPI_Barrier", 10, {400, 800, 1600, 3200}, NULL, NULL},
    };
    struct compared c = {0};
    struct fm_trend own, all, barrier;
    for (size_t i = 0; i < 4; i++) {
        made_tree(ROWS(rows), i, &c.arena, &c.trees[i]);
        c.runs[i] = (struct fm_scale_run){&c.trees[i], processes[i], 0, NULL, NULL, false, 0};
    }
    fm_scale_join(FM_SCALE_STRONG, c.runs, 4, &c.arena, &c.scale, NULL);
    uint32_t routine = 2;
    while (c.scale.nodes[routine].context->id.kind != ROUTINE)
        routine++;
    tap_ok(fm_trend_fit(&c.scale, 1, true, &own) && own.form == FM_TREND_CONSTANT &&
               fm_trend_fit(&c.scale, 1, false, &all) && all.form == FM_TREND_LINEAR && fabs(all.base_ns - 1e9) < 1 &&
               fm_trend_fit(&c.scale, routine, true, &barrier) && barrier.form == FM_TREND_LINEAR &&
               fabs(barrier.slope_ns - 1e8) < 1,
           "each context has its own trend");
    fm_arena_destroy(&c.arena);
}

static void test_where(void)
{
    static const struct made_row rows[] = {
        {1, FRAME, "main", 0, {9500, 9600, 9700, 9800, 9900}, NULL, NULL},
        {2, FRAME, "norm", 10, {0, 0, 0, 0, 0}, NULL, NULL},
        {3, FRAME, "mpi_allreduce_", 10, {0, 0, 0, 0, 0}, "/lib/libmpi_mpifh.so.40", NULL},
        {4, ROUTINE, "MPI_Allreduce", 10, {250, 300, 350, 2500, 2750}, NULL, NULL},
        {2, FRAME, "dot", 20, {0, 0, 0, 0, 0}, NULL, NULL},
        {3, FRAME, "mpi_allreduce_", 10, {0, 0, 0, 0, 0}, "/lib/libmpi_mpifh.so.40", NULL},
        {4, ROUTINE, "MPI_Allreduce", 10, {250, 300, 350, 2500, 2750}, NULL, NULL},
    };
    static const struct made_row steady[] = {
        {1, FRAME, "main", 0, {9500, 8500, 7500, 6500, 5500}, NULL, NULL},
        {2, ROUTINE, "MPI_Allreduce", 10, {500, 1500, 2500, 3500, 4500}, NULL, NULL},
    };
    static const double dip[] = {7000, 10000, 8000};
    struct compared c = {0};
    struct fm_scale_advice advice;
    for (size_t i = 0; i < 5; i++) {
        made_tree(ROWS(rows), i, &c.arena, &c.trees[i]);
        c.runs[i] = (struct fm_scale_run){&c.trees[i], processes[i], 0, NULL, NULL, false, 0};
    }
    fm_scale_join(FM_SCALE_STRONG, c.runs, 5, &c.arena, &c.scale, NULL);
    fm_scale_advise(&c.scale, FM_EFFICIENCY_LEAST, &advice);
    const struct fm_scale_point *point = &advice.points[3];
    tap_ok(advice.n == 5 && point->processes == 32 && point->total_ns == 14.8e9 / 32 &&
               fabs(point->efficiency - 10 / 14.8) < 1e-12 && fabs(point->speedup - 8 * 10 / 14.8) < 1e-12 &&
               fabs(point->waiting - 5 / 14.8) < 1e-12,
           "efficiency, speed-up and waiting on 32 processes");
    tap_ok(advice.best == 2 && advice.jump == 2, "16 are the most at 80 %%, and after them waiting jumps up");
    fm_scale_advise(&c.scale, 0.6, &advice);
    tap_ok(advice.best == 4, "with less to ask for there can be more");
    fm_scale_join(FM_SCALE_WEAK, c.runs, 3, &c.arena, &c.scale, NULL);
    fm_scale_advise(&c.scale, FM_EFFICIENCY_LEAST, &advice);
    tap_ok(fabs(advice.points[1].efficiency - (10.0 / 4) / (10.2 / 8)) < 1e-12 &&
               fabs(advice.points[1].speedup - 2 * advice.points[1].efficiency) < 1e-12 && advice.jump == 3,
           "a problem that grows, and no jump");
    fm_arena_destroy(&c.arena);
    c = (struct compared){0};
    for (size_t i = 0; i < 5; i++) {
        made_tree(ROWS(steady), i, &c.arena, &c.trees[i]);
        c.runs[i] = (struct fm_scale_run){&c.trees[i], processes[i], 0, NULL, NULL, false, 0};
    }
    fm_scale_join(FM_SCALE_STRONG, c.runs, 5, &c.arena, &c.scale, NULL);
    fm_scale_advise(&c.scale, FM_EFFICIENCY_LEAST, &advice);
    tap_ok(advice.jump == 5 && advice.best == 4, "waiting that grows steadily does not jump");
    fm_arena_destroy(&c.arena);
    compare(&c, FM_SCALE_STRONG, dip, 3);
    fm_scale_advise(&c.scale, FM_EFFICIENCY_LEAST, &advice);
    tap_ok(advice.best == 0 && advice.points[2].efficiency > 0.8, "efficiency must stay, not come back");
    fm_arena_destroy(&c.arena);
}

int main(void)
{
    test_forms();
    test_limits();
    test_noise();
    test_own();
    test_where();
    return tap_done();
}
