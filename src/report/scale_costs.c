/* SPDX-License-Identifier: BSD-3-Clause */
/* Relative costs: computation and each MPI routine as a share of the run, one column per number of ranks. */
#include <string.h>

#include "base/saturate.h"
#include "base/sort.h"
#include "model/order.h"
#include "report/scaling.h"

static const double DEFAULT_SHARE = 0.005; /* of a run: routines with less in all runs are merged */
enum { MAX_RUNS = 10 };

/* ---- search ---- */

struct ranked {
    struct fm_scaling_cost cost;
    uint64_t last_ns; /* in the last run */
};

static int by_last(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int order = fm_compare_number(y->last_ns, x->last_ns);
    return order ? order : fm_compare_text(x->cost.name, y->cost.name);
}

static struct ranked *find(struct ranked *items, size_t n, const char *name)
{
    size_t i = 0;
    while (i < n && strcmp(items[i].cost.name, name) != 0)
        i++;
    return &items[i];
}

/* Wall time outside MPI. */
static void add_computation(struct fm_scaling *scaling, size_t run, uint64_t *time_ns)
{
    const struct fm_summary *summary = &scaling->runs[run].report.summary;
    if (summary->wall_sum_ns > summary->routines_ns)
        time_ns[run] = summary->wall_sum_ns - summary->routines_ns;
}

enum fm_status fm_scaling_costs(struct fm_scaling *scaling, struct fm_scaling_costs *costs, struct fm_error *error)
{
    struct fm_arena *arena = &scaling->arena;
    size_t max = 1, n = 0, last = scaling->n - 1;
    for (size_t i = 0; i < scaling->n; i++)
        max += scaling->runs[i].profile->n_routines;
    struct ranked *items = fm_arena_alloc(arena, (max + 1) * sizeof *items);
    *costs = (struct fm_scaling_costs){.items = fm_arena_alloc(arena, max * sizeof *costs->items)};
    bool failed = !items || !costs->items;
    for (size_t r = 0; r < scaling->n && !failed; r++) {
        const struct fm_profile *profile = scaling->runs[r].profile;
        for (size_t i = 0; i <= profile->n_routines && !failed; i++) {
            const char *name = i ? profile->routines[i - 1].name : "computation";
            struct ranked *item = find(items, n, name);
            if (item == &items[n]) {
                *item = (struct ranked){.cost = {name, fm_arena_alloc(arena, scaling->n * sizeof(uint64_t))}};
                failed = !item->cost.time_ns;
                n++;
            }
            if (failed)
                break;
            if (i)
                fm_add_saturating(&item->cost.time_ns[r], profile->routines[i - 1].stats.total_ns);
            else
                add_computation(scaling, r, item->cost.time_ns);
            item->last_ns = i ? item->cost.time_ns[last] : UINT64_MAX;
        }
    }
    if (failed || !fm_sort(items, n, sizeof *items, by_last, arena))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the costs of %zu runs", scaling->n);
    for (size_t i = 0; i < n; i++)
        costs->items[i] = items[i].cost;
    costs->n = n;
    return FM_OK;
}

static double share(const struct fm_scaling *scaling, const struct fm_scaling_cost *cost, size_t run)
{
    return fm_ratio((double)cost->time_ns[run], (double)scaling->runs[run].report.summary.wall_sum_ns);
}

/* ---- text ---- */

/* Selects runs that fit side by side: the first and the last ones. */
static size_t choose_runs(const struct fm_scaling *scaling, size_t *runs)
{
    size_t n = scaling->n < MAX_RUNS ? scaling->n : MAX_RUNS;
    for (size_t i = 0; i < n; i++)
        runs[i] = i ? scaling->n - n + i : 0;
    return n;
}

static bool is_shown(const struct fm_scaling *scaling, const struct fm_scaling_cost *cost)
{
    bool shown = scaling->options.all;
    for (size_t r = 0; r < scaling->n; r++)
        shown |= share(scaling, cost, r) >= DEFAULT_SHARE;
    return shown;
}

static void print_rest(struct fm_scaling *scaling, struct fm_table *table, const struct fm_scaling_costs *costs,
                       const size_t *runs, size_t n_runs)
{
    double rest[MAX_RUNS] = {0};
    size_t n = 0;
    for (size_t i = 0; i < costs->n; i++) {
        if (is_shown(scaling, &costs->items[i]))
            continue;
        n++;
        for (size_t r = 0; r < n_runs; r++)
            rest[r] += share(scaling, &costs->items[i], runs[r]);
    }
    if (!n)
        return;
    fm_cell_text(table, fm_format(&scaling->arena, "+ %zu more routine%s", n, n == 1 ? "" : "s"));
    for (size_t r = 0; r < n_runs; r++)
        fm_cell_number(table, rest[r]);
}

enum fm_status fm_scaling_costs_text(struct fm_scaling *scaling, FILE *out, struct fm_error *error)
{
    struct fm_scaling_costs costs;
    struct fm_column columns[1 + MAX_RUNS] = {{"% of the run", NULL, FM_COLUMN_TEXT}};
    size_t runs[MAX_RUNS], n = choose_runs(scaling, runs);
    struct fm_table table;
    enum fm_status status = fm_scaling_costs(scaling, &costs, error);
    if (status)
        return status;
    for (size_t r = 0; r < n; r++)
        columns[1 + r] = (struct fm_column){fm_scaling_run_text(scaling, runs[r]), NULL, FM_COLUMN_PERCENT};
    fm_table_start(&table, &scaling->arena, columns, 1 + n);
    for (size_t i = 0; i < costs.n; i++) {
        if (!is_shown(scaling, &costs.items[i]))
            continue;
        fm_cell_text(&table, costs.items[i].name);
        for (size_t r = 0; r < n; r++)
            fm_cell_number(&table, share(scaling, &costs.items[i], runs[r]));
    }
    print_rest(scaling, &table, &costs, runs, n);
    fm_cell_text(&table, "efficiency");
    for (size_t r = 0; r < n; r++)
        fm_cell_text(&table,
                     fm_format(&scaling->arena, "%.2f", fm_scale_efficiency(&scaling->scale, scaling->base, runs[r])));
    fm_table_print(&table, out);
    if (n < scaling->n)
        fprintf(out, "+ %zu runs between the first two (--format csv has them)\n", scaling->n - n);
    return FM_OK;
}

/* ---- CSV ---- */

enum fm_status fm_scaling_costs_csv(struct fm_scaling *scaling, FILE *out, struct fm_error *error)
{
    static const struct fm_column columns[] = {
        {NULL, "ranks", FM_COLUMN_RANK},         {NULL, "cost", FM_COLUMN_TEXT},
        {NULL, "time_s", FM_COLUMN_TIME},        {NULL, "fraction", FM_COLUMN_PERCENT},
        {NULL, "efficiency", FM_COLUMN_PERCENT},
    };
    struct fm_scaling_costs costs;
    struct fm_table table;
    enum fm_status status = fm_scaling_costs(scaling, &costs, error);
    if (status)
        return status;
    fm_table_start(&table, &scaling->arena, columns, sizeof columns / sizeof *columns);
    for (size_t r = 0; r < scaling->n; r++) {
        for (size_t i = 0; i < costs.n; i++) {
            fm_cell_whole(&table, fm_scaling_ranks(scaling, r));
            fm_cell_text(&table, costs.items[i].name);
            fm_cell_whole(&table, costs.items[i].time_ns[r]);
            fm_cell_number(&table, share(scaling, &costs.items[i], r));
            fm_cell_number(&table, fm_scale_efficiency(&scaling->scale, scaling->base, r));
        }
    }
    fm_table_csv(&table, out);
    return FM_OK;
}
