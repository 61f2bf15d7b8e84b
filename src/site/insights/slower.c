/* SPDX-License-Identifier: BSD-3-Clause */
#include "site/insights/slower.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/history/change.h"
#include "site/insights/limits.h"
#include "site/insights/references.h"
#include "site/insights/series.h"
#include "site/insights/statistics.h"

enum { DAY_S = 86400, ROUNDS = 3, MOST_CHANGES = 16, LEAST_RUNS = 12 };
/* Of a day on both sides; further away from their median than so many deviations nothing is believed. */
enum { AROUND = 3, FARTHEST = 3 };
/* Days by which a change is moved. */
enum { NEAR_DAYS = 2 };
static const double LEAST_SCALE = 0.002; /* runs never agree better */

struct slower_search {
    struct fm_series_set set;
    size_t *day_begins; /* first run of each day that has runs; n_days + 1 */
    double *day_values; /* median time relative to what is usual */
    double *clipped;    /* without days that have nothing in common with those around them */
    size_t n_days;
    struct fm_change changes[MOST_CHANGES];
    size_t n_changes;
    double *part_levels; /* logarithm, by day */
    double *numbers;     /* 3 * runs, for statistics */
    struct fm_weighted *weighted;
};

/* ---- usual times ---- */

/* The level of each series, with what is known of changes taken out, and how much it varies around it. */
static void find_levels(struct slower_search *search, const size_t *day_of)
{
    struct fm_series_set *set = &search->set;
    double *values = search->numbers, squares = 0, all = 0;
    for (size_t s = 0; s < set->n; s++) {
        struct fm_series *series = &set->series[s];
        for (int spread = 0; spread < 2; spread++) {
            for (size_t i = 0; i < series->n; i++) {
                size_t run = set->order[series->first + i];
                values[i] = set->y[run] - search->part_levels[day_of[run]];
            }
            if (spread)
                series->scale = fm_median_deviation(values, series->n);
            else
                series->level = fm_median(values, series->n);
        }
        squares += (double)series->n * series->scale * series->scale;
        all += (double)series->n;
    }
    /* a few runs may agree by chance */
    for (size_t s = 0; s < set->n; s++) {
        struct fm_series *series = &set->series[s];
        double n = (double)series->n;
        series->scale = sqrt((n * series->scale * series->scale + 4 * squares / all) / (n + 4));
        series->scale = fmax(series->scale, LEAST_SCALE);
    }
}

static double weight_of(const struct fm_series *series)
{
    return 1 / (series->scale * series->scale);
}

static double weighted_median(struct fm_weighted *values, size_t n)
{
    double weight = 0, upto = 0;
    fm_weighted_sort(values, n);
    for (size_t i = 0; i < n; i++)
        weight += values[i].weight;
    for (size_t i = 0; i < n; i++) {
        upto += values[i].weight;
        if (upto == weight / 2 && i + 1 < n)
            return (values[i].value + values[i + 1].value) / 2;
        if (upto >= weight / 2)
            return values[i].value;
    }
    return 0;
}

static void find_days(struct slower_search *search)
{
    const struct fm_series_set *set = &search->set;
    for (size_t day = 0; day < search->n_days; day++) {
        size_t n = 0;
        for (size_t run = search->day_begins[day]; run < search->day_begins[day + 1]; run++)
            if (set->of[run] != FM_NO_SERIES) {
                const struct fm_series *series = &set->series[set->of[run]];
                search->weighted[n++] = (struct fm_weighted){set->y[run] - series->level, weight_of(series)};
            }
        search->day_values[day] = exp(weighted_median(search->weighted, n));
    }
}

/* On a day with one run, that one may have waited for a file system: changes are looked for in means, which such a day would
 * move. A median of neighbours keeps steps where they are. */
static void clip_days(struct slower_search *search)
{
    double *values = search->numbers;
    size_t n = search->n_days;
    for (size_t i = 1; i < n; i++)
        values[i - 1] = fabs(search->day_values[i] - search->day_values[i - 1]);
    const double median_of_normal = 0.9539; /* of |a - b|, for a deviation of 1 */
    double most = n > 1 ? FARTHEST * fmax(fm_median(values, n - 1) / median_of_normal, LEAST_SCALE) : INFINITY;
    for (size_t i = 0; i < n; i++) {
        size_t from = i < AROUND ? 0 : i - AROUND, to = i + AROUND + 1 < n ? i + AROUND + 1 : n;
        memcpy(values, search->day_values + from, (to - from) * sizeof *values);
        double median = fm_median(values, to - from);
        search->clipped[i] = fmin(fmax(search->day_values[i], median - most), median + most);
    }
}

/* Days without runs of a series are left out: they go to the day before. */
static void divide_days(struct slower_search *search, size_t *day_of)
{
    const struct fm_series_set *set = &search->set;
    int64_t last = INT64_MIN;
    for (size_t run = 0; run < set->n_runs; run++) {
        int64_t day = set->runs[run].ended / DAY_S;
        if (set->of[run] != FM_NO_SERIES && day != last) {
            search->day_begins[search->n_days] = search->n_days ? run : 0;
            search->n_days++;
            last = day;
        }
        day_of[run] = search->n_days ? search->n_days - 1 : 0;
    }
    search->day_begins[search->n_days] = set->n_runs;
}

static void find_part_levels(struct slower_search *search)
{
    size_t part = 0;
    for (size_t day = 0; day < search->n_days; day++) {
        while (part < search->n_changes && search->changes[part].at <= day)
            part++;
        double level = part ? search->changes[part - 1].after : search->n_changes ? search->changes[0].before : 1;
        search->part_levels[day] = log(level);
    }
}

/* Levels and changes depend on each other: a series with more runs after a change has another median. */
static void find_changes(struct slower_search *search, const size_t *day_of)
{
    for (int round = 0; round < ROUNDS; round++) {
        find_levels(search, day_of);
        find_days(search);
        clip_days(search);
        search->n_changes = fm_changes_find(search->clipped, search->n_days, FM_SLOWER_LEAST / 2, search->changes,
                                            MOST_CHANGES);
        if (!search->n_changes)
            break;
        find_part_levels(search);
    }
}

/* ---- one change ---- */

struct change_range {
    size_t from, at, to; /* runs */
};

/* The values of a series before and after; returns how many there are before, *n is the number of all. */
static size_t values_around(const struct slower_search *search, const struct fm_series *series,
                            const struct change_range *range, double (*value)(const struct fm_run *), double *values,
                            size_t *n)
{
    size_t before = 0;
    *n = 0;
    for (size_t i = 0; i < series->n; i++) {
        size_t run = search->set.order[series->first + i];
        if (run < range->from || run >= range->to)
            continue;
        values[(*n)++] = value(&search->set.runs[run]);
        before += run < range->at;
    }
    return before;
}

static double log_cpu_of(const struct fm_run *run)
{
    return log(run->cpu_s);
}
static double cpu_of(const struct fm_run *run)
{
    return run->cpu_s;
}
static double wall_of(const struct fm_run *run)
{
    return run->wall_s;
}
static double program_of(const struct fm_run *run)
{
    return isnan(run->program_s) ? 0 : run->program_s;
}
static double mpi_of(const struct fm_run *run)
{
    return isnan(run->mpi_s) ? 0 : run->mpi_s;
}
static double io_of(const struct fm_run *run)
{
    return isnan(run->io_s) ? 0 : run->io_s;
}

/* The mean over series of how much medians grow, relative to the time before; the more certain ones count for more. */
static double growth_of(const struct slower_search *search, const struct change_range *range,
                        double (*value)(const struct fm_run *))
{
    double sum = 0, weights = 0;
    double *values = search->numbers;
    for (size_t s = 0; s < search->set.n; s++) {
        const struct fm_series *series = &search->set.series[s];
        size_t n, before = values_around(search, series, range, cpu_of, values, &n);
        if (!before || before == n)
            continue;
        double usual = fm_median(values, before);
        values_around(search, series, range, value, values, &n);
        double difference = fm_median(values + before, n - before) - fm_median(values, before);
        double weight = (double)before * (double)(n - before) / (double)n * weight_of(series);
        sum += weight * difference / usual;
        weights += weight;
    }
    return weights > 0 ? sum / weights : 0;
}

static double chance_of_ranks(const struct slower_search *search, const struct change_range *range)
{
    struct fm_rank_test test = {0};
    double *values = search->numbers, *scratch = values + search->set.n_runs;
    for (size_t s = 0; s < search->set.n; s++) {
        size_t n, before = values_around(search, &search->set.series[s], range, log_cpu_of, values, &n);
        fm_rank_test_add(&test, values, before, n, scratch);
    }
    return fm_rank_test_chance(&test);
}

/* How badly the runs from `from` to `to` fit a change at `at`. What is far from both levels says nothing. */
static double misfit(const struct slower_search *search, const struct fm_change *change, size_t from, size_t at,
                     size_t to)
{
    const struct fm_series_set *set = &search->set;
    double before = log(change->before), after = log(change->after), most = fabs(after - before), sum = 0;
    for (size_t run = from; run < to; run++) {
        if (set->of[run] == FM_NO_SERIES)
            continue;
        const struct fm_series *series = &set->series[set->of[run]];
        double off = fabs(set->y[run] - series->level - (run < at ? before : after));
        sum += fmin(off, most) / series->scale;
    }
    return sum;
}

/* Medians of days may be a day off, or two; the runs tell better. */
static size_t find_day(const struct slower_search *search, const struct fm_change *change, size_t first_day,
                       size_t last_day)
{
    size_t from = change->at > first_day + NEAR_DAYS ? change->at - NEAR_DAYS : first_day + 1;
    size_t to = change->at + NEAR_DAYS + 1 < last_day ? change->at + NEAR_DAYS + 1 : last_day;
    size_t first = search->day_begins[from], last = search->day_begins[to], best_day = change->at;
    double best = misfit(search, change, first, search->day_begins[best_day], last);
    for (size_t day = from; day < to; day++) {
        double off = misfit(search, change, first, search->day_begins[day], last);
        if (off < best) {
            best = off;
            best_day = day;
        }
    }
    return search->day_begins[best_day];
}

/* The first pick is next to the change. */
static void pick(const struct slower_search *search, const struct change_range *range, struct fm_slower *found)
{
    const struct fm_series_set *set = &search->set;
    double *values = search->numbers, *levels = values + 2 * set->n_runs;
    for (size_t s = 0; s < set->n; s++) {
        size_t n, before = values_around(search, &set->series[s], range, cpu_of, values, &n);
        levels[s] = before && before < n ? fm_median(values, before) : NAN;
    }
    for (size_t i = range->at; i-- > range->from && found->n_picked_before < FM_SLOWER_PICKS;)
        if (set->of[i] != FM_NO_SERIES && !isnan(levels[set->of[i]]))
            found->before[found->n_picked_before++] = (struct fm_pick){set->runs[i].id, set->runs[i].ended,
                                                                       levels[set->of[i]], set->of[i]};
    for (size_t i = range->at; i < range->to && found->n_picked_after < FM_SLOWER_PICKS; i++)
        if (set->of[i] != FM_NO_SERIES && !isnan(levels[set->of[i]]))
            found->after[found->n_picked_after++] = (struct fm_pick){set->runs[i].id, set->runs[i].ended,
                                                                     levels[set->of[i]], set->of[i]};
}

/* Numbers of runs, and the times of the series that tells most. */
static void describe_series(const struct slower_search *search, const struct change_range *range,
                            struct fm_slower *found)
{
    double *values = search->numbers;
    double most = 0;
    for (size_t s = 0; s < search->set.n; s++) {
        const struct fm_series *series = &search->set.series[s];
        size_t n, before = values_around(search, series, range, wall_of, values, &n);
        if (!before || before == n)
            continue;
        found->n_before += before;
        found->n_after += n - before;
        double tells = (double)before * (double)(n - before) / (double)n * weight_of(series);
        if (tells <= most)
            continue;
        most = tells;
        found->ranks = search->set.runs[search->set.order[series->first]].ranks;
        found->before_s = fm_median(values, before);
        found->after_s = fm_median(values + before, n - before);
    }
}

static void copy_days(const struct slower_search *search, double before, struct fm_slower *found)
{
    size_t first = search->n_days > FM_SLOWER_DAYS ? search->n_days - FM_SLOWER_DAYS : 0;
    for (size_t i = first; i < search->n_days; i++) {
        size_t run = search->day_begins[i];
        while (search->set.of[run] == FM_NO_SERIES)
            run++;
        found->days[found->n_days].day = search->set.runs[run].ended / DAY_S;
        found->days[found->n_days++].factor = search->day_values[i] / before;
    }
}

static void describe(const struct slower_search *search, const struct change_range *range, struct fm_slower *found)
{
    const struct fm_series_set *set = &search->set;
    double growth = found->factor - 1;
    found->program = growth_of(search, range, program_of) / growth;
    found->mpi = growth_of(search, range, mpi_of) / growth;
    found->io = growth_of(search, range, io_of) / growth;
    for (size_t i = range->at; i < set->n_runs; i++)
        if (set->of[i] != FM_NO_SERIES)
            found->cost_s += set->runs[i].weight * set->runs[i].cpu_s * (1 - 1 / found->factor);
    size_t first = range->at;
    while (first + 1 < range->to && set->of[first] == FM_NO_SERIES)
        first++;
    found->ended = set->runs[first].ended;
    describe_series(search, range, found);
    pick(search, range, found);
}

/* A change that makes the program slower, and that was not undone. */
static bool lasts(const struct slower_search *search, size_t i)
{
    const struct fm_change *change = &search->changes[i];
    double last = search->changes[search->n_changes - 1].after;
    return change->after >= change->before * (1 + FM_SLOWER_LEAST) && last >= change->before * (1 + FM_SLOWER_LEAST);
}

static bool look_at(const struct slower_search *search, size_t i, struct fm_slower *found)
{
    const struct fm_change *change = &search->changes[i];
    size_t first_day = i ? search->changes[i - 1].at : 0;
    size_t last_day = i + 1 < search->n_changes ? search->changes[i + 1].at : search->n_days;
    const struct change_range range = {
        .from = search->day_begins[first_day],
        .at = find_day(search, change, first_day, last_day),
        .to = search->day_begins[last_day],
    };
    *found = (struct fm_slower){.factor = 1 + growth_of(search, &range, cpu_of)};
    if (found->factor < 1 + FM_SLOWER_LEAST)
        return false;
    double of_ranks = chance_of_ranks(search, &range) * (double)search->n_days;
    found->chance = fmin(1, fmax(of_ranks, 1 - change->certainty));
    describe(search, &range, found);
    copy_days(search, change->before, found);
    return true;
}

static bool prepare(struct slower_search *search, size_t n, size_t **day_of, struct fm_arena *arena)
{
    search->day_begins = fm_arena_alloc(arena, (n + 1) * sizeof *search->day_begins);
    search->day_values = fm_arena_alloc(arena, n * sizeof *search->day_values);
    search->clipped = fm_arena_alloc(arena, n * sizeof *search->clipped);
    search->part_levels = fm_arena_alloc(arena, (n + 1) * sizeof *search->part_levels);
    search->numbers = fm_arena_alloc(arena, 3 * n * sizeof *search->numbers);
    search->weighted = fm_arena_alloc(arena, n * sizeof *search->weighted);
    *day_of = fm_arena_alloc(arena, n * sizeof **day_of);
    return search->day_begins && search->day_values && search->clipped && search->part_levels && search->numbers &&
           search->weighted && *day_of;
}

enum fm_status fm_slower_find(const struct fm_run *runs, size_t n, bool *tested, bool *is_slower,
                              struct fm_slower *found, struct fm_error *error)
{
    *tested = *is_slower = false;
    if (n < LEAST_RUNS)
        return FM_OK;
    struct fm_arena arena = {0};
    struct slower_search search = {0};
    size_t *day_of;
    bool good = fm_series_make(&search.set, runs, n, &arena) && prepare(&search, n, &day_of, &arena);
    if (good && search.set.used >= LEAST_RUNS) {
        *tested = true;
        divide_days(&search, day_of);
        find_changes(&search, day_of);
        for (size_t i = 0; i < search.n_changes; i++) {
            struct fm_slower one;
            if (lasts(&search, i) && look_at(&search, i, &one) &&
                (!*is_slower || one.chance < found->chance ||
                 (one.chance == found->chance && one.factor > found->factor))) {
                *found = one;
                *is_slower = true;
            }
        }
    }
    fm_arena_destroy(&arena);
    return good ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the runs of a program");
}
