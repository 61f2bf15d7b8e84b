/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/module_comparison.h"

#include "base/sort.h"
#include "base/units.h"
#include "model/order.h"
#include "render/csv.h"
#include "report/advice.h"
#include "report/json_parts.h"

/* ---- construction ---- */

static int by_ranks(const void *a, const void *b)
{
    const struct fm_comparison_run *x = a, *y = b;
    return fm_compare_number(x->report->summary.ranks, y->report->summary.ranks);
}

static int by_cost(const void *a, const void *b)
{
    const struct fm_comparison_series *x = a, *y = b;
    uint64_t of_x = fm_module_total(&x->sum), of_y = fm_module_total(&y->sum);
    return of_x != of_y ? fm_compare_number(of_y, of_x) : fm_compare_text(x->name, y->name);
}

static struct fm_comparison_series *series_of(struct fm_module_comparison *runs, struct fm_intern *names,
                                              size_t *capacity, const struct fm_module_item *item)
{
    struct fm_intern_slot *slot = fm_intern_put(names, &runs->arena, item->name, false);
    if (!slot || slot->number)
        return slot ? &runs->series[slot->number - 1] : NULL;
    struct fm_comparison_series *grown = fm_arena_grow(&runs->arena, runs->series, capacity, runs->n_series + 1,
                                                       sizeof *grown);
    if (!grown)
        return NULL;
    runs->series = grown;
    struct fm_comparison_series *made = &runs->series[runs->n_series++];
    *made = (struct fm_comparison_series){.name = item->name, .group = item->group};
    made->own = fm_arena_alloc(&runs->arena, runs->n * sizeof *made->own);
    made->causes_ns = fm_arena_alloc(&runs->arena, runs->n * sizeof *made->causes_ns);
    slot->number = (uint32_t)runs->n_series;
    return made->own && made->causes_ns ? made : NULL;
}

static bool add_run(struct fm_module_comparison *runs, struct fm_intern *names, size_t *capacity, size_t run)
{
    const struct fm_module_breakdown *modules = &runs->items[run].modules;
    for (size_t i = 0; i < modules->n_items; i++) {
        const struct fm_module_item *item = &modules->items[i];
        struct fm_comparison_series *series = series_of(runs, names, capacity, item);
        if (!series)
            return false;
        series->own[run] = item->own;
        series->causes_ns[run] = item->causes_ns;
        fm_module_cost_add(&series->sum, &item->own);
        series->sum_causes_ns += item->causes_ns;
    }
    return true;
}

static bool advise(struct fm_module_comparison *runs)
{
    struct fm_scale_advice *advice = fm_arena_alloc(&runs->arena, sizeof *advice);
    bool fits = runs->n > 2 && runs->n <= FM_SCALE_RUNS;
    for (size_t i = 0; advice && fits && i < runs->n; i++) {
        const struct fm_module_cost *whole = &runs->items[i].modules.whole;
        double all_ns = (double)fm_module_total(whole);
        uint32_t ranks = runs->items[i].report->summary.ranks;
        advice->points[advice->n++] = (struct fm_scale_point){
            .processes = ranks,
            .total_ns = fm_ratio(all_ns, ranks),
            .waiting = fm_ratio((double)whole->waiting_ns, all_ns),
        };
        fits = i == 0 || ranks > advice->points[i - 1].processes;
    }
    if (advice && fits) {
        fm_scale_advise_points(advice, runs->mode, FM_EFFICIENCY_LEAST);
        runs->advice = advice;
    }
    return advice;
}

/* Runs are labelled by their number of ranks, or by their file if two have the same number. */
static bool find_notes(struct fm_module_comparison *runs)
{
    struct fm_noted_run *noted = fm_arena_alloc(&runs->arena, runs->n * sizeof *noted);
    bool distinct = true;
    for (size_t i = 1; i < runs->n; i++)
        distinct &= runs->items[i].report->summary.ranks != runs->items[i - 1].report->summary.ranks;
    for (size_t i = 0; noted && i < runs->n; i++) {
        const struct fm_comparison_run *run = &runs->items[i];
        uint32_t ranks = run->report->summary.ranks;
        noted[i] = (struct fm_noted_run){run->report, run->profile, run->profile};
        if (distinct)
            noted[i].label = fm_format(&runs->arena, "%u rank%s", ranks, ranks == 1 ? "" : "s");
    }
    if (noted)
        fm_run_notes_find(&runs->notes, noted, runs->n, runs->mode, true, &runs->arena);
    return noted;
}

enum fm_status fm_module_comparison_make(struct fm_report *const *reports, const char *const *profiles, size_t n,
                                         enum fm_scale_mode mode, struct fm_module_comparison *runs,
                                         struct fm_error *error)
{
    struct fm_intern names = {0};
    size_t capacity = 0;
    *runs = (struct fm_module_comparison){.n = n, .mode = mode};
    runs->items = fm_arena_alloc(&runs->arena, n * sizeof *runs->items);
    bool ok = runs->items != NULL;
    for (size_t i = 0; i < n && ok; i++) {
        struct fm_calltree calls;
        runs->items[i] = (struct fm_comparison_run){.profile = profiles[i], .report = reports[i]};
        if (!fm_report_sampled(reports[i]))
            return fm_fail(error, FM_ERR_INPUT, "%s has no call paths; run again without --sample off", profiles[i]);
        enum fm_status status = fm_report_modules(reports[i], &calls, &runs->items[i].modules, error);
        if (status)
            return status;
    }
    ok = ok && fm_sort(runs->items, n, sizeof *runs->items, by_ranks, &runs->arena);
    for (size_t i = 0; i < n && ok; i++)
        ok = add_run(runs, &names, &capacity, i);
    ok = ok && fm_sort(runs->series, runs->n_series, sizeof *runs->series, by_cost, &runs->arena);
    ok = ok && advise(runs) && find_notes(runs);
    return ok ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the modules");
}

void fm_module_comparison_destroy(struct fm_module_comparison *runs)
{
    fm_arena_destroy(&runs->arena);
}

/* ---- JSON and CSV ---- */

static double waiting_share(const struct fm_module_comparison *runs, const struct fm_comparison_series *series,
                            size_t run)
{
    return fm_ratio((double)series->causes_ns[run], (double)runs->items[run].modules.whole.waiting_ns);
}

static void json_series(struct fm_json *json, const struct fm_module_comparison *runs,
                        const struct fm_comparison_series *series)
{
    fm_json_object(json, NULL, FM_JSON_LINES);
    fm_json_text(json, "name", series->name);
    fm_json_text_or_null(json, "group", series->group ? series->group : "");
    fm_json_array(json, "runs", FM_JSON_LINES);
    for (size_t i = 0; i < runs->n; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_module_cost(json, &series->own[i]);
        fm_json_seconds(json, "causes_waiting_s", series->causes_ns[i]);
        fm_json_number(json, "waiting_share", waiting_share(runs, series, i));
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}

enum fm_status fm_module_comparison_json(struct fm_module_comparison *runs, FILE *out, struct fm_error *error)
{
    struct fm_json json = {.out = out};
    (void)error;
    fm_json_object(&json, NULL, FM_JSON_LINES);
    fm_json_whole(&json, "fathom", 1);
    fm_json_array(&json, "runs", FM_JSON_LINES);
    for (size_t i = 0; i < runs->n; i++) {
        const struct fm_summary *summary = &runs->items[i].report->summary;
        fm_json_object(&json, NULL, FM_JSON_INLINE);
        fm_json_text(&json, "profile", runs->items[i].profile);
        fm_json_text(&json, "name", summary->name);
        fm_json_whole(&json, "ranks", summary->ranks);
        fm_json_seconds(&json, "wall_s", summary->wall_ns);
        fm_json_module_cost(&json, &runs->items[i].modules.whole);
        fm_json_end(&json);
    }
    fm_json_end(&json);
    fm_advice_json(runs->advice, FM_EFFICIENCY_LEAST, "waiting_jumps_after", &json);
    fm_json_array(&json, "notes", FM_JSON_LINES);
    for (size_t i = 0; i < runs->notes.n; i++)
        fm_json_text(&json, NULL, runs->notes.items[i]);
    fm_json_end(&json);
    fm_json_array(&json, "modules", FM_JSON_LINES);
    for (size_t i = 0; i < runs->n_series; i++)
        json_series(&json, runs, &runs->series[i]);
    fm_json_end(&json);
    fm_json_end(&json);
    return FM_OK;
}

enum fm_status fm_module_comparison_csv(struct fm_module_comparison *runs, FILE *out, struct fm_error *error)
{
    static const char *const keys[] = {"module",
                                       "group",
                                       "profile",
                                       "ranks",
                                       "wall_s",
                                       "work_s",
                                       "transfer_s",
                                       "waiting_s",
                                       "waiting_estimated_s",
                                       "mpi_s",
                                       "causes_waiting_s",
                                       "waiting_share"};
    struct fm_csv csv = {.out = out};
    (void)error;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        fm_csv_text(&csv, keys[i]);
    fm_csv_end_row(&csv);
    for (size_t i = 0; i < runs->n_series * runs->n; i++) {
        const struct fm_comparison_series *series = &runs->series[i / runs->n];
        size_t run = i % runs->n;
        fm_csv_text(&csv, series->name);
        fm_csv_text(&csv, series->group ? series->group : "");
        fm_csv_text(&csv, runs->items[run].profile);
        fm_csv_whole(&csv, runs->items[run].report->summary.ranks);
        fm_csv_seconds(&csv, runs->items[run].report->summary.wall_ns);
        fm_csv_seconds(&csv, series->own[run].work_ns);
        fm_csv_seconds(&csv, series->own[run].transfer_ns);
        fm_csv_seconds(&csv, series->own[run].waiting_ns);
        fm_csv_seconds(&csv, series->own[run].estimated_ns);
        fm_csv_seconds(&csv, series->own[run].mpi_ns);
        fm_csv_seconds(&csv, series->causes_ns[run]);
        fm_csv_number(&csv, waiting_share(runs, series, run));
        fm_csv_end_row(&csv);
    }
    return FM_OK;
}
