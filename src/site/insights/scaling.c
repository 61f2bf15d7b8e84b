/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/insights/scaling.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "site/insights/limits.h"
#include "site/insights/statistics.h"

const char *const fm_scaling_modes[] = {"strong", "weak", "unknown"};

/* A run that is looked at. */
struct scaling_item {
    const struct fm_run *run;
    double work; /* logarithm; what it is sorted into clusters by */
    double unit; /* what its times are divided by */
};

struct scaling_search {
    struct scaling_item *items;
    size_t n;
    double *numbers; /* 6 * n */
};

static int by_work(const void *a, const void *b)
{
    const struct scaling_item *x = a, *y = b;
    if (x->work != y->work)
        return x->work < y->work ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

static int by_ranks(const void *a, const void *b)
{
    const struct scaling_item *x = a, *y = b;
    if (x->run->ranks != y->run->ranks)
        return x->run->ranks < y->run->ranks ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

/* ---- points ---- */

/* What is the same for all runs of a problem. */
static double problem_of(const struct fm_run *run, enum fm_scaling_mode mode)
{
    return mode == FM_SCALING_STRONG ? 1 : mode == FM_SCALING_WEAK ? (double)run->ranks : run->program_s;
}

static double known(double value)
{
    return isnan(value) ? 0 : value;
}

static struct fm_scaling_point make_point(const struct scaling_item *items, size_t n, double unit, double *values)
{
    struct fm_scaling_point point = {.ranks = items->run->ranks, .runs = n, .unit = unit};
    for (int k = 0; k < 5; k++) {
        for (size_t i = 0; i < n; i++) {
            const struct fm_run *run = items[i].run;
            const double all[] = {run->wall_s, run->cpu_s, run->program_s, known(run->mpi_s), known(run->io_s)};
            values[i] = all[k] / items[i].unit;
        }
        double *const members[] = {&point.wall_s, &point.cpu_s, &point.program_s, &point.mpi_s, &point.io_s};
        *members[k] = fm_median(values, n) * unit;
    }
    return point;
}

static double median_unit(const struct scaling_item *items, size_t n, enum fm_scaling_mode mode, double *values)
{
    for (size_t i = 0; i < n; i++)
        values[i] = items[i].unit / (mode == FM_SCALING_WEAK ? (double)items[i].run->ranks : 1);
    return fm_median(values, n);
}

/* Of items sorted by ranks. Numbers of ranks with few runs are left out. */
static void make_points(const struct scaling_item *items, size_t n, double *values, struct fm_scaling_limit *found)
{
    found->n = 0;
    double usual = median_unit(items, n, found->mode, values);
    for (size_t from = 0, to; from < n && found->n < FM_SCALING_POINTS; from = to) {
        for (to = from + 1; to < n && items[to].run->ranks == items[from].run->ranks;)
            to++;
        if (to - from < FM_SCALING_RUNS)
            continue;
        double unit = found->mode == FM_SCALING_STRONG ? usual
                      : found->mode == FM_SCALING_WEAK ? usual * (double)items[from].run->ranks
                                                       : median_unit(items + from, to - from, found->mode, values);
        found->points[found->n++] = make_point(items + from, to - from, unit, values);
    }
}

/* Whether the work of a problem rises with the number of ranks. */
static bool work_rises(const struct scaling_item *items, size_t n, enum fm_scaling_mode mode, double *numbers)
{
    double *x = numbers, *y = numbers + n;
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)items[i].run->ranks;
        y[i] = items[i].run->program_s / problem_of(items[i].run, mode);
    }
    return fm_rising_chance(x, y, n, numbers + 2 * n) < FM_SCALING_RISING;
}

static bool comparable(const struct fm_scaling_limit *found)
{
    return found->n >= FM_SCALING_COUNTS &&
           found->points[found->n - 1].ranks >= FM_SCALING_SPAN * found->points[0].ranks;
}

/* Slope of the logarithms of work and ranks. */
static double slope_of(const struct fm_scaling_limit *found)
{
    double x_mean = 0, y_mean = 0, xy = 0, xx = 0;
    for (size_t i = 0; i < found->n; i++) {
        x_mean += log((double)found->points[i].ranks) / (double)found->n;
        y_mean += log(found->points[i].program_s) / (double)found->n;
    }
    for (size_t i = 0; i < found->n; i++) {
        double x = log((double)found->points[i].ranks) - x_mean;
        xy += x * (log(found->points[i].program_s) - y_mean);
        xx += x * x;
    }
    return xy / xx;
}

/* Whether runs with the same number of ranks do about the same work. */
static bool alike(const struct scaling_item *items, size_t n, double *values)
{
    for (size_t from = 0, to; from < n; from = to) {
        size_t count = 0;
        for (to = from; to < n && items[to].run->ranks == items[from].run->ranks; to++)
            values[count++] = log(items[to].run->program_s);
        if (count >= FM_SCALING_RUNS && fm_median_deviation(values, count) > FM_SCALING_SPREAD)
            return false;
    }
    return true;
}

/* ---- the loss ---- */

static double cost_per_unit(const struct fm_scaling_point *point, double part_s)
{
    return part_s / point->unit;
}

static void find_efficiencies(struct fm_scaling_limit *found)
{
    const struct fm_scaling_point *first = &found->points[0];
    double usual = cost_per_unit(first, first->cpu_s), shortest = INFINITY;
    bool efficient = true;
    for (size_t i = 0; i < found->n; i++) {
        struct fm_scaling_point *point = &found->points[i];
        point->efficiency = usual / cost_per_unit(point, point->cpu_s);
        efficient = efficient && point->efficiency >= FM_SCALING_EFFICIENCY;
        if (efficient)
            found->efficient_ranks = point->ranks;
        if (found->mode == FM_SCALING_STRONG && point->wall_s < shortest) {
            shortest = point->wall_s;
            found->fastest_ranks = point->ranks;
        }
    }
    found->efficiency = found->points[found->n - 1].efficiency;
}

double fm_scaling_without(const struct fm_scaling_limit *limit, double lost_per_unit)
{
    const struct fm_scaling_point *first = &limit->points[0], *last = &limit->points[limit->n - 1];
    return cost_per_unit(first, first->cpu_s) / (cost_per_unit(last, last->cpu_s) - lost_per_unit);
}

/* Which part of the time it is that costs more. */
static void find_parts(struct fm_scaling_limit *found)
{
    const struct fm_scaling_point *first = &found->points[0], *last = &found->points[found->n - 1];
    double lost = cost_per_unit(last, last->cpu_s) - cost_per_unit(first, first->cpu_s);
    found->program = (cost_per_unit(last, last->program_s) - cost_per_unit(first, first->program_s)) / lost;
    found->mpi = (cost_per_unit(last, last->mpi_s) - cost_per_unit(first, first->mpi_s)) / lost;
    found->io = (cost_per_unit(last, last->io_s) - cost_per_unit(first, first->io_s)) / lost;
}

static void find_cost(const struct scaling_item *items, size_t n, double *numbers, struct fm_scaling_limit *found)
{
    const struct fm_scaling_point *first = &found->points[0];
    double usual = cost_per_unit(first, first->cpu_s), *x = numbers, *y = numbers + n;
    for (size_t i = 0; i < n; i++) {
        const struct fm_run *run = items[i].run;
        double unit = items[i].unit;
        found->cost_s += run->weight * fmax(0, run->cpu_s - usual * unit);
        x[i] = (double)run->ranks;
        y[i] = run->cpu_s / unit;
    }
    found->chance = fm_rising_chance(x, y, n, numbers + 2 * n);
}

static void pick(const struct scaling_item *items, size_t n, struct fm_scaling_limit *found)
{
    int64_t least = found->points[0].ranks, most = found->points[found->n - 1].ranks;
    for (size_t i = n; i-- > 0;) { /* the latest ones */
        const struct fm_run *run = items[i].run;
        const struct fm_pick one = {run->id, run->ended, items[i].unit, 0};
        if (run->ranks == least && found->n_small < FM_SCALING_PICKS)
            found->small[found->n_small++] = one;
        if (run->ranks == most && found->n_large < FM_SCALING_PICKS)
            found->large[found->n_large++] = one;
    }
}

/* ---- an estimate ---- */

/* Solves three equations; false if they are not independent. */
static bool solve(double m[3][4])
{
    for (int k = 0; k < 3; k++) {
        int pivot = k;
        for (int i = k + 1; i < 3; i++)
            pivot = fabs(m[i][k]) > fabs(m[pivot][k]) ? i : pivot;
        for (int j = 0; j < 4; j++) {
            double other = m[pivot][j];
            m[pivot][j] = m[k][j];
            m[k][j] = other;
        }
        if (fabs(m[k][k]) < 1e-12)
            return false;
        for (int i = 0; i < 3; i++) {
            double factor = m[i][k] / m[k][k];
            for (int j = k; i != k && j < 4; j++)
                m[i][j] -= factor * m[k][j];
        }
    }
    for (int k = 0; k < 3; k++)
        m[k][3] /= m[k][k];
    return true;
}

double fm_scaling_estimate(const struct fm_scaling_point *points, size_t n)
{
    const double most_off = 0.1;
    double m[3][4] = {{0}};
    if (n < 4)
        return NAN;
    for (size_t i = 0; i < n; i++) { /* relative deviations count */
        double p = (double)points[i].ranks / (double)points[0].ranks, t = points[i].wall_s;
        const double row[4] = {1 / t, 1 / p / t, log2(p) / t, 1};
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                m[j][k] += row[j] * row[k];
    }
    if (!solve(m))
        return NAN;
    double a = m[0][3], b = m[1][3], c = m[2][3];
    for (size_t i = 0; i < n; i++) {
        double p = (double)points[i].ranks / (double)points[0].ranks;
        if (!(fabs(a + b / p + c * log2(p) - points[i].wall_s) <= most_off * points[i].wall_s))
            return NAN;
    }
    double best = b * log(2) / c;
    bool within = b > 0 && c > 0 && best >= 1 && best * (double)points[0].ranks <= (double)points[n - 1].ranks;
    return within ? best * (double)points[0].ranks : NAN;
}

/* ---- inputs ---- */

/* Runs that may be of one problem. False if they cannot be compared. */
static bool look_at(struct scaling_item *items, size_t n, enum fm_scaling_mode mode, double *numbers,
                    struct fm_scaling_limit *found)
{
    qsort(items, n, sizeof *items, by_ranks);
    *found = (struct fm_scaling_limit){.mode = mode, .estimated_ranks = NAN};
    for (size_t i = 0; i < n; i++)
        items[i].unit = problem_of(items[i].run, mode);
    make_points(items, n, numbers, found);
    if (!comparable(found))
        return false;
    double slope = slope_of(found) - (mode == FM_SCALING_WEAK ? 1 : 0);
    if (mode != FM_SCALING_UNKNOWN && (fabs(slope) > FM_SCALING_SLOPE || !alike(items, n, numbers)))
        return false;
    if (mode != FM_SCALING_UNKNOWN && !work_rises(items, n, mode, numbers)) {
        for (size_t i = 0; i < n; i++)
            items[i].unit = items[i].run->program_s;
        make_points(items, n, numbers, found);
    }
    find_efficiencies(found);
    find_parts(found);
    find_cost(items, n, numbers, found);
    pick(items, n, found);
    if (mode == FM_SCALING_STRONG)
        found->estimated_ranks = fm_scaling_estimate(found->points, found->n);
    return true;
}

/* The problem on which most time was lost. */
static void look_at_inputs(struct scaling_search *search, enum fm_scaling_mode mode, bool *tested, bool *stops,
                           struct fm_scaling_limit *found)
{
    struct scaling_item *items = search->items;
    for (size_t i = 0; i < search->n; i++)
        items[i].work = mode == FM_SCALING_UNKNOWN ? 0 : log(items[i].run->program_s / problem_of(items[i].run, mode));
    qsort(items, search->n, sizeof *items, by_work);
    for (size_t from = 0, to; from < search->n; from = to) {
        struct fm_scaling_limit one;
        for (to = from + 1; to < search->n && items[to].work - items[to - 1].work <= log(FM_INPUT_GAP);)
            to++;
        if (!look_at(items + from, to - from, mode, search->numbers, &one))
            continue;
        *tested = true;
        if (one.efficiency < FM_SCALING_EFFICIENCY && (!*stops || one.cost_s > found->cost_s)) {
            *found = one;
            *stops = true;
        }
    }
}

enum fm_status fm_scaling_find(const struct fm_run *runs, size_t n, bool *tested, bool *stops,
                               struct fm_scaling_limit *found, struct fm_error *error)
{
    *tested = *stops = false;
    if (n < FM_SCALING_COUNTS * FM_SCALING_RUNS)
        return FM_OK;
    struct fm_arena arena = {0};
    struct scaling_search search = {
        .items = fm_arena_alloc(&arena, n * sizeof *search.items),
        .numbers = fm_arena_alloc(&arena, 6 * n * sizeof *search.numbers),
    };
    bool good = search.items && search.numbers;
    for (size_t i = 0; good && i < n; i++)
        if (runs[i].ranks > 0 && runs[i].program_s > 0)
            search.items[search.n++] = (struct scaling_item){.run = &runs[i]};
    for (int mode = FM_SCALING_STRONG; good && search.n && mode <= FM_SCALING_UNKNOWN && !*tested; mode++)
        look_at_inputs(&search, (enum fm_scaling_mode)mode, tested, stops, found);
    fm_arena_destroy(&arena);
    return good ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the runs of a program");
}
