/* SPDX-License-Identifier: BSD-3-Clause */
/* The call paths of a JSON report: the trees of calls, callers and the flat tree. */
#include "analyse/calls/address_tree.h"
#include "base/basename.h"
#include "report/json_parts.h"
#include "report/programs.h"
#include "report/report_calls.h"

/* JSON parsers limit nesting, jq 1.6 to 256. A context takes two levels, and a few are around the tree. */
enum { DEFAULT_DEPTH = 120, MAX_DEPTH = (FM_JSON_DEPTH - 8) / 2 };

struct calls_writer {
    struct fm_report *report;
    struct fm_json *json;
    enum fm_calltree_kind which;
    uint32_t ranks;
    size_t depth;
    double least_ns;
};

static void write_extreme(struct fm_json *json, const char *key, const char *rank_key, uint64_t ns, uint32_t rank,
                          bool known)
{
    if (known)
        fm_json_seconds(json, key, ns);
    else
        fm_json_null(json, key);
    if (known && rank != FM_NO_RANK)
        fm_json_whole(json, rank_key, rank);
    else
        fm_json_null(json, rank_key);
}

static void write_spread(const struct calls_writer *writer, const struct fm_context_cost *cost)
{
    struct fm_path_spread spread = fm_path_spread_of(&cost->of, writer->ranks);
    fm_json_object(writer->json, "per_rank", FM_JSON_INLINE);
    write_extreme(writer->json, "min", "min_rank", spread.min_ns, fm_report_rank(writer->report, spread.min_rank),
                  !cost->no_least);
    write_extreme(writer->json, "max", "max_rank", spread.max_ns, fm_report_rank(writer->report, spread.max_rank),
                  !cost->no_most);
    fm_json_seconds(writer->json, "avg", (uint64_t)spread.mean_ns);
    fm_json_seconds(writer->json, "deviation", (uint64_t)spread.deviation_ns);
    fm_json_bool(writer->json, "estimated", cost->estimated);
    fm_json_end(writer->json);
}

static const char *name_of(const struct fm_context *context)
{
    return context->id.kind == FM_CONTEXT_ROOT ? "all" : context->id.name;
}

static void write_fields(const struct calls_writer *writer, const struct fm_context *context)
{
    const struct fm_context_id *id = &context->id;
    struct fm_json *json = writer->json;
    fm_json_text(json, "kind", fm_context_kind_text(id->kind));
    fm_json_text(json, "name", name_of(context));
    fm_json_place(json, id);
    fm_json_bool(json, "approximate_line", context->facts.approximate);
    fm_json_text_or_null(json, "module", fm_basename(id->module));
    if (id->kind == FM_CONTEXT_FRAME || (writer->which == FM_CALLTREE_CALLERS && id->kind == FM_CONTEXT_CALL_SITE)) {
        fm_json_text_or_null(json, "defined", id->defined);
        fm_json_bool(json, "inlined", id->inlined);
        fm_json_bool(json, "parallel_body", id->body != NULL);
        fm_json_bool(json, "inferred", context->facts.inferred);
        fm_json_bool(json, "callers_missing", context->facts.callers_missing);
    }
    fm_json_seconds(json, "inclusive_s", context->all.of.sum_ns);
    fm_json_seconds(json, "exclusive_s", context->own.of.sum_ns);
    write_spread(writer, &context->all);
}

static bool is_written(const struct calls_writer *writer, const struct fm_context *context)
{
    return (double)context->all.of.sum_ns >= writer->least_ns;
}

static void open_context(const struct calls_writer *writer, const struct fm_context *context, const char *key,
                         size_t depth)
{
    fm_json_object(writer->json, key, FM_JSON_LINES);
    write_fields(writer, context);
    if (depth >= writer->depth && context->first)
        fm_json_bool(writer->json, "cut", true);
    fm_json_array(writer->json, "children", FM_JSON_LINES);
}

static void close_context(const struct calls_writer *writer)
{
    fm_json_end(writer->json);
    fm_json_end(writer->json);
}

static const struct fm_context *next_written(const struct calls_writer *writer, const struct fm_context *context)
{
    while (context && !is_written(writer, context))
        context = context->next;
    return context;
}

/* Writes a context and everything below it. Not recursive: trees in hostile files can be deep. */
static void write_tree(const struct calls_writer *writer, const struct fm_context *top, const char *key)
{
    const struct fm_context *at = top;
    size_t depth = 0;
    open_context(writer, top, key, 0);
    for (;;) {
        const struct fm_context *next = depth < writer->depth ? next_written(writer, at->first) : NULL;
        if (next) {
            depth++;
        } else {
            close_context(writer);
            for (; at != top && !(next = next_written(writer, at->next)); depth--) {
                at = at->parent;
                close_context(writer);
            }
            if (at == top)
                return;
        }
        at = next;
        open_context(writer, at, NULL, depth);
    }
}

static enum fm_status write_one(struct calls_writer *writer, enum fm_calltree_kind which, const char *key,
                                struct fm_error *error)
{
    struct fm_calltree tree;
    const struct fm_report_options *options = &writer->report->options;
    enum fm_status status = fm_report_lines_tree(writer->report, which, &tree, error);
    if (status)
        return status;
    writer->which = which;
    writer->least_ns = options->with_percent ? options->percent / 100 * fm_report_whole_ns(writer->report) : 0;
    writer->ranks = tree.ranks;
    write_tree(writer, tree.root, key);
    return FM_OK;
}

void fm_json_calls_head(struct fm_report *report, struct fm_json *json)
{
    const struct fm_call_paths *paths = &report->profile->paths;
    fm_json_number(json, "hz", fm_sampling_hz(paths));
    fm_json_whole(json, "samples", paths->samples);
    fm_json_number(json, "complete_fraction",
                   paths->samples ? 1 - fm_ratio((double)paths->partial, (double)paths->samples) : 1);
    if (paths->lost == FM_UNKNOWN)
        fm_json_null(json, "lost");
    else
        fm_json_whole(json, "lost", paths->lost);
    fm_json_seconds(json, "time_s", paths->nodes[0].all.sum_ns);
    if (paths->folded_ns == FM_UNKNOWN)
        fm_json_null(json, "folded_s");
    else
        fm_json_seconds(json, "folded_s", paths->folded_ns);
}

enum fm_status fm_json_calls(struct fm_report *report, struct fm_json *json, struct fm_error *error)
{
    const struct fm_report_options *options = &report->options;
    if (!fm_report_sampled(report)) {
        fm_json_null(json, "calls");
        return FM_OK;
    }
    struct calls_writer writer = {
        .report = report,
        .json = json,
        .depth = options->depth ? options->depth : DEFAULT_DEPTH,
    };
    if (writer.depth > MAX_DEPTH)
        writer.depth = MAX_DEPTH;
    fm_json_object(json, "calls", FM_JSON_LINES);
    fm_json_calls_head(report, json);
    enum fm_status status = write_one(&writer, FM_CALLTREE_CALLS, "root", error);
    if (!status)
        status = write_one(&writer, FM_CALLTREE_CALLERS, "callers", error);
    if (!status)
        status = write_one(&writer, FM_CALLTREE_FLAT, "flat", error);
    fm_json_seconds(json, "left_out_s", report->helpers_ns);
    fm_json_end(json);
    return status;
}
