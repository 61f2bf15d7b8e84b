/* SPDX-License-Identifier: BSD-3-Clause */
/* The contexts of a comparison as CSV: one row per context, numbered from 0 (the root), and two columns per run with
 * its costs, named after its number of ranks. */
#include "render/csv.h"
#include "report/scaling.h"

static void write_heading(struct fm_scaling *scaling, struct fm_csv *csv)
{
    static const char *const keys[] = {
        "id",   "parent", "depth",   "kind",        "name",        "inlined",           "path",
        "line", "module", "by_name", "x_inclusive", "x_exclusive", "x_inclusive_error", "x_exclusive_error",
        "trend"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        fm_csv_text(csv, keys[i]);
    for (size_t r = 0; r < scaling->n; r++) {
        const char *run = scaling->options.mode == FM_SCALE_SAME
                              ? fm_scaling_run_text(scaling, r)
                              : fm_format(&scaling->arena, "%u", fm_scaling_ranks(scaling, r));
        fm_csv_text(csv, fm_format(&scaling->arena, "inclusive_s_%s", run));
        fm_csv_text(csv, fm_format(&scaling->arena, "exclusive_s_%s", run));
    }
    fm_csv_end_row(csv);
}

static void write_row(struct fm_scaling *scaling, struct fm_csv *csv, uint32_t node, const uint32_t *numbers,
                      uint32_t depth)
{
    const struct fm_scale_node *of = &scaling->scale.nodes[node];
    const struct fm_context_id *id = &of->context->id;
    struct fm_excess excess = fm_scaling_excess(scaling, node);
    struct fm_trend trend;
    fm_csv_whole(csv, numbers[node]);
    if (node)
        fm_csv_whole(csv, numbers[of->parent]);
    else
        fm_csv_text(csv, "");
    fm_csv_whole(csv, depth);
    fm_csv_text(csv, fm_context_kind_text(id->kind));
    fm_csv_text(csv, node ? id->name : "all");
    fm_csv_whole(csv, id->inlined);
    fm_csv_text(csv, id->path);
    if (id->line)
        fm_csv_whole(csv, id->line);
    else
        fm_csv_text(csv, "");
    fm_csv_text(csv, id->module);
    fm_csv_whole(csv, of->by_name);
    fm_csv_number(csv, excess.all);
    fm_csv_number(csv, excess.own);
    fm_csv_number(csv, excess.all_error);
    fm_csv_number(csv, excess.own_error);
    fm_csv_text(csv, fm_trend_fit(&scaling->scale, node, false, &trend) ? fm_trend_text(trend.form) : "");
    for (size_t r = 0; r < scaling->n; r++) {
        const struct fm_scale_cost *cost = fm_scale_cost(&scaling->scale, node, r);
        if (of->runs & 1u << r) {
            fm_csv_seconds(csv, cost->all_ns);
            fm_csv_seconds(csv, cost->own_ns);
        } else {
            fm_csv_text(csv, "");
            fm_csv_text(csv, "");
        }
    }
    fm_csv_end_row(csv);
}

enum fm_status fm_scaling_csv(struct fm_scaling *scaling, FILE *out, struct fm_error *error)
{
    if (scaling->options.view == FM_SCALING_EFFICIENCY)
        return fm_scaling_factors_csv(scaling, out);
    if (scaling->options.view == FM_SCALING_COSTS)
        return fm_scaling_costs_csv(scaling, out, error);
    if (scaling->options.view == FM_SCALING_SPLIT)
        return fm_scaling_split_csv(scaling, out, error);
    const struct fm_scaling_options *options = &scaling->options;
    const struct fm_scale *scale = &scaling->scale;
    struct fm_csv csv = {.out = out};
    uint32_t *numbers = fm_arena_alloc(&scaling->arena, scale->n * sizeof *numbers);
    uint32_t *depths = fm_arena_alloc(&scaling->arena, scale->n * sizeof *depths);
    double *weights = fm_scaling_weights(scaling, false);
    double min = options->with_percent ? options->percent / 100 : 0;
    uint32_t number = 0;
    if (!numbers || !depths || !weights)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the contexts");
    write_heading(scaling, &csv);
    write_row(scaling, &csv, 0, numbers, 0);
    for (uint32_t node = fm_scale_after(scale, 0, 0); node; node = fm_scale_after(scale, 0, node)) {
        depths[node] = depths[scale->nodes[node].parent] + 1;
        if ((options->depth && depths[node] > options->depth) || weights[node] < min)
            continue;
        numbers[node] = ++number;
        write_row(scaling, &csv, node, numbers, depths[node]);
    }
    return FM_OK;
}
