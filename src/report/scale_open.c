/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "analyse/balance/core_use.h"
#include "analyse/scaling/scale_measured.h"
#include "base/basename.h"
#include "base/units.h"
#include "report/scaling.h"

const char *const fm_scaling_views[] = {"",       "calls", "callers",    "flat",  "mpi",
                                        "timers", "costs", "efficiency", "split", NULL};

static bool is_sampled_view(enum fm_scaling_view view)
{
    return view == FM_SCALING_CALLS || view == FM_SCALING_CALLERS || view == FM_SCALING_FLAT;
}

/* ---- notes ---- */

/* Of two versions A comes first, otherwise the smallest run. */
static enum fm_status find_notes(struct fm_scaling *scaling, struct fm_error *error)
{
    struct fm_noted_run *runs = fm_arena_alloc(&scaling->arena, scaling->n * sizeof *runs);
    if (!runs)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu runs", scaling->n);
    for (size_t i = 0; i < scaling->n; i++) {
        size_t run = scaling->base ? scaling->n - 1 - i : i;
        runs[i] = (struct fm_noted_run){&scaling->runs[run].report, scaling->runs[run].file,
                                        fm_scaling_run_text(scaling, run)};
    }
    fm_run_notes_find(&scaling->notes, runs, scaling->n, scaling->options.mode,
                      scaling->options.view != FM_SCALING_SPLIT, &scaling->arena);
    return FM_OK;
}

/* Lines within functions are matched by name whenever samples fell on different lines, so only functions and routines
 * indicate a change. */
static void note_matched(struct fm_scaling *scaling)
{
    char count[FM_UNIT_CHARS];
    size_t n = 0;
    for (size_t i = 0; i < scaling->scale.n; i++) {
        enum fm_context_kind kind = scaling->scale.nodes[i].context->id.kind;
        n += scaling->scale.nodes[i].by_name && (kind == FM_CONTEXT_FRAME || kind == FM_CONTEXT_ROUTINE);
    }
    if (n)
        fm_run_notes_add(&scaling->notes, &scaling->arena,
                         fm_format(&scaling->arena, "%s call%s matched by name only: the lines differ",
                                   fm_count_text(count, n), n == 1 ? " was" : "s were"));
}

/* ---- runs and view ---- */

static uint32_t processes_of(const struct fm_scaling_run *run)
{
    return run->report.summary.measured ? run->report.summary.measured : 1;
}

/* Insertion sort: there are few runs, and it is stable. */
static void sort_runs(struct fm_scaling_run *runs, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k && processes_of(&runs[k - 1]) > processes_of(&runs[k]); k--) {
            struct fm_scaling_run run = runs[k];
            runs[k] = runs[k - 1];
            runs[k - 1] = run;
        }
}

static enum fm_status check_sizes(const struct fm_scaling *scaling, struct fm_error *error)
{
    for (size_t i = 1; i < scaling->n && scaling->options.mode != FM_SCALE_SAME; i++)
        if (processes_of(&scaling->runs[i]) == processes_of(&scaling->runs[i - 1]))
            return fm_fail(error, FM_ERR_USAGE,
                           "%s and %s both have %u rank%s; use --same to compare runs of the same size",
                           scaling->runs[i - 1].file, scaling->runs[i].file, processes_of(&scaling->runs[i]),
                           processes_of(&scaling->runs[i]) == 1 ? "" : "s");
    uint32_t largest = processes_of(&scaling->runs[scaling->n - 1]);
    if (scaling->options.project && scaling->options.project <= largest)
        return fm_fail(error, FM_ERR_USAGE, "--project %u must exceed the largest run, which has %u rank%s",
                       scaling->options.project, largest, largest == 1 ? "" : "s");
    return FM_OK;
}

static enum fm_status choose_view(struct fm_scaling *scaling, struct fm_error *error)
{
    enum fm_scaling_view *view = &scaling->options.view;
    const char *unsampled = NULL, *untimed = NULL;
    for (size_t i = 0; i < scaling->n; i++) {
        if (!fm_report_sampled(&scaling->runs[i].report))
            unsampled = scaling->runs[i].file;
        if (!scaling->runs[i].profile->n_timers)
            untimed = scaling->runs[i].file;
    }
    if (*view == FM_SCALING_USUAL)
        *view = unsampled ? FM_SCALING_MPI : FM_SCALING_CALLS;
    if (is_sampled_view(*view) && unsampled)
        return fm_fail(error, FM_ERR_USAGE, "%s has no call paths; the available views are %s", unsampled,
                       untimed ? "mpi and costs" : "mpi, timers and costs");
    if (*view == FM_SCALING_TIMERS && untimed)
        return fm_fail(error, FM_ERR_USAGE, "%s has no timers; the available views are %s", untimed,
                       unsampled ? "mpi and costs" : "mpi, costs, calls, callers and flat");
    /* Calls that cannot be attributed to this program would appear as its computation. */
    for (size_t i = 0; i < scaling->n && (*view == FM_SCALING_MPI || *view == FM_SCALING_COSTS); i++) {
        const struct fm_part *part = scaling->runs[i].profile->part;
        if (part && part->calls)
            return fm_fail(error, FM_ERR_INPUT,
                           "%s has MPI calls from libraries that several programs use only as a sum "
                           "over all programs, so --view %s cannot show %s alone",
                           scaling->runs[i].file, fm_scaling_views[*view], part->label);
    }
    return FM_OK;
}

/* ---- trees ---- */

/* Makes the tree of the focused function, as part of the whole run. A run need not contain it. */
static enum fm_status make_paths(struct fm_scaling_run *run, enum fm_calltree_kind which, struct fm_calltree *tree,
                                 struct fm_error *error)
{
    enum fm_status status = fm_report_calltree(&run->report, which, tree, error);
    if (status && status != FM_ERR_USAGE)
        return status;
    tree->root->all.of = run->profile->paths.nodes[0].all;
    tree->root->all.of.sum_ns -= run->report.helpers_ns;
    return FM_OK;
}

static enum fm_status make_tree(struct fm_scaling_run *run, enum fm_scaling_view view, struct fm_calltree *tree,
                                struct fm_error *error)
{
    switch (view) {
    case FM_SCALING_CALLS:
        return make_paths(run, FM_CALLTREE_CALLS, tree, error);
    case FM_SCALING_CALLERS:
        return make_paths(run, FM_CALLTREE_CALLERS, tree, error);
    case FM_SCALING_FLAT:
        return make_paths(run, FM_CALLTREE_FLAT, tree, error);
    case FM_SCALING_TIMERS:
        return fm_measured_timers(run->profile, &run->report.arena, tree, error);
    default:
        return fm_measured_mpi(run->profile, run->symbols, &run->report.arena, tree, error);
    }
}

static enum fm_status join(struct fm_scaling *scaling, bool calls, struct fm_scale *scale, struct fm_error *error)
{
    struct fm_scale_run *inputs = fm_arena_alloc(&scaling->arena, scaling->n * sizeof *inputs);
    if (!inputs)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for %zu runs", scaling->n);
    for (size_t i = 0; i < scaling->n; i++) {
        struct fm_scaling_run *run = &scaling->runs[i];
        struct fm_core_use use = fm_core_use(run->profile);
        inputs[i] = (struct fm_scale_run){
            .tree = calls ? &run->calls : &run->tree,
            .processes = processes_of(run),
            .period_ns = is_sampled_view(scaling->options.view) ? run->profile->paths.period_ns[1] : 0,
            .program = run->profile->job.exe,
            .build = run->profile->job.build_id,
            .lacks_cores = use.lack != FM_CORES_ENOUGH,
            .running = use.running,
        };
    }
    return fm_scale_join(scaling->options.mode, inputs, scaling->n, &scaling->arena, scale, error);
}

static enum fm_status make_view(struct fm_scaling *scaling, struct fm_error *error)
{
    bool found = false;
    for (size_t i = 0; i < scaling->n; i++) {
        struct fm_scaling_run *run = &scaling->runs[i];
        enum fm_status status = make_tree(run, scaling->options.view, &run->tree, error);
        if (status)
            return status;
        found |= run->tree.root->first != NULL;
    }
    if (scaling->options.focus && !found)
        return fm_fail(error, FM_ERR_USAGE, "no samples in function '%s'", scaling->options.focus);
    enum fm_status status = join(scaling, false, &scaling->scale, error);
    return status ? status
                  : fm_scale_sort(&scaling->scale, scaling->base, scaling->other, fm_scaling_by_own(scaling), error);
}

static enum fm_status judge(struct fm_scaling *scaling, struct fm_error *error)
{
    enum fm_scaling_view view = scaling->options.view;
    scaling->judged = &scaling->scale;
    if (view == FM_SCALING_CALLERS || view == FM_SCALING_FLAT || view == FM_SCALING_TIMERS) {
        struct fm_scale *scale = fm_arena_alloc(&scaling->arena, sizeof *scale);
        enum fm_status status = scale ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the verdict");
        for (size_t i = 0; i < scaling->n && !status; i++)
            status = make_tree(&scaling->runs[i], view == FM_SCALING_TIMERS ? FM_SCALING_MPI : FM_SCALING_CALLS,
                               &scaling->runs[i].calls, error);
        if (!status)
            status = join(scaling, true, scale, error);
        if (status)
            return status;
        scaling->judged = scale;
    }
    return fm_scale_judge(scaling->judged, scaling->base, scaling->other, &scaling->verdicts, error);
}

/* ---- opening ---- */

static enum fm_status open_reports(struct fm_scaling *scaling, size_t n, struct fm_error *error)
{
    const struct fm_report_options options = {
        .focus = scaling->options.focus,
        .depth = scaling->options.depth,
        .fold_mpi = !scaling->options.inside_mpi,
        .fold_recursion = scaling->options.fold_recursion,
    };
    enum fm_status status = FM_OK;
    while (!status && scaling->n < n) {
        struct fm_scaling_run *run = &scaling->runs[scaling->n];
        status = fm_report_open(&run->report, run->profile, run->symbols, &options, error);
        scaling->n += !status;
    }
    return status;
}

/* The tree compares the smallest and the largest run, or the first and the second of two versions. */
static void choose_pair(struct fm_scaling *scaling, const char *first)
{
    scaling->base = 0;
    scaling->other = scaling->n - 1;
    if (scaling->options.mode == FM_SCALE_SAME && scaling->runs[0].file != first) {
        scaling->base = 1;
        scaling->other = 0;
    }
}

enum fm_status fm_scaling_open(struct fm_scaling *scaling, struct fm_scaling_run *runs, size_t n,
                               const struct fm_scaling_options *options, struct fm_error *error)
{
    const char *first = runs[0].file;
    *scaling = (struct fm_scaling){.options = *options, .runs = runs};
    enum fm_status status = open_reports(scaling, n, error);
    if (status)
        return status;
    sort_runs(runs, n);
    choose_pair(scaling, first);
    if (scaling->options.view == FM_SCALING_SPLIT)
        return find_notes(scaling, error);
    status = check_sizes(scaling, error);
    if (!status)
        status = choose_view(scaling, error);
    if (!status)
        status = make_view(scaling, error);
    if (!status)
        status = judge(scaling, error);
    if (!status)
        status = find_notes(scaling, error);
    if (status)
        return status;
    note_matched(scaling);
    return FM_OK;
}

void fm_scaling_close(struct fm_scaling *scaling)
{
    for (size_t i = 0; i < scaling->n; i++)
        fm_report_close(&scaling->runs[i].report);
    fm_arena_destroy(&scaling->arena);
}

/* ---- shared by text, JSON and CSV ---- */

struct fm_excess fm_scaling_excess(const struct fm_scaling *scaling, uint32_t node)
{
    return fm_scale_excess(&scaling->scale, node, scaling->base, scaling->other);
}

bool fm_scaling_by_own(const struct fm_scaling *scaling)
{
    return scaling->options.view == FM_SCALING_CALLERS && !scaling->options.focus;
}

struct fm_scaling_run *fm_scaling_run_of(const struct fm_scaling *scaling, const struct fm_scale *scale, uint32_t node)
{
    size_t run = scaling->n - 1;
    while (run && !(scale->nodes[node].runs & 1u << run))
        run--;
    return &scaling->runs[run];
}

const char *fm_scaling_label(const struct fm_scaling *scaling, uint32_t node, size_t columns)
{
    static const enum fm_calltree_kind kinds[] = {[FM_SCALING_CALLERS] = FM_CALLTREE_CALLERS,
                                                  [FM_SCALING_FLAT] = FM_CALLTREE_FLAT,
                                                  [FM_SCALING_COSTS] = FM_CALLTREE_CALLS,
                                                  [FM_SCALING_EFFICIENCY] = FM_CALLTREE_CALLS};
    const struct fm_context *context = scaling->scale.nodes[node].context;
    struct fm_report *report = &fm_scaling_run_of(scaling, &scaling->scale, node)->report;
    if (context->id.kind == FM_CONTEXT_ROOT)
        return "all";
    if (scaling->options.view == FM_SCALING_MPI && context->id.kind == FM_CONTEXT_FRAME && !context->id.line) {
        if (!context->id.module[0])
            return fm_format(&report->arena, "region %s", context->id.name);
        if (strcmp(fm_basename(context->id.module), fm_basename(report->profile->job.exe)) == 0)
            return context->id.name; /* in the program itself */
    }
    return fm_context_label(report, context, kinds[scaling->options.view], columns);
}

uint32_t fm_scaling_ranks(const struct fm_scaling *scaling, size_t run)
{
    return processes_of(&scaling->runs[run]);
}

const char *fm_scaling_run_text(struct fm_scaling *scaling, size_t run)
{
    uint32_t ranks = fm_scaling_ranks(scaling, run);
    if (scaling->options.mode == FM_SCALE_SAME)
        return run == scaling->base ? "A" : "B";
    return fm_format(&scaling->arena, "%u rank%s", ranks, ranks == 1 ? "" : "s");
}
