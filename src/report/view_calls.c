/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampled call paths in three views: from the outermost function down (calls), from the functions that take the time up
 * (callers), and by location of the code (flat). */
#include <inttypes.h>
#include <string.h>

#include "analyse/calls/address_tree.h"
#include "base/basename.h"
#include "base/units.h"
#include "report/context_rows.h"
#include "report/context_text.h"
#include "report/programs.h"

/* ---- text ---- */

static const struct {
    const char *heading, *explained;
    bool own, stairs;
} layouts[] = {
    [FM_CALLTREE_CALLS] = {"call path", "% time, time: inclusive; % own: exclusive; *: the hot path", false, false},
    [FM_CALLTREE_CALLERS] = {"function and its callers",
                             "% own: exclusive, in the function itself; % time, time: inclusive", true, false},
    [FM_CALLTREE_FLAT] = {"load module, file, function, line",
                          "% time, time: inclusive, recursion counted once; % own: exclusive", false, true},
};

static void time_cell(struct fm_report *report, struct fm_table *table, uint64_t ns, bool known, bool estimated)
{
    char text[FM_UNIT_CHARS];
    if (known)
        fm_cell_text(
            table, fm_format(&report->arena, "%s%s", estimated ? "~" : "", ns ? fm_time_text(text, (double)ns) : "0"));
    else
        fm_cell_text(table, "-");
}

static void rank_cells(struct fm_report *report, struct fm_table *table, const struct fm_context *context,
                       uint32_t ranks)
{
    const struct fm_context_cost *all = &context->all;
    struct fm_path_spread spread = fm_path_spread_of(&all->of, ranks);
    time_cell(report, table, spread.min_ns, !all->no_least, all->estimated);
    time_cell(report, table, spread.max_ns, !all->no_most, all->estimated);
    if (all->no_most)
        fm_cell_text(table, "-");
    else
        fm_cell_whole_or_none(table, fm_report_rank(report, spread.max_rank), spread.max_rank != FM_NO_RANK);
}

static void row_cells(struct fm_report *report, struct fm_table *table, const struct fm_context *context, bool hot,
                      uint32_t ranks)
{
    double whole = fm_report_whole_ns(report);
    uint64_t own = context->own.of.sum_ns, all = context->all.of.sum_ns;
    fm_cell_text(table, hot ? "*" : "");
    fm_cell_number(table, fm_ratio((double)all, whole));
    if (own)
        fm_cell_number(table, fm_ratio((double)own, whole));
    else
        fm_cell_none(table);
    fm_cell_whole(table, all);
    rank_cells(report, table, context, ranks);
}

static void print_head(struct fm_report *report, const struct fm_calltree *tree, enum fm_calltree_kind which, FILE *out)
{
    const struct fm_call_paths *paths = &report->profile->paths;
    char samples[FM_UNIT_CHARS], hz[FM_UNIT_CHARS], time[FM_UNIT_CHARS], share[FM_UNIT_CHARS];
    double whole = fm_report_whole_ns(report), all = (double)paths->nodes[0].all.sum_ns;
    const char *of_which = ", ", *of_it = " of it";
    const char *text = fm_format(
        &report->arena, "%s samples of %u rank%s, up to %s per second and thread, representing %s",
        fm_count_text(samples, paths->samples), paths->nodes[0].all.ranks, paths->nodes[0].all.ranks == 1 ? "" : "s",
        fm_mean_text(hz, fm_sampling_hz(paths)), fm_time_text(time, all));
    if (report->helpers_ns) {
        text = fm_format(&report->arena, "%s, %s of it in internal threads of MPI (left out; --inside-mpi shows them)",
                         text, fm_percent_whole(share, fm_ratio((double)report->helpers_ns, all)));
        of_which = "; ", of_it = " of the rest";
    }
    if (report->options.focus)
        text = fm_format(&report->arena, "%s%s%s%s in %s", text, of_which,
                         fm_percent_whole(share, fm_ratio((double)tree->root->all.of.sum_ns, whole)), of_it,
                         report->options.focus);
    else if (which == FM_CALLTREE_CALLS)
        text = fm_format(&report->arena, "%s%s%s%s in MPI", text, of_which,
                         fm_percent_whole(share, fm_ratio((double)fm_calltree_mpi_ns(tree), whole)), of_it);
    if (paths->partial)
        text = fm_format(&report->arena, "%s; %s of the stacks incomplete", text,
                         fm_percent_fine(share, fm_ratio((double)paths->partial, (double)paths->samples)));
    fm_print_folded(out, fm_format(&report->arena, "%s.", text), 2);
    fputc('\n', out);
}

static void print_foot(struct fm_report *report, const struct fm_context_rows *rows, enum fm_calltree_kind which,
                       bool estimated, bool unknown, FILE *out)
{
    struct fm_context_marks marks = {0};
    for (size_t i = 0; i < rows->n; i++)
        fm_context_marks_add(&marks, rows->items[i].context);
    char count[FM_UNIT_CHARS], share[FM_UNIT_CHARS];
    double whole = fm_report_whole_ns(report);
    if (rows->left_out)
        fm_print_sentence(out, "+ %s more, each below %s of the time (--all shows them, --percent P those above P %%)",
                          fm_count_text(count, rows->left_out),
                          fm_percent_fine(share, fm_ratio((double)rows->limit_ns, whole)));
    fm_print_folded(
        out, fm_format(&report->arena, "%s%s.", layouts[which].explained, fm_context_marks_text(report, &marks)), 0);
    if (report->profile->paths.nodes[0].all.ranks > 1)
        fm_print_sentence(out, "min, max: least and most of a rank; rank: the one with the most%s%s.",
                          estimated ? "; ~: estimated from several call sites" : "", unknown ? "; -: unknown" : "");
}

static void print_rows(struct fm_report *report, const struct fm_calltree *tree, const struct fm_context_rows *rows,
                       enum fm_calltree_kind which, FILE *out)
{
    size_t width = fm_label_columns(out);
    bool many = tree->ranks > 1, estimated = false, unknown = false;
    const struct fm_column columns[] = {
        {"", NULL, FM_COLUMN_BAR},
        {"% time", NULL, FM_COLUMN_PERCENT},
        {"% own", NULL, FM_COLUMN_PERCENT},
        {"time", NULL, FM_COLUMN_TIME},
        {many ? "min" : NULL, NULL, FM_COLUMN_TIME},
        {many ? "max" : NULL, NULL, FM_COLUMN_TIME},
        {many ? "rank" : NULL, NULL, FM_COLUMN_RANK},
        {layouts[which].heading, NULL, FM_COLUMN_TEXT},
    };
    struct fm_table table;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    const struct fm_context *hot = which == FM_CALLTREE_CALLS ? fm_context_hot(tree->root) : NULL;
    for (size_t i = 0; i < rows->n; i++) {
        const struct fm_context *context = rows->items[i].context;
        size_t drawn = strlen(rows->items[i].drawing);
        bool is_hot = hot && context == hot;
        row_cells(report, &table, context, is_hot, tree->ranks);
        if (is_hot)
            hot = fm_context_hot(context);
        estimated |= context->all.estimated && !(context->all.no_least && context->all.no_most);
        unknown |= context->all.no_least || context->all.no_most;
        fm_cell_text(&table, fm_format(&report->arena, "%s%s", rows->items[i].drawing,
                                       fm_context_label(report, context, which, drawn < width ? width - drawn : 0)));
    }
    fm_table_print(&table, out);
    print_foot(report, rows, which, estimated, unknown, out);
}

/* The line from which a context is called, or most of the time. */
static struct fm_call_line heaviest_line(const struct fm_context *context)
{
    struct fm_call_line heaviest = {.path = context->id.path, .line = context->id.line};
    for (const struct fm_call_line *at = context->lines; at; at = at->next)
        if (at->line && at->sum_ns >= heaviest.sum_ns)
            heaviest = *at;
    return heaviest;
}

/* Prints the source lines of the hot path. */
static void print_hot_lines(struct fm_report *report, const struct fm_calltree *tree, FILE *out)
{
    const struct fm_column columns[] = {
        {"% time", NULL, FM_COLUMN_PERCENT}, {"hot path", NULL, FM_COLUMN_TEXT}, {"source", NULL, FM_COLUMN_SOURCE}};
    double whole = fm_report_whole_ns(report);
    struct fm_table table;
    size_t n = 0;
    fm_table_start(&table, &report->arena, columns, sizeof columns / sizeof *columns);
    for (const struct fm_context *at = fm_context_hot(tree->root); at; at = fm_context_hot(at)) {
        struct fm_call_line line = heaviest_line(at);
        const char *source = report->symbols && line.line ? fm_symbols_source(report->symbols, line.path, line.line)
                                                          : NULL;
        if (!source)
            continue;
        fm_cell_number(&table, fm_ratio((double)at->all.of.sum_ns, whole));
        fm_cell_text(&table, fm_format(&report->arena, "%s:%s%u%s", fm_basename(line.path),
                                       at->facts.approximate ? "~" : "", line.line, at->lines ? " and others" : ""));
        fm_cell_text(&table, source);
        n++;
    }
    if (!n)
        return;
    fputc('\n', out);
    fm_table_print(&table, out);
}

static enum fm_status print_tree(struct fm_report *report, enum fm_calltree_kind which, FILE *out,
                                 struct fm_error *error)
{
    struct fm_calltree tree;
    struct fm_context_rows rows;
    fm_print_incomplete(report, out);
    if (!fm_report_sampled(report)) {
        fm_print_folded(out, fm_format(&report->arena, "No call paths were sampled; %s", fm_unsampled_text(report)), 2);
        return FM_OK;
    }
    enum fm_status status = fm_report_view_tree(report, which, &tree, error);
    if (status)
        return status;
    status = fm_context_rows(report, &tree, layouts[which].own && !report->options.focus, layouts[which].stairs, &rows,
                             error);
    if (status)
        return status;
    print_head(report, &tree, which, out);
    print_rows(report, &tree, &rows, which, out);
    if (which == FM_CALLTREE_CALLS)
        print_hot_lines(report, &tree, out);
    return FM_OK;
}

/* ---- CSV ---- */

static const struct fm_column csv_columns[] = {
    {NULL, "id", FM_COLUMN_RANK},
    {NULL, "parent", FM_COLUMN_RANK},
    {NULL, "depth", FM_COLUMN_RANK},
    {NULL, "kind", FM_COLUMN_TEXT},
    {NULL, "name", FM_COLUMN_TEXT},
    {NULL, "inlined", FM_COLUMN_RANK},
    {NULL, "path", FM_COLUMN_TEXT},
    {NULL, "line", FM_COLUMN_RANK},
    {NULL, "module", FM_COLUMN_TEXT},
    {NULL, "inclusive_s", FM_COLUMN_TIME},
    {NULL, "exclusive_s", FM_COLUMN_TIME},
    {NULL, "fraction", FM_COLUMN_PERCENT},
    {NULL, "rank_mean_s", FM_COLUMN_TIME},
    {NULL, "rank_deviation_s", FM_COLUMN_TIME},
    {NULL, "rank_min_s", FM_COLUMN_TIME},
    {NULL, "rank_min_rank", FM_COLUMN_RANK},
    {NULL, "rank_max_s", FM_COLUMN_TIME},
    {NULL, "rank_max_rank", FM_COLUMN_RANK},
    {NULL, "estimated", FM_COLUMN_RANK},
    {NULL, "approximate_line", FM_COLUMN_RANK},
    {NULL, "parallel_body", FM_COLUMN_RANK},
    {NULL, "inferred", FM_COLUMN_RANK},
    {NULL, "callers_missing", FM_COLUMN_RANK},
};

static void csv_row(struct fm_report *report, struct fm_table *table, const struct fm_context *context, size_t depth,
                    uint32_t ranks)
{
    const struct fm_context_id *id = &context->id;
    struct fm_path_spread spread = fm_path_spread_of(&context->all.of, ranks);
    double whole = fm_report_whole_ns(report);
    fm_cell_whole(table, context->mark);
    fm_cell_whole(table, context->parent->mark);
    fm_cell_whole(table, depth);
    fm_cell_text(table, fm_context_kind_text(id->kind));
    fm_cell_text(table, id->name);
    fm_cell_whole(table, id->inlined);
    fm_cell_text(table, id->path);
    fm_cell_whole_or_none(table, id->line, id->line);
    fm_cell_text(table, id->module);
    fm_cell_whole(table, context->all.of.sum_ns);
    fm_cell_whole(table, context->own.of.sum_ns);
    fm_cell_number(table, fm_ratio((double)context->all.of.sum_ns, whole));
    fm_cell_number(table, spread.mean_ns);
    fm_cell_number(table, spread.deviation_ns);
    fm_cell_whole_or_none(table, spread.min_ns, !context->all.no_least);
    fm_cell_whole_or_none(table, fm_report_rank(report, spread.min_rank),
                          spread.min_rank != FM_NO_RANK && !context->all.no_least);
    fm_cell_whole_or_none(table, spread.max_ns, !context->all.no_most);
    fm_cell_whole_or_none(table, fm_report_rank(report, spread.max_rank),
                          spread.max_rank != FM_NO_RANK && !context->all.no_most);
    fm_cell_whole(table, context->all.estimated);
    fm_cell_whole(table, context->facts.approximate);
    fm_cell_whole(table, id->body != NULL);
    fm_cell_whole(table, context->facts.inferred);
    fm_cell_whole(table, context->facts.callers_missing);
}

/* All contexts, numbered from 1; those at the top level have parent 0. */
static enum fm_status print_csv(struct fm_report *report, enum fm_calltree_kind which, FILE *out,
                                struct fm_error *error)
{
    const struct fm_report_options *options = &report->options;
    struct fm_calltree tree;
    struct fm_table table;
    size_t max_depth = options->depth ? options->depth : SIZE_MAX;
    fm_table_start(&table, &report->arena, csv_columns, sizeof csv_columns / sizeof *csv_columns);
    if (fm_report_sampled(report)) {
        enum fm_status status = fm_report_lines_tree(report, which, &tree, error);
        if (status)
            return status;
        double min = options->with_percent ? options->percent / 100 * fm_report_whole_ns(report) : 0;
        uint32_t number = 0;
        tree.root->mark = 0;
        for (struct fm_context *at = tree.root->first; at; at = fm_context_after(tree.root, at)) {
            size_t depth = 0;
            for (const struct fm_context *up = at; up != tree.root; up = up->parent)
                depth++;
            if (depth > max_depth || (double)at->all.of.sum_ns < min)
                continue;
            at->mark = ++number;
            csv_row(report, &table, at, depth, tree.ranks);
        }
    }
    fm_table_csv(&table, out);
    return FM_OK;
}

#define FM_VIEW(view, which)                                                                          \
    enum fm_status fm_view_##view##_text(struct fm_report *report, FILE *out, struct fm_error *error) \
    {                                                                                                 \
        return print_tree(report, which, out, error);                                                 \
    }                                                                                                 \
    enum fm_status fm_view_##view##_csv(struct fm_report *report, FILE *out, struct fm_error *error)  \
    {                                                                                                 \
        return print_csv(report, which, out, error);                                                  \
    }
FM_VIEW(calls, FM_CALLTREE_CALLS)
FM_VIEW(callers, FM_CALLTREE_CALLERS)
FM_VIEW(flat, FM_CALLTREE_FLAT)
