/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules over several runs as four charts: (a) work, (b) total transfer and waiting, (c) waiting by calling module,
 * (d) run time. */
#include <string.h>

#include "base/units.h"
#include "render/chart.h"
#include "render/xml.h"
#include "report/module_comparison.h"
#include "report/module_style.h"

enum { NAME_COLUMNS = 18, MAX_MODULES = FM_CHART_LINES - 1 }; /* MAX_MODULES: per chart, besides "others" */

struct comparison_charts {
    struct fm_module_comparison *runs;
    struct fm_arena *arena;
    double *places;
    const char **labels;
    bool distinct;                                         /* all runs have different numbers of ranks */
    unsigned *colours;                                     /* by series */
    const struct fm_comparison_series *known[MAX_MODULES]; /* already drawn; the index is the style */
};

/* Base 2 logarithm, linear between powers of two. */
static double logarithm(uint32_t number)
{
    double power = 1, steps = 0;
    while (power * 2 <= number) {
        power *= 2;
        steps++;
    }
    return steps + number / power - 1;
}

static uint32_t ranks_of(const struct comparison_charts *page, size_t run)
{
    return page->runs->items[run].report->summary.ranks;
}

/* On a logarithmic scale of ranks, or equidistant if two runs have the same number of ranks. */
static void set_places(struct comparison_charts *page)
{
    size_t n = page->runs->n;
    page->distinct = true;
    for (size_t i = 1; i < n; i++)
        page->distinct &= ranks_of(page, i) != ranks_of(page, i - 1);
    double from = logarithm(ranks_of(page, 0)), to = logarithm(ranks_of(page, n - 1));
    for (size_t i = 0; i < n; i++) {
        page->places[i] = n == 1           ? 0.5
                          : page->distinct ? fm_ratio(logarithm(ranks_of(page, i)) - from, to - from)
                                           : (double)i / (double)(n - 1);
        page->labels[i] = fm_format(page->arena, "%u", ranks_of(page, i));
    }
}

static const char *short_name(const struct comparison_charts *page, const char *name)
{
    struct fm_cut cut = fm_text_cut(name, NAME_COLUMNS);
    return cut.tail ? fm_format(page->arena, "%.*s..%s", (int)cut.head, name, cut.tail) : name;
}

/* Adds a line to a chart. Returns its values, to be filled, or NULL if there is no room or no memory. */
static double *add_line(const struct comparison_charts *page, struct fm_chart *chart, const char *name)
{
    double *values = fm_arena_alloc(page->arena, page->runs->n * sizeof *values);
    if (!values || chart->n_lines == FM_CHART_LINES)
        return NULL;
    chart->lines[chart->n_lines] = (struct fm_chart_line){.name = short_name(page, name),
                                                          .values = values,
                                                          .style = (unsigned)chart->n_lines,
                                                          .colour = (unsigned)chart->n_lines};
    chart->n_lines++;
    return values;
}

static uint64_t weight_of(const struct fm_comparison_series *series, bool waiting)
{
    return waiting ? series->sum_causes_ns : series->sum.work_ns;
}

static void find_heaviest(const struct fm_module_comparison *runs, bool waiting,
                          const struct fm_comparison_series **heaviest)
{
    for (size_t i = 0; i < runs->n_series; i++) {
        const struct fm_comparison_series *series = &runs->series[i];
        for (size_t k = 0; k < MAX_MODULES && series && weight_of(series, waiting) > 0; k++) {
            if (heaviest[k] && weight_of(series, waiting) <= weight_of(heaviest[k], waiting))
                continue;
            const struct fm_comparison_series *lighter = heaviest[k];
            heaviest[k] = series;
            series = lighter;
        }
    }
}

static bool is_among(const struct fm_comparison_series *series, const struct fm_comparison_series *const *list)
{
    for (size_t i = 0; i < MAX_MODULES; i++)
        if (list[i] == series)
            return true;
    return false;
}

/* A module has the same style in all charts; a new one gets a style that no other module of this chart has. */
static unsigned style_of(struct comparison_charts *page, const struct fm_comparison_series *series,
                         const struct fm_comparison_series *const *chart)
{
    unsigned style = 0;
    while (style < MAX_MODULES && page->known[style] != series)
        style++;
    if (style < MAX_MODULES)
        return style;
    for (style = 0; style < MAX_MODULES - 1 && page->known[style] && is_among(page->known[style], chart);)
        style++;
    page->known[style] = series;
    return style;
}

static void add_values(const struct comparison_charts *page, const struct fm_comparison_series *series, bool waiting,
                       double *values)
{
    for (size_t i = 0; values && i < page->runs->n; i++)
        values[i] += (double)(waiting ? series->causes_ns[i] : series->own[i].work_ns) / 1e9;
}

/* Adds the modules with the largest values, and all others as one line. */
static void add_modules(struct comparison_charts *page, struct fm_chart *chart, bool waiting)
{
    const struct fm_module_comparison *runs = page->runs;
    const struct fm_comparison_series *heaviest[MAX_MODULES] = {0};
    double *rest = NULL;
    find_heaviest(runs, waiting, heaviest);
    for (size_t i = 0; i < MAX_MODULES && heaviest[i]; i++) {
        add_values(page, heaviest[i], waiting, add_line(page, chart, heaviest[i]->name));
        chart->lines[i].style = style_of(page, heaviest[i], heaviest);
        chart->lines[i].colour = page->colours[heaviest[i] - runs->series];
    }
    for (size_t i = 0; i < runs->n_series; i++) {
        const struct fm_comparison_series *series = &runs->series[i];
        if (is_among(series, heaviest) || weight_of(series, waiting) == 0)
            continue;
        if (!rest)
            rest = add_line(page, chart, "others");
        add_values(page, series, waiting, rest);
    }
    if (rest) {
        chart->lines[chart->n_lines - 1].style = MAX_MODULES;
        chart->lines[chart->n_lines - 1].colour = FM_CHART_OTHER;
    }
}

static bool is_listed(const struct fm_styled_module *modules, size_t n, const char *name)
{
    while (n > 0 && strcmp(modules[n - 1].name, name) != 0)
        n--;
    return n;
}

/* The modules of the runs, then the others of the module file. Returns their number. */
static size_t list_modules(const struct fm_module_comparison *runs, const struct fm_module_map *map,
                           struct fm_styled_module *modules)
{
    uint64_t total = 0;
    for (size_t i = 0; i < runs->n_series; i++)
        total += fm_module_total(&runs->series[i].sum);
    for (size_t i = 0; i < runs->n_series; i++)
        modules[i] = (struct fm_styled_module){.name = runs->series[i].name,
                                               .rare = fm_module_total(&runs->series[i].sum) < total / 100};
    size_t n = runs->n_series;
    for (size_t i = 0; i < map->n_rules; i++)
        if (!is_listed(modules, n, map->rules[i].module))
            modules[n++] = (struct fm_styled_module){.name = map->rules[i].module};
    for (size_t i = 0; i < n; i++)
        modules[i].place = fm_module_map_place(map, modules[i].name);
    return n;
}

/* The same colours as in the sequence of each run. */
static enum fm_status set_colours(struct comparison_charts *page, struct fm_error *error)
{
    const struct fm_module_comparison *runs = page->runs;
    struct fm_module_map map;
    enum fm_status status = fm_report_module_map(runs->items[0].report, &map, error);
    if (status)
        return status;
    size_t max = runs->n_series + map.n_rules;
    struct fm_styled_module *modules = fm_arena_alloc(page->arena, max * sizeof *modules);
    page->colours = fm_arena_alloc(page->arena, max * sizeof *page->colours);
    if (!modules || !page->colours)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a picture");
    fm_module_colours(modules, list_modules(runs, &map, modules), page->colours);
    return FM_OK;
}

static void add_loss(const struct comparison_charts *page, struct fm_chart *chart)
{
    const struct fm_module_comparison *runs = page->runs;
    double *transfer = add_line(page, chart, "transfer"), *waiting = add_line(page, chart, "waiting");
    for (size_t k = 0; transfer && waiting && k < runs->n; k++) {
        transfer[k] = (double)runs->items[k].modules.whole.transfer_ns / 1e9;
        waiting[k] = (double)runs->items[k].modules.whole.waiting_ns / 1e9;
    }
}

static void add_time(const struct comparison_charts *page, struct fm_chart *chart)
{
    const struct fm_module_comparison *runs = page->runs;
    double *wall = add_line(page, chart, "run time"), first = (double)runs->items[0].report->summary.wall_ns / 1e9;
    for (size_t k = 0; wall && k < runs->n; k++)
        wall[k] = (double)runs->items[k].report->summary.wall_ns / 1e9;
    double *ideal = page->distinct && runs->n > 1 ? add_line(page, chart, "ideal") : NULL;
    for (size_t k = 0; ideal && k < runs->n; k++)
        ideal[k] = runs->mode == FM_SCALE_WEAK ? first : first * ranks_of(page, 0) / ranks_of(page, k);
    if (ideal)
        chart->lines[chart->n_lines - 1].reference = true;
}

enum fm_status fm_module_comparison_svg(struct fm_module_comparison *runs, FILE *out, struct fm_error *error)
{
    struct comparison_charts page = {.runs = runs, .arena = &runs->arena};
    page.places = fm_arena_alloc(page.arena, runs->n * sizeof *page.places);
    page.labels = fm_arena_alloc(page.arena, runs->n * sizeof *page.labels);
    if (!page.places || !page.labels)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a picture");
    set_places(&page);
    enum fm_status status = set_colours(&page, error);
    if (status)
        return status;
    static const char *const titles[] = {"(a) work, all ranks", "(b) transfer and waiting, all ranks",
                                         "(c) waiting, by calling module", "(d) run time"};
    struct fm_chart charts[4];
    for (size_t i = 0; i < 4; i++)
        charts[i] = (struct fm_chart){
            .title = titles[i], .below = "ranks", .places = page.places, .labels = page.labels, .n = runs->n};
    add_modules(&page, &charts[0], false);
    add_loss(&page, &charts[1]);
    add_modules(&page, &charts[2], true);
    add_time(&page, &charts[3]);
    const char *title = fm_format(page.arena, "%s, %zu runs: work, transfer and waiting of its modules",
                                  runs->items[0].report->summary.name, runs->n);
    double width = 2 * FM_CHART_WIDTH + FM_SVG_MARGIN, min_width = fm_svg_title_width(title);
    fm_svg_start(out, width > min_width ? width : min_width, FM_SVG_HEAD + 2 * FM_CHART_HEIGHT, title);
    for (size_t i = 0; i < 4; i++)
        fm_chart_draw(&charts[i], i % 2 ? FM_CHART_WIDTH : 0, FM_SVG_HEAD + (i / 2 ? FM_CHART_HEIGHT : 0), out);
    fputs("</svg>\n", out);
    return FM_OK;
}
