/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of views: the merged call graph of functions with their cost, and the graph of modules with work, transfer
 * and waiting. */
#include "base/basename.h"
#include "base/units.h"
#include "render/graph.h"
#include "report/context_rows.h"
#include "report/report_modules.h"

enum { DEFAULT_NODES = 40 };

static enum fm_status check_sampled(struct fm_report *report, struct fm_error *error)
{
    if (fm_report_sampled(report))
        return FM_OK;
    return fm_fail(error, FM_ERR_INPUT, "the profile has no call paths; %s", fm_unsampled_text(report));
}

/* Selects the heaviest nodes; by default fewer than in text. */
static enum fm_status choose(struct fm_report *report, const struct fm_calltree *tree, struct fm_context_rows *rows,
                             struct fm_error *error)
{
    struct fm_report_options asked = report->options;
    if (!asked.top && !asked.all && !asked.with_percent)
        report->options.top = DEFAULT_NODES;
    enum fm_status status = fm_context_rows(report, tree, false, true, rows, error);
    report->options = asked;
    return status;
}

/* Makes the nodes of the shown rows, in their order, with parent, name and share; the caller sets the rest. Parents
 * come before their children, and every parent of a shown row is shown. */
static enum fm_status start_graph(struct fm_report *report, const struct fm_context_rows *rows, struct fm_graph *graph,
                                  struct fm_error *error)
{
    char share[FM_UNIT_CHARS], count[FM_UNIT_CHARS];
    double whole = fm_report_whole_ns(report);
    *graph = (struct fm_graph){.title = "", .foot = "", .n = rows->n};
    graph->nodes = fm_arena_alloc(&report->arena, rows->n * sizeof *graph->nodes);
    if (!graph->nodes)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for a picture");
    for (size_t i = 0; i < rows->n; i++) {
        const struct fm_context *context = rows->items[i].context;
        uint32_t parent = FM_GRAPH_NONE;
        for (size_t k = i; k-- > 0 && parent == FM_GRAPH_NONE;)
            if (rows->items[k].context == context->parent)
                parent = (uint32_t)k;
        graph->nodes[i] = (struct fm_graph_node){.parent = parent, .name = context->id.name, .cost = "", .title = ""};
        graph->nodes[i].share = fm_ratio((double)context->all.of.sum_ns, whole);
    }
    if (rows->left_out)
        graph->foot = fm_format(&report->arena, "%s more below %s of the time", fm_count_text(count, rows->left_out),
                                fm_percent_fine(share, fm_ratio((double)rows->limit_ns, whole)));
    return FM_OK;
}

static const char *title_of(struct fm_report *report, const char *what)
{
    const struct fm_summary *summary = &report->summary;
    char wall[FM_UNIT_CHARS];
    return fm_format(&report->arena, "%s on %u rank%s, %s: %s", summary->name, summary->ranks,
                     summary->ranks == 1 ? "" : "s", fm_time_text(wall, (double)summary->wall_ns), what);
}

/* "41.2 %", or "0 %" if exactly zero. */
static const char *percent(struct fm_report *report, uint64_t ns, double whole)
{
    char share[FM_UNIT_CHARS];
    return ns ? fm_format(&report->arena, "%s %%", fm_percent_text(share, fm_ratio((double)ns, whole))) : "0 %";
}

/* The time and its share after `before`; "" if zero. */
static const char *with_time(struct fm_report *report, const char *before, uint64_t ns, double whole)
{
    char time[FM_UNIT_CHARS];
    return ns ? fm_format(&report->arena, "%s %s, %s", before, fm_time_text(time, (double)ns),
                          percent(report, ns, whole))
              : "";
}

/* ---- functions ---- */

static const char *place_of(struct fm_report *report, const struct fm_context *context)
{
    const struct fm_context_id *id = &context->id;
    if (id->defined[0])
        return fm_format(&report->arena, "\nin %s, line %u", id->defined, context->facts.defined_line);
    return id->module[0] ? fm_format(&report->arena, "\nin %s", id->module) : "";
}

enum fm_status fm_view_calls_graph(struct fm_report *report, struct fm_graph *graph, struct fm_error *error)
{
    struct fm_calltree tree;
    struct fm_context_rows rows;
    enum fm_status status = check_sampled(report, error);
    if (!status)
        status = fm_report_view_functions(report, &tree, error);
    if (!status)
        status = choose(report, &tree, &rows, error);
    if (!status)
        status = start_graph(report, &rows, graph, error);
    if (status)
        return status;
    double whole = fm_report_whole_ns(report);
    graph->title = title_of(report, "functions and their callers");
    for (size_t i = 0; i < rows.n; i++) {
        const struct fm_context *context = rows.items[i].context;
        uint64_t own = context->own.of.sum_ns, all = context->all.of.sum_ns;
        const char *alone = own && own != all ? fm_format(&report->arena, ", own %s", percent(report, own, whole)) : "";
        graph->nodes[i].cost = fm_format(&report->arena, "%s%s", percent(report, all, whole), alone);
        graph->nodes[i].title = fm_format(&report->arena, "%s%s%s%s", context->id.name,
                                          with_time(report, "\ninclusive:", all, whole),
                                          with_time(report, "\nitself:", own, whole), place_of(report, context));
    }
    return FM_OK;
}

/* ---- modules ---- */

static void describe_module(struct fm_report *report, struct fm_graph_node *drawn, const struct fm_module_node *node,
                            double whole)
{
    const struct fm_module_cost *all = &node->all, *own = &node->own;
    drawn->waiting = fm_ratio((double)all->waiting_ns, whole);
    drawn->cost = all->work_ns || !fm_module_total(all) ? percent(report, all->work_ns, whole) : "";
    if (all->transfer_ns)
        drawn->cost = fm_format(&report->arena, "%s%stransfer %s", drawn->cost, drawn->cost[0] ? ", " : "",
                                percent(report, all->transfer_ns, whole));
    if (all->waiting_ns)
        drawn->cost = fm_format(&report->arena, "%s%s[%s]", drawn->cost, drawn->cost[0] ? " " : "",
                                percent(report, all->waiting_ns, whole));
    drawn->title = fm_format(&report->arena, "%s%s%s", node->name,
                             with_time(report, "\nwork, inclusive:", all->work_ns, whole),
                             with_time(report, "\nwork, exclusive:", own->work_ns, whole));
    drawn->title = fm_format(&report->arena, "%s%s%s", drawn->title,
                             with_time(report, "\ntransfer, inclusive:", all->transfer_ns, whole),
                             with_time(report, "\ntransfer, exclusive:", own->transfer_ns, whole));
    drawn->title = fm_format(&report->arena, "%s%s%s", drawn->title,
                             with_time(report, "\nwaiting, inclusive:", all->waiting_ns, whole),
                             with_time(report, "\nwaiting, exclusive:", own->waiting_ns, whole));
}

enum fm_status fm_view_modules_graph(struct fm_report *report, struct fm_graph *graph, struct fm_error *error)
{
    struct fm_calltree calls, tree;
    struct fm_module_breakdown modules;
    struct fm_context_rows rows;
    enum fm_status status = check_sampled(report, error);
    if (!status)
        status = fm_report_modules(report, &calls, &modules, error);
    if (!status)
        status = fm_module_contexts(report, &modules, &tree, error);
    if (!status)
        status = choose(report, &tree, &rows, error);
    if (!status)
        status = start_graph(report, &rows, graph, error);
    if (status)
        return status;
    graph->title = title_of(report, "modules: inclusive work, transfer and [waiting]");
    for (size_t i = 0; i < rows.n; i++)
        describe_module(report, &graph->nodes[i], &modules.nodes[rows.items[i].context->mark],
                        (double)fm_module_total(&modules.whole));
    return FM_OK;
}
