/* SPDX-License-Identifier: BSD-3-Clause */
/* The modules of a model: their cost as work, transfer and waiting, and the calls between them. */
#include <string.h>

#include "analyse/modules/unknown_patterns.h"
#include "base/units.h"
#include "report/context_rows.h"
#include "report/report_modules.h"

enum {
    DEFAULT_MODULES = 20,
    DEFAULT_UNKNOWN = 3,
    HEADLINE = 3,
    BAR_COLUMNS = 20,
    LIST_BAR_COLUMNS = 14 /* the list has many other columns */
};

/* ---- text ---- */

static const char *bracketed(struct fm_report *report, double waiting, double whole)
{
    char share[FM_UNIT_CHARS];
    return waiting > 0 ? fm_format(&report->arena, "[%s]", fm_percent_text(share, fm_ratio(waiting, whole))) : "";
}

static const char *with_share(struct fm_report *report, const char *text, const char *what, uint64_t ns, uint64_t whole)
{
    char share[FM_UNIT_CHARS];
    return fm_format(&report->arena, "%s%s %s", text, what,
                     fm_percent_whole(share, fm_ratio((double)ns, (double)whole)));
}

/* "; MPI 60 %: transfer 9 %, waiting 51 %; waiting outside MPI 4 %", without the parts that are zero. */
static const char *with_mpi_and_waiting(struct fm_report *report, const char *text, const struct fm_module_cost *cost)
{
    uint64_t whole = fm_module_total(cost), in_mpi = cost->mpi_ns - cost->transfer_ns,
             outside = cost->waiting_ns - in_mpi;
    if (cost->mpi_ns)
        text = with_share(report, text, "; MPI", cost->mpi_ns, whole);
    if (cost->transfer_ns)
        text = with_share(report, text, ": transfer", cost->transfer_ns, whole);
    if (in_mpi)
        text = with_share(report, text, cost->transfer_ns ? ", waiting" : ": waiting", in_mpi, whole);
    if (outside || !cost->mpi_ns)
        text = with_share(report, text, cost->mpi_ns ? "; waiting outside MPI" : "; waiting", outside, whole);
    return text;
}

/* "work 36 %, most in ocean (24 %), ice (9 %); MPI 64 %: transfer 7 %, waiting 57 %; most waiting in calls from coupler
 * (31 %)": shares of the time. */
static void print_headline(struct fm_report *report, const struct fm_module_breakdown *modules, FILE *out)
{
    char share[FM_UNIT_CHARS];
    double whole = (double)fm_module_total(&modules->whole);
    const struct fm_module_item *most[HEADLINE] = {0}, *cause = NULL;
    for (size_t i = 0; i < modules->n_items; i++) {
        const struct fm_module_item *item = &modules->items[i];
        for (size_t k = 0; k < HEADLINE && item; k++) {
            if (!most[k] || item->own.work_ns > most[k]->own.work_ns) {
                const struct fm_module_item *lighter = most[k];
                most[k] = item;
                item = lighter;
            }
        }
        if (!cause || modules->items[i].causes_ns > cause->causes_ns)
            cause = &modules->items[i];
    }
    const char *text = fm_format(&report->arena, "%s: work %s", report->summary.name,
                                 fm_percent_whole(share, fm_ratio((double)modules->whole.work_ns, whole)));
    for (size_t k = 0; k < HEADLINE && most[k] && most[k]->own.work_ns; k++)
        text = fm_format(&report->arena, "%s%s %s (%s)", text, k ? "," : ", most in", most[k]->name,
                         fm_percent_whole(share, fm_ratio((double)most[k]->own.work_ns, whole)));
    text = with_mpi_and_waiting(report, text, &modules->whole);
    if (cause && cause->causes_ns)
        text = fm_format(&report->arena, "%s; most waiting in calls from %s (%s of the time)", text, cause->name,
                         fm_percent_whole(share, fm_ratio((double)cause->causes_ns, whole)));
    fm_print_folded(out, fm_format(&report->arena, "%s.", text), 2);
}

static const struct fm_column list_columns[] = {
    {"module", "module", FM_COLUMN_TEXT},
    {NULL, "group", FM_COLUMN_TEXT},
    {"work", "work_s", FM_COLUMN_TIME},
    {"%", "work_fraction", FM_COLUMN_PERCENT},
    {"transfer", "transfer_s", FM_COLUMN_TIME},
    {"%", "transfer_fraction", FM_COLUMN_PERCENT},
    {"waiting", "waiting_s", FM_COLUMN_TIME},
    {"%", "waiting_fraction", FM_COLUMN_PERCENT},
    {NULL, "waiting_estimated_s", FM_COLUMN_TIME},
    {NULL, "mpi_s", FM_COLUMN_TIME},
    {"inclusive", NULL, FM_COLUMN_TIME},
    {NULL, "inclusive_work_s", FM_COLUMN_TIME},
    {NULL, "inclusive_transfer_s", FM_COLUMN_TIME},
    {NULL, "inclusive_waiting_s", FM_COLUMN_TIME},
    {"% of waiting", "waiting_share", FM_COLUMN_PERCENT},
    {"", NULL, FM_COLUMN_BAR},
};

/* In text, zeros are left blank; CSV has them. */
static void time_cell(struct fm_table *table, uint64_t ns, bool text_output)
{
    if (ns || !text_output)
        fm_cell_whole(table, ns);
    else
        fm_cell_none(table);
}

static void share_cell(struct fm_table *table, uint64_t ns, uint64_t whole, bool text_output)
{
    if (ns || !text_output)
        fm_cell_number(table, fm_ratio((double)ns, (double)whole));
    else
        fm_cell_none(table);
}

/* Times and shares of work, transfer and waiting. */
static void state_cells(struct fm_table *table, const struct fm_module_cost *cost, uint64_t whole, bool text_output)
{
    const uint64_t times[] = {cost->work_ns, cost->transfer_ns, cost->waiting_ns};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        time_cell(table, times[i], text_output);
        share_cell(table, times[i], whole, text_output);
    }
}

/* The character of a bar with room for only one: that of the largest part. */
static const char *single_character(const struct fm_module_cost *cost, bool full)
{
    if (cost->work_ns >= cost->transfer_ns && cost->work_ns >= cost->waiting_ns)
        return full ? "#" : !fm_module_total(cost) ? "" : ".";
    return cost->transfer_ns >= cost->waiting_ns ? "=" : "-";
}

static size_t bar_length(double part, double whole, size_t columns)
{
    return (size_t)(fm_ratio(part, whole) * (double)columns + 0.5);
}

/* "###=--": work, transfer and waiting. */
static const char *cost_bar(struct fm_report *report, const struct fm_module_cost *cost, double whole, size_t columns)
{
    size_t work = bar_length((double)cost->work_ns, whole, columns);
    size_t transfer = bar_length((double)(cost->work_ns + cost->transfer_ns), whole, columns);
    size_t all = bar_length((double)fm_module_total(cost), whole, columns);
    if (all <= 1)
        return single_character(cost, all);
    char *bar = fm_arena_alloc(&report->arena, all + 1);
    if (!bar)
        return "";
    memset(bar, '#', work);
    memset(bar + work, '=', transfer - work);
    memset(bar + transfer, '-', all - transfer);
    return bar;
}

static void list_row(struct fm_report *report, struct fm_table *table, const struct fm_module_breakdown *modules,
                     const struct fm_module_item *item, bool text_output)
{
    uint64_t whole = fm_module_total(&modules->whole);
    fm_cell_text(table, item->name);
    fm_cell_text(table, item->group ? item->group : "");
    state_cells(table, &item->own, whole, text_output);
    time_cell(table, item->own.estimated_ns, text_output);
    time_cell(table, item->own.mpi_ns, text_output);
    time_cell(table, fm_module_total(&item->all), text_output);
    time_cell(table, item->all.work_ns, text_output);
    time_cell(table, item->all.transfer_ns, text_output);
    time_cell(table, item->all.waiting_ns, text_output);
    share_cell(table, item->causes_ns, modules->whole.waiting_ns, text_output);
    fm_cell_text(table, cost_bar(report, &item->own, (double)whole, LIST_BAR_COLUMNS));
}

static void print_list(struct fm_report *report, const struct fm_module_breakdown *modules, FILE *out)
{
    struct fm_table table;
    size_t shown = fm_report_rows(report, modules->n_items, DEFAULT_MODULES);
    struct fm_module_item others = {.name = "others"}, all = {.name = "all", .own = modules->whole};
    fm_table_start(&table, &report->arena, list_columns, sizeof list_columns / sizeof *list_columns);
    for (size_t i = 0; i < modules->n_items; i++) {
        const struct fm_module_item *item = &modules->items[i];
        if (i < shown)
            list_row(report, &table, modules, item, true);
        else
            fm_module_cost_add(&others.own, &item->own);
        others.causes_ns += i < shown ? 0 : item->causes_ns;
    }
    if (shown < modules->n_items)
        list_row(report, &table, modules, &others, true);
    all.causes_ns = modules->whole.waiting_ns;
    list_row(report, &table, modules, &all, true);
    fm_table_print(&table, out);
    fm_print_more(out, shown, modules->n_items, "module");
}

/* Sums over the modules of each group. */
static void print_groups(struct fm_report *report, const struct fm_module_breakdown *modules, FILE *out)
{
    const struct fm_column columns[] = {{"group", NULL, FM_COLUMN_TEXT}, {"work", NULL, FM_COLUMN_TIME},
                                        {"%", NULL, FM_COLUMN_PERCENT},  {"transfer", NULL, FM_COLUMN_TIME},
                                        {"%", NULL, FM_COLUMN_PERCENT},  {"waiting", NULL, FM_COLUMN_TIME},
                                        {"%", NULL, FM_COLUMN_PERCENT},  {"", NULL, FM_COLUMN_BAR}};
    struct fm_table table;
    uint64_t whole = fm_module_total(&modules->whole);
    size_t n = 0;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < modules->n_items; i++) {
        const char *group = modules->items[i].group;
        struct fm_module_cost sum = {0};
        bool first = group != NULL;
        for (size_t k = 0; k < modules->n_items && first; k++) {
            if (modules->items[k].group != group)
                continue;
            first = k >= i;
            fm_module_cost_add(&sum, &modules->items[k].own);
        }
        if (!first)
            continue;
        fm_cell_text(&table, group);
        state_cells(&table, &sum, whole, true);
        fm_cell_text(&table, cost_bar(report, &sum, (double)whole, BAR_COLUMNS));
        n++;
    }
    if (n) {
        fputc('\n', out);
        fm_table_print(&table, out);
    }
}

static enum fm_status print_tree(struct fm_report *report, const struct fm_module_breakdown *modules, FILE *out,
                                 struct fm_error *error)
{
    const struct fm_column columns[] = {{"work %", NULL, FM_COLUMN_PERCENT},
                                        {"transfer %", NULL, FM_COLUMN_PERCENT},
                                        {"[waiting %]", NULL, FM_COLUMN_BAR},
                                        {"", NULL, FM_COLUMN_BAR},
                                        {"calls between modules", NULL, FM_COLUMN_TEXT}};
    struct fm_calltree tree;
    struct fm_context_rows rows;
    struct fm_table table;
    enum fm_status status = fm_module_contexts(report, modules, &tree, error);
    if (!status)
        status = fm_context_rows(report, &tree, false, true, &rows, error);
    if (status)
        return status;
    double whole = (double)fm_module_total(&modules->whole);
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < rows.n; i++) {
        const struct fm_module_node *node = &modules->nodes[rows.items[i].context->mark];
        share_cell(&table, node->all.work_ns, fm_module_total(&modules->whole), true);
        share_cell(&table, node->all.transfer_ns, fm_module_total(&modules->whole), true);
        fm_cell_text(&table, bracketed(report, (double)node->all.waiting_ns, whole));
        fm_cell_text(&table, cost_bar(report, &node->all, whole, BAR_COLUMNS));
        fm_cell_text(&table, fm_format(&report->arena, "%s%s", rows.items[i].drawing, node->name));
    }
    fputc('\n', out);
    fm_table_print(&table, out);
    return FM_OK;
}

/* The blocking send with the most time, of which part may be waiting; NULL if it is below MIN_SEND of the wall time. */
static const char *heavy_send(const struct fm_report *report)
{
    static const double MIN_SEND = 0.05;
    const struct fm_summary *summary = &report->summary;
    for (size_t i = 0; i < summary->n_routines; i++) { /* most time first */
        const char *name = summary->routines[i]->name;
        if (!strcmp(name, "MPI_Send") || !strcmp(name, "MPI_Ssend") || !strcmp(name, "MPI_Rsend"))
            return (double)summary->routines[i]->stats.total_ns > MIN_SEND * (double)summary->wall_sum_ns ? name : NULL;
    }
    return NULL;
}

/* "note: pop.modules: 'icee.f90' (line 3), 'tide_*' (line 9) and 2 more match nothing in this program." Probably a
 * typo: not an error, but worth checking. */
static void print_unknown(struct fm_report *report, const struct fm_module_breakdown *modules, FILE *out)
{
    const struct fm_module_rule **rules = fm_arena_alloc(&report->arena, modules->n_idle * sizeof *rules);
    if (!rules || !modules->n_idle)
        return;
    memcpy(rules, modules->idle, modules->n_idle * sizeof *rules);
    size_t n = fm_unknown_patterns(rules, modules->n_idle, report->symbols);
    size_t shown = fm_report_rows(report, n, DEFAULT_UNKNOWN);
    const char *text = fm_format(&report->arena, "note: %s:", report->options.modules);
    for (size_t i = 0; i < shown; i++)
        text = fm_format(&report->arena, "%s%s '%s' (line %u)", text,
                         i == 0       ? ""
                         : i == n - 1 ? " and"
                                      : ",",
                         rules[i]->pattern, rules[i]->line);
    if (shown < n)
        text = fm_format(&report->arena, "%s and %zu more", text, n - shown);
    if (n)
        fm_print_folded(out, fm_format(&report->arena, "%s match%s nothing in this program.", text, n == 1 ? "es" : ""),
                        2);
}

enum fm_status fm_print_modules(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_calltree calls;
    struct fm_module_breakdown modules;
    char share[FM_UNIT_CHARS];
    enum fm_status status = fm_report_modules(report, &calls, &modules, error);
    if (status)
        return status;
    print_headline(report, &modules, out);
    fputc('\n', out);
    print_list(report, &modules, out);
    print_groups(report, &modules, out);
    status = print_tree(report, &modules, out, error);
    if (status)
        return status;
    fputs("%: of the sampled time of all ranks; inclusive in the tree.\n", out);
    fm_print_sentence(out,
                      "#: work, outside MPI; =: transfer, time in MPI that is not known to be waiting; -: waiting.");
    fm_print_sentence(out, "%% of waiting: share of the total waiting, in calls from the module.");
    if (modules.whole.estimated_ns)
        fm_print_sentence(
            out, "%s of the waiting is estimated: time in a collective beyond that of the fastest rank.",
            fm_percent_whole(share, fm_ratio((double)modules.whole.estimated_ns, (double)modules.whole.waiting_ns)));
    const char *send = heavy_send(report);
    if (send)
        fm_print_sentence(out, "Transfer can contain waiting: 'waiting + %s' in the module file counts %s as waiting.",
                          send, send);
    if (report->helpers_ns)
        fm_print_sentence(out, "Excludes internal threads of the MPI library, which took %s.",
                          fm_time_text(share, (double)report->helpers_ns));
    if (!report->options.modules)
        fm_print_sentence(
            out, "Modules are source files; 'fathom modules init PROFILE' drafts a module file for --modules.");
    if (report->summary.complete && !report->options.focus) /* a partial run or a subtree never has all of them */
        print_unknown(report, &modules, out);
    return FM_OK;
}

enum fm_status fm_view_modules_text(struct fm_report *report, FILE *out, struct fm_error *error)
{
    fm_print_incomplete(report, out);
    if (fm_report_sampled(report))
        return fm_print_modules(report, out, error);
    fm_print_sentence(out, "No call paths were sampled, so there are no modules; %s", fm_unsampled_text(report));
    return FM_OK;
}

/* ---- CSV ---- */

enum fm_status fm_view_modules_csv(struct fm_report *report, FILE *out, struct fm_error *error)
{
    struct fm_calltree calls;
    struct fm_module_breakdown modules = {0};
    struct fm_table table;
    enum fm_status status = fm_report_sampled(report) ? fm_report_modules(report, &calls, &modules, error) : FM_OK;
    if (status)
        return status;
    fm_table_start(&table, &report->arena, list_columns, sizeof list_columns / sizeof *list_columns);
    for (size_t i = 0; i < modules.n_items; i++)
        list_row(report, &table, &modules, &modules.items[i], false);
    fm_table_csv(&table, out);
    return FM_OK;
}
