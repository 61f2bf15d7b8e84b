/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_calls.h"

#include "analyse/calls/rank_extremes.h"
#include "analyse/calls/workers.h"
#include "base/saturate.h"
#include "base/units.h"
#include "render/shorten.h"
#include "report/context_text.h"

bool fm_report_sampled(const struct fm_report *report)
{
    return report->profile->paths.n > 0 && report->profile->paths.nodes[0].all.sum_ns > 0;
}

enum { CALLERS_DEPTH = 3 };

static size_t callers_depth(const struct fm_report *report)
{
    return report->options.depth ? report->options.depth - 1 : CALLERS_DEPTH;
}

const char *fm_context_kind_text(enum fm_context_kind kind)
{
    static const char *const texts[FM_CONTEXT_KINDS] = {
        [FM_CONTEXT_ROOT] = "root",           [FM_CONTEXT_GAP] = "gap",
        [FM_CONTEXT_FRAME] = "frame",         [FM_CONTEXT_ROUTINE] = "routine",
        [FM_CONTEXT_CALL_SITE] = "call_site", [FM_CONTEXT_STATEMENT] = "statement",
        [FM_CONTEXT_MODULE] = "module",       [FM_CONTEXT_FILE] = "file",
    };
    return texts[kind];
}

double fm_sampling_hz(const struct fm_call_paths *paths)
{
    double hz = paths->period_ns[0] ? 1e9 / (double)paths->period_ns[0] : 0;
    double whole = (double)fm_rounded(hz); /* periods are whole ns, so the rate is not exact */
    return hz - whole < 0.01 && whole - hz < 0.01 ? whole : hz;
}

uint64_t fm_calltree_mpi_ns(const struct fm_calltree *calls)
{
    uint64_t ns = 0;
    for (const struct fm_context *at = calls->root; at; at = fm_context_after(calls->root, at))
        ns += at->id.kind == FM_CONTEXT_ROUTINE ? at->own.of.sum_ns : 0;
    return ns;
}

/* ---- construction ---- */

/* Removes all functions except one from a tree of callers. */
static void keep_function(struct fm_calltree *callers, const char *function)
{
    struct fm_context *root = callers->root;
    root->all = (struct fm_context_cost){0};
    for (struct fm_context **link = &root->first; *link;) {
        if (fm_context_is(*link, function)) {
            fm_context_cost_add(&root->all, &(*link)->all, callers->ranks, callers->arena);
            link = &(*link)->next;
        } else {
            *link = (*link)->next;
            root->n_children--;
        }
    }
}

static enum fm_status make_calls(struct fm_report *report, bool without_helpers, struct fm_calltree *calls,
                                 struct fm_error *error)
{
    struct fm_calltree folded;
    enum fm_status status = fm_calltree_make(report->profile, report->symbols, &report->arena, calls, error);
    if (status)
        return status;
    fm_calltree_begin_with_main(calls);
    status = fm_calltree_join_workers(calls, error);
    if (status)
        return status;
    report->helpers_ns = without_helpers ? fm_calltree_without_helpers(calls) : 0;
    if (report->options.fold_mpi) {
        status = fm_calltree_fold_mpi(calls, &report->arena, &folded, error);
        *calls = folded;
    }
    if (!status && report->options.fold_recursion) {
        status = fm_calltree_fold_cycles(calls, &report->arena, &folded, error);
        *calls = folded;
    }
    return status;
}

static enum fm_status make(struct fm_report *report, enum fm_calltree_kind which, bool without_helpers,
                           struct fm_calltree *tree, struct fm_error *error)
{
    const char *focus = report->options.focus;
    struct fm_calltree calls, focused;
    enum fm_status status = make_calls(report, without_helpers, &calls, error);
    if (status)
        return status;
    if (which == FM_CALLTREE_CALLERS) {
        status = fm_calltree_callers(&calls, callers_depth(report), &report->arena, tree, error);
        if (!status && focus)
            keep_function(tree, focus);
        return status;
    }
    if (focus) {
        status = fm_calltree_focus(&calls, focus, &report->arena, &focused, error);
        if (status)
            return status;
        calls = focused;
    }
    if (which == FM_CALLTREE_FLAT)
        return fm_calltree_flat(&calls, &report->arena, tree, error);
    *tree = calls;
    return FM_OK;
}

static enum fm_status finish(struct fm_report *report, enum fm_calltree_kind which, struct fm_calltree *tree,
                             struct fm_error *error)
{
    const struct fm_report_options *options = &report->options;
    enum fm_context_metric usual = which == FM_CALLTREE_CALLERS && !options->focus ? FM_BY_EXCLUSIVE : FM_BY_INCLUSIVE;
    if (options->focus && !tree->root->first)
        return fm_fail(error, FM_ERR_USAGE,
                       "no samples in function '%s'; 'fathom report PROFILE --view flat --all' lists all functions",
                       options->focus);
    fm_calltree_extremes(tree);
    if (report->helpers_ns) /* the extremes of all threads are known, but not those of the rest */
        tree->root->all.no_least = tree->root->all.no_most = true;
    return fm_calltree_sort(tree, options->sorted ? options->sort : usual, error);
}

enum fm_status fm_report_calltree(struct fm_report *report, enum fm_calltree_kind which, struct fm_calltree *tree,
                                  struct fm_error *error)
{
    bool without_helpers = which == FM_CALLTREE_PROGRAM || report->options.fold_mpi;
    enum fm_status status = make(report, which, without_helpers, tree, error);
    return status ? status : finish(report, which, tree, error);
}

enum fm_status fm_report_lines_tree(struct fm_report *report, enum fm_calltree_kind which, struct fm_calltree *tree,
                                    struct fm_error *error)
{
    enum fm_status status = make(report, which, !report->options.inside_mpi, tree, error);
    return status ? status : finish(report, which, tree, error);
}

enum fm_status fm_report_view_tree(struct fm_report *report, enum fm_calltree_kind which, struct fm_calltree *tree,
                                   struct fm_error *error)
{
    struct fm_calltree made;
    if (which != FM_CALLTREE_CALLS || report->options.lines)
        return fm_report_lines_tree(report, which, tree, error);
    enum fm_status status = make(report, which, !report->options.inside_mpi, &made, error);
    if (!status)
        status = fm_calltree_fold_lines(&made, &report->arena, tree, error);
    return status ? status : finish(report, which, tree, error);
}

double fm_report_whole_ns(const struct fm_report *report)
{
    return (double)report->profile->paths.nodes[0].all.sum_ns - (double)report->helpers_ns;
}

/* ---- hot path ---- */

enum { HOT_NAMES = 6, NAME_COLUMNS = 40 };

enum fm_status fm_hot_path_text(struct fm_report *report, const char **text, struct fm_error *error)
{
    struct fm_calltree calls;
    char share[FM_UNIT_CHARS];
    const struct fm_context *frames[HOT_NAMES], *end = NULL;
    size_t n = 0;
    *text = "";
    if (!fm_report_sampled(report))
        return FM_OK;
    enum fm_status status = fm_report_view_tree(report, FM_CALLTREE_CALLS, &calls, error);
    if (status)
        return status;
    for (const struct fm_context *at = fm_context_hot(calls.root); at; at = fm_context_hot(at)) {
        end = at;
        if (at->id.kind == FM_CONTEXT_FRAME || at->id.kind == FM_CONTEXT_ROUTINE)
            frames[n++ % HOT_NAMES] = at;
    }
    if (!n)
        return FM_OK;
    const char *path = n > HOT_NAMES ? ".. > " : "";
    struct fm_context_marks marks = {.approximate = end->facts.approximate};
    for (size_t i = n > HOT_NAMES ? n - HOT_NAMES : 0; i < n; i++) {
        const struct fm_context *frame = frames[i % HOT_NAMES];
        bool missing = frame->facts.callers_missing, inferred = frame->facts.inferred && !missing;
        bool body = frame->id.body && !missing && !inferred;
        marks.callers_missing |= missing;
        marks.inferred |= inferred;
        marks.body |= body;
        path = fm_format(&report->arena, "%s%s%s%s", path, fm_shorten(&report->arena, frame->id.name, NAME_COLUMNS),
                         missing    ? " (?)"
                         : inferred ? " (t)"
                         : body     ? " (p)"
                                    : "",
                         i + 1 < n ? " > " : "");
    }
    const char *place = fm_context_place(report, end);
    if (place[0])
        path = fm_format(&report->arena, "%s %s", path, place);
    fm_percent_whole(share, fm_ratio((double)end->all.of.sum_ns, (double)calls.root->all.of.sum_ns));
    *text = fm_format(&report->arena, "%s, %s of the time%s", path, share, fm_context_marks_text(report, &marks));
    return FM_OK;
}

static enum fm_status without_lines(struct fm_report *report, const struct fm_calltree *calls,
                                    struct fm_calltree *functions, struct fm_error *error)
{
    enum fm_status status = fm_calltree_functions(calls, &report->arena, functions, error);
    return status ? status : fm_calltree_sort(functions, FM_BY_INCLUSIVE, error);
}

enum fm_status fm_report_functions(struct fm_report *report, struct fm_calltree *functions, struct fm_error *error)
{
    struct fm_calltree calls;
    enum fm_status status = fm_report_calltree(report, FM_CALLTREE_CALLS, &calls, error);
    return status ? status : without_lines(report, &calls, functions, error);
}

enum fm_status fm_report_view_functions(struct fm_report *report, struct fm_calltree *functions, struct fm_error *error)
{
    struct fm_calltree calls;
    enum fm_status status = fm_report_view_tree(report, FM_CALLTREE_CALLS, &calls, error);
    return status ? status : without_lines(report, &calls, functions, error);
}
