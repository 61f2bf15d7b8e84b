/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules over several runs as text: one column per run. */
#include <string.h>

#include "base/units.h"
#include "base/writer.h"
#include "report/advice.h"
#include "report/module_comparison.h"

enum { DEFAULT_MODULES = 8, MAX_RUNS = 9 };

struct comparison_table {
    struct fm_module_comparison *runs;
    struct fm_arena *arena;
    struct fm_column columns[MAX_RUNS + 2];
    size_t n; /* number of runs shown: the last ones */
    bool ascii;
    FILE *out;
};

static size_t run_of(const struct comparison_table *page, size_t column)
{
    return page->runs->n - page->n + column;
}

/* The trend of a row: a bar for each run, with its height relative to the maximum. */
static const char *trend(const struct comparison_table *page, const double *values)
{
    static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const plain[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    struct fm_writer writer = {.arena = page->arena};
    double max = 0;
    for (size_t i = 0; i < page->n; i++)
        max = values[i] > max ? values[i] : max;
    for (size_t i = 0; i < page->n; i++) {
        size_t height = (size_t)(fm_ratio(values[i], max) * 7 + 0.5);
        fm_write(&writer, "%s", values[i] > 0 ? (page->ascii ? plain : blocks)[height] : " ");
    }
    const char *text = fm_writer_text(&writer);
    return text ? text : "";
}

static void start(struct comparison_table *page, struct fm_table *table, const char *heading, enum fm_column_kind kind)
{
    page->columns[0] = (struct fm_column){heading, NULL, FM_COLUMN_TEXT};
    for (size_t i = 0; i < page->n; i++) {
        uint32_t ranks = page->runs->items[run_of(page, i)].report->summary.ranks;
        page->columns[i + 1] = (struct fm_column){fm_format(page->arena, "%u", ranks), NULL, kind};
    }
    page->columns[page->n + 1] = (struct fm_column){"", NULL, FM_COLUMN_BAR};
    fm_table_start(table, page->arena, page->columns, page->n + 2);
}

static void add_row(const struct comparison_table *page, struct fm_table *table, const char *name, const double *values,
                    enum fm_column_kind kind)
{
    fm_cell_text(table, name);
    for (size_t i = 0; i < page->n; i++) {
        if (values[i] > 0)
            fm_cell_as(table, kind, values[i]);
        else
            fm_cell_none(table);
    }
    fm_cell_text(table, trend(page, values));
}

static void print_totals(struct comparison_table *page)
{
    struct fm_table table;
    double wall[MAX_RUNS] = {0}, work[MAX_RUNS] = {0}, transfer[MAX_RUNS] = {0}, waiting[MAX_RUNS] = {0},
           share[MAX_RUNS] = {0};
    for (size_t i = 0; i < page->n; i++) {
        const struct fm_comparison_run *run = &page->runs->items[run_of(page, i)];
        wall[i] = (double)run->report->summary.wall_ns;
        work[i] = (double)run->modules.whole.work_ns;
        transfer[i] = (double)run->modules.whole.transfer_ns;
        waiting[i] = (double)run->modules.whole.waiting_ns;
        share[i] = fm_ratio(waiting[i], (double)fm_module_total(&run->modules.whole));
    }
    start(page, &table, "ranks", FM_COLUMN_TIME);
    add_row(page, &table, "run time", wall, FM_COLUMN_TIME);
    add_row(page, &table, "work, all ranks", work, FM_COLUMN_TIME);
    add_row(page, &table, "transfer, all ranks", transfer, FM_COLUMN_TIME);
    add_row(page, &table, "waiting, all ranks", waiting, FM_COLUMN_TIME);
    add_row(page, &table, "waiting, % of total", share, FM_COLUMN_PERCENT);
    fm_table_print(&table, page->out);
    if (page->runs->advice)
        fm_print_folded(page->out, fm_advice_text(page->runs->advice, FM_EFFICIENCY_LEAST, "waiting", page->arena), 2);
}

/* The work of a module in a run, or the share of waiting in its calls. */
static double value_of(const struct comparison_table *page, const struct fm_comparison_series *series, size_t column,
                       bool waiting)
{
    size_t run = run_of(page, column);
    if (!waiting)
        return (double)series->own[run].work_ns;
    return fm_ratio((double)series->causes_ns[run], (double)page->runs->items[run].modules.whole.waiting_ns);
}

static bool is_heavier(const struct fm_comparison_series *a, const struct fm_comparison_series *b, bool waiting)
{
    return waiting ? a->sum_causes_ns > b->sum_causes_ns : a->sum.work_ns > b->sum.work_ns;
}

/* Heaviest modules first; the rest is one row, so that columns add up. */
static void print_modules(struct comparison_table *page, const char *heading, bool waiting)
{
    const struct fm_module_comparison *runs = page->runs;
    enum fm_column_kind kind = waiting ? FM_COLUMN_PERCENT : FM_COLUMN_TIME;
    const struct fm_comparison_series **order = fm_arena_alloc(page->arena, runs->n_series * sizeof *order);
    size_t shown = fm_report_rows(runs->items[0].report, runs->n_series, DEFAULT_MODULES);
    double values[MAX_RUNS] = {0}, others[MAX_RUNS] = {0}, all[MAX_RUNS] = {0}, left = 0;
    struct fm_table table;
    start(page, &table, heading, kind);
    for (size_t k = 0; k < page->n; k++) {
        const struct fm_module_cost *whole = &runs->items[run_of(page, k)].modules.whole;
        all[k] = waiting ? whole->waiting_ns > 0 : (double)whole->work_ns;
    }
    for (size_t i = 0; order && i < runs->n_series; i++) {
        size_t k = i;
        for (; k > 0 && is_heavier(&runs->series[i], order[k - 1], waiting); k--)
            order[k] = order[k - 1];
        order[k] = &runs->series[i];
    }
    for (size_t i = 0; order && i < runs->n_series; i++) {
        double sum = 0;
        for (size_t k = 0; k < page->n; k++) {
            values[k] = value_of(page, order[i], k, waiting);
            sum += values[k];
            others[k] += i < shown ? 0 : values[k];
            left += i < shown ? 0 : values[k];
        }
        if (i < shown && sum > 0)
            add_row(page, &table, order[i]->name, values, kind);
    }
    if (left > 0)
        add_row(page, &table, "others", others, kind);
    add_row(page, &table, "all", all, kind);
    fputc('\n', page->out);
    fm_table_print(&table, page->out);
}

static void print_head(const struct comparison_table *page)
{
    const struct fm_module_comparison *runs = page->runs;
    fm_print_line(page->out, "%s, %zu runs.", runs->items[0].report->summary.name, runs->n);
    if (page->n < runs->n)
        fprintf(page->out, " Only the runs on the most ranks are shown; --format csv has all.");
    fputc('\n', page->out);
    fm_run_notes_print_doubts(&runs->notes, page->arena, page->out);
    fm_run_notes_print(&runs->notes, page->arena, page->out);
    fputc('\n', page->out);
}

enum fm_status fm_module_comparison_text(struct fm_module_comparison *runs, FILE *out, struct fm_error *error)
{
    struct comparison_table page = {
        .runs = runs,
        .arena = &runs->arena,
        .n = runs->n < MAX_RUNS ? runs->n : MAX_RUNS,
        .ascii = !fm_utf8_locale(),
        .out = out,
    };
    (void)error;
    print_head(&page);
    print_totals(&page);
    print_modules(&page, "work by module", false);
    print_modules(&page, "% of waiting, by caller", true);
    return FM_OK;
}
