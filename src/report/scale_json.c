/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of runs as JSON; doc/JSON.md documents the keys. */
#include <string.h>

#include "base/basename.h"
#include "render/json.h"
#include "report/advice.h"
#include "report/json_parts.h"
#include "report/scaling.h"

/* Some parsers reject deep nesting; a context is an object in an array. */
enum { DEFAULT_DEPTH = 120, MAX_DEPTH = (FM_JSON_DEPTH - 8) / 2 };

static const char *const modes[] = {[FM_SCALE_STRONG] = "strong", [FM_SCALE_WEAK] = "weak", [FM_SCALE_SAME] = "same"};

/* ---- runs ---- */

static void write_costs(struct fm_scaling *scaling, struct fm_json *json, const struct fm_scaling_costs *costs,
                        size_t run)
{
    double whole = (double)scaling->runs[run].report.summary.wall_sum_ns;
    fm_json_array(json, "costs", FM_JSON_LINES);
    for (size_t i = 0; i < costs->n; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", costs->items[i].name);
        fm_json_seconds(json, "time_s", costs->items[i].time_ns[run]);
        fm_json_number(json, "fraction", fm_ratio((double)costs->items[i].time_ns[run], whole));
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_efficiency(struct fm_scaling *scaling, struct fm_json *json, const char *key, size_t base, size_t run)
{
    struct fm_excess root = fm_scale_excess(&scaling->scale, 0, base, run);
    fm_json_object(json, key, FM_JSON_INLINE);
    fm_json_number(json, "efficiency", fm_scale_efficiency(&scaling->scale, base, run));
    fm_json_number(json, "error", root.all_error);
    fm_json_end(json);
}

static void write_factors(struct fm_scaling *scaling, struct fm_json *json, size_t run)
{
    struct fm_scaling_factors factors = fm_scaling_factors(scaling, run);
    const struct fm_factors *own = &factors.own;
    const struct fm_computation *of = &factors.computation;
    fm_json_object(json, "factors", FM_JSON_INLINE);
    fm_json_number_or_null(json, "global", own->known && of->scaling > 0, factors.global);
    fm_json_number_or_null(json, "computation", of->scaling > 0, of->scaling);
    fm_json_number_or_null(json, "instructions", of->instructions > 0, of->instructions);
    fm_json_number_or_null(json, "ipc", of->ipc > 0, of->ipc);
    fm_json_number_or_null(json, "frequency", of->frequency > 0, of->frequency);
    fm_json_number_or_null(json, "parallel", own->known, own->parallel);
    fm_json_number_or_null(json, "load_balance", own->known, own->load_balance);
    fm_json_number_or_null(json, "communication", own->known, own->communication);
    fm_json_end(json);
}

static void write_run(struct fm_scaling *scaling, struct fm_json *json, const struct fm_scale_advice *advice,
                      const struct fm_scaling_costs *costs, size_t run)
{
    const struct fm_scaling_run *of = &scaling->runs[run];
    fm_json_object(json, NULL, FM_JSON_LINES);
    fm_json_text(json, "profile", of->file);
    fm_json_text(json, "program", of->report.summary.name);
    fm_json_text(json, "job", of->profile->job.id);
    fm_json_whole(json, "ranks", fm_scaling_ranks(scaling, run));
    fm_json_bool(json, "complete", of->report.summary.complete);
    fm_json_seconds(json, "time_s", (uint64_t)fm_scale_total(&scaling->scale, run));
    fm_json_seconds(json, "left_out_s", of->report.helpers_ns);
    fm_json_number(json, "speedup", advice->points[run].speedup);
    fm_json_number(json, "mpi_fraction", of->report.summary.mpi_fraction);
    fm_json_bool(json, "lacks_cores", scaling->judged->runs[run].lacks_cores);
    fm_json_number(json, "running_fraction", scaling->judged->runs[run].running);
    write_efficiency(scaling, json, "to_first", scaling->options.mode == FM_SCALE_SAME ? scaling->base : 0, run);
    if (run && scaling->options.mode != FM_SCALE_SAME)
        write_efficiency(scaling, json, "to_previous", run - 1, run);
    else
        fm_json_null(json, "to_previous");
    write_factors(scaling, json, run);
    write_costs(scaling, json, costs, run);
    fm_json_end(json);
}

/* ---- contexts ---- */

struct scale_writer {
    struct fm_scaling *scaling;
    struct fm_json *json;
    size_t depth;
    double least;
    const double *weights;
};

static void write_excess(const struct scale_writer *writer, uint32_t node)
{
    struct fm_excess excess = fm_scaling_excess(writer->scaling, node);
    fm_json_number(writer->json, "x_inclusive", excess.all);
    fm_json_number(writer->json, "x_exclusive", excess.own);
    fm_json_number(writer->json, "x_inclusive_error", excess.all_error);
    fm_json_number(writer->json, "x_exclusive_error", excess.own_error);
    fm_json_bool(writer->json, "certain", fm_is_certain(excess.all, excess.all_error));
}

static void write_trend(struct fm_json *json, const struct fm_scale *scale, uint32_t node)
{
    struct fm_trend trend;
    if (!fm_trend_fit(scale, node, false, &trend)) {
        fm_json_null(json, "trend");
        return;
    }
    fm_json_object(json, "trend", FM_JSON_INLINE);
    fm_json_text(json, "form", fm_trend_text(trend.form));
    fm_json_number(json, "base_s", trend.base_ns / 1e9);
    fm_json_number(json, "slope_s", trend.slope_ns / 1e9);
    fm_json_number(json, "residual", trend.residual);
    fm_json_end(json);
}

static void write_node(const struct scale_writer *writer, const char *key, uint32_t node, size_t depth)
{
    const struct fm_scale *scale = &writer->scaling->scale;
    const struct fm_scale_node *of = &scale->nodes[node];
    const struct fm_context_id *id = &of->context->id;
    struct fm_json *json = writer->json;
    fm_json_object(json, key, FM_JSON_LINES);
    fm_json_text(json, "kind", fm_context_kind_text(id->kind));
    fm_json_text(json, "name", node ? id->name : "all");
    fm_json_place(json, id);
    fm_json_text_or_null(json, "module", fm_basename(id->module));
    if (id->kind == FM_CONTEXT_FRAME)
        fm_json_bool(json, "inlined", id->inlined);
    fm_json_bool(json, "by_name", of->by_name);
    write_excess(writer, node);
    write_trend(json, scale, node);
    fm_json_array(json, "costs", FM_JSON_INLINE);
    for (size_t r = 0; r < scale->n_runs; r++) {
        const struct fm_scale_cost *cost = fm_scale_cost(scale, node, r);
        if (!(of->runs & 1u << r)) {
            fm_json_null(json, NULL);
            continue;
        }
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_seconds(json, "inclusive_s", cost->all_ns);
        fm_json_seconds(json, "exclusive_s", cost->own_ns);
        fm_json_end(json);
    }
    fm_json_end(json);
    if (depth >= writer->depth && of->first)
        fm_json_bool(json, "cut", true);
    fm_json_array(json, "children", FM_JSON_LINES);
}

static void end_node(const struct scale_writer *writer)
{
    fm_json_end(writer->json);
    fm_json_end(writer->json);
}

static uint32_t next_written(const struct scale_writer *writer, uint32_t node)
{
    while (node && writer->weights[node] < writer->least)
        node = writer->scaling->scale.nodes[node].next;
    return node;
}

/* Not recursive: trees in hostile files can be deep. */
static void write_tree(const struct scale_writer *writer)
{
    const struct fm_scale_node *nodes = writer->scaling->scale.nodes;
    uint32_t at = 0;
    size_t depth = 0;
    write_node(writer, "root", 0, 0);
    for (;;) {
        uint32_t next = depth < writer->depth ? next_written(writer, nodes[at].first) : 0;
        if (next) {
            depth++;
        } else {
            end_node(writer);
            for (; at && !(next = next_written(writer, nodes[at].next)); depth--) {
                at = nodes[at].parent;
                end_node(writer);
            }
            if (!at)
                return;
        }
        at = next;
        write_node(writer, NULL, at, depth);
    }
}

/* ---- document ---- */

static void write_projection(struct fm_scaling *scaling, struct fm_json *json)
{
    struct fm_projection projection;
    if (!scaling->options.project || !fm_scale_project(scaling->judged, scaling->options.project, &projection)) {
        fm_json_null(json, "projection");
        return;
    }
    fm_json_object(json, "projection", FM_JSON_INLINE);
    fm_json_whole(json, "ranks", scaling->options.project);
    fm_json_number(json, "efficiency", projection.efficiency);
    fm_json_number(json, "low", projection.low);
    fm_json_number(json, "high", projection.high);
    fm_json_text(json, "trend", fm_trend_text(projection.trend.form));
    fm_json_end(json);
}

static void write_verdict(struct fm_scaling *scaling, struct fm_json *json, const struct fm_verdict *verdict)
{
    struct fm_scaling_line lines[FM_SCALING_LINES];
    size_t n = fm_scaling_lines(scaling, verdict, lines);
    fm_json_object(json, NULL, FM_JSON_LINES);
    fm_json_text(json, "text", fm_scaling_verdict_text(scaling, verdict));
    fm_json_text(json, "cause", verdict->cause == FM_CAUSE_MPI ? "communication" : "computation");
    fm_json_text(json, "name", scaling->judged->nodes[verdict->node].context->id.name);
    fm_json_number(json, "x", verdict->excess.own);
    fm_json_number(json, "x_error", verdict->excess.own_error);
    fm_json_array(json, "callers", FM_JSON_LINES);
    for (size_t i = 0; i < verdict->n_callers && i < FM_VERDICT_CALLERS; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_text(json, "name", scaling->judged->nodes[verdict->callers[i].node].context->id.name);
        fm_json_number(json, "x", verdict->callers[i].excess);
        uint32_t through = verdict->callers[i].through;
        fm_json_text_or_null(json, "through", through ? scaling->judged->nodes[through].context->id.name : "");
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_array(json, "lines", FM_JSON_LINES);
    for (size_t i = 0; i < n; i++) {
        fm_json_object(json, NULL, FM_JSON_INLINE);
        fm_json_place(json, lines[i].id);
        fm_json_number(json, "x", lines[i].excess);
        fm_json_end(json);
    }
    fm_json_end(json);
    fm_json_end(json);
}

static void write_verdicts(struct fm_scaling *scaling, struct fm_json *json)
{
    const struct fm_verdicts *verdicts = &scaling->verdicts;
    fm_json_whole(json, "verdicts_of", scaling->other);
    fm_json_array(json, "verdicts", FM_JSON_LINES);
    for (size_t i = 0; i < verdicts->n; i++)
        write_verdict(scaling, json, &verdicts->items[i]);
    fm_json_end(json);
    fm_json_array(json, "gains", FM_JSON_LINES);
    for (size_t i = 0; i < verdicts->n_gains; i++)
        write_verdict(scaling, json, &verdicts->gains[i]);
    fm_json_end(json);
    fm_json_object(json, "startup", FM_JSON_INLINE);
    fm_json_number(json, "fraction", verdicts->startup_share);
    fm_json_number(json, "x", verdicts->startup.own);
    fm_json_number(json, "x_error", verdicts->startup.own_error);
    fm_json_end(json);
}

enum fm_status fm_scaling_json_start(struct fm_scaling *scaling, struct fm_json *json, enum fm_json_style style,
                                     struct fm_error *error)
{
    const struct fm_scaling_options *options = &scaling->options;
    struct fm_scaling_costs costs;
    struct fm_scale_advice advice;
    enum fm_status status = fm_scaling_costs(scaling, &costs, error);
    if (status)
        return status;
    bool asked = options->mode != FM_SCALE_SAME && !options->focus;
    fm_scale_advise(scaling->judged, options->threshold, &advice);
    fm_json_object(json, NULL, style);
    fm_json_whole(json, "fathom", 1);
    fm_json_object(json, "scale", FM_JSON_LINES);
    fm_json_text(json, "mode", modes[options->mode]);
    fm_json_text(json, "view", fm_scaling_views[options->view]);
    fm_json_whole(json, "base", scaling->base);
    fm_json_whole(json, "other", scaling->other);
    fm_json_text(json, "headline", fm_scaling_headline(scaling));
    fm_json_text_or_null(json, "advice",
                         asked ? fm_advice_text(&advice, options->threshold, "time in MPI", &scaling->arena) : "");
    fm_json_array(json, "notes", FM_JSON_LINES);
    for (size_t i = 0; i < scaling->notes.n; i++)
        fm_json_text(json, NULL, scaling->notes.items[i]);
    fm_json_end(json);
    fm_json_array(json, "runs", FM_JSON_LINES);
    for (size_t i = 0; i < scaling->n; i++)
        write_run(scaling, json, &advice, &costs, i);
    fm_json_end(json);
    fm_advice_json(asked ? &advice : NULL, options->threshold, "mpi_jumps_after", json);
    write_projection(scaling, json);
    write_verdicts(scaling, json);
    return FM_OK;
}

enum fm_status fm_scaling_json(struct fm_scaling *scaling, FILE *out, struct fm_error *error)
{
    if (scaling->options.view == FM_SCALING_SPLIT)
        return fm_scaling_split_json(scaling, out, error);
    const struct fm_scaling_options *options = &scaling->options;
    struct fm_json json = {.out = out};
    struct scale_writer writer = {
        .scaling = scaling,
        .json = &json,
        .depth = options->depth ? options->depth : DEFAULT_DEPTH,
        .least = options->with_percent ? options->percent / 100 : 0,
        .weights = fm_scaling_weights(scaling, false),
    };
    if (writer.depth > MAX_DEPTH)
        writer.depth = MAX_DEPTH;
    if (!writer.weights)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the contexts");
    enum fm_status status = fm_scaling_json_start(scaling, &json, FM_JSON_LINES, error);
    if (status)
        return status;
    write_tree(&writer);
    fm_json_end(&json);
    fm_json_end(&json);
    return FM_OK;
}
