/* SPDX-License-Identifier: BSD-3-Clause */
#include "pages/slice_scale.h"

#include "pages/columns.h"
#include "render/json.h"
#include "report/report_calls.h"

struct scale_columns {
    struct fm_scaling *scaling;
    struct fm_columns columns;
    uint32_t *nodes; /* by node of the columns: that of the comparison */
    struct fm_column_slice slice;
};

/* ---- construction ---- */

static uint32_t next_kept(const struct fm_scale *scale, const double *weights, double least, uint32_t node)
{
    while (node && weights[node] < least)
        node = scale->nodes[node].next;
    return node;
}

/* The nodes in depth-first order; parents[i] is the place of the parent of nodes[i]. */
static size_t order_nodes(const struct fm_scale *scale, const double *weights, double least, uint32_t *nodes,
                          uint32_t *parents)
{
    uint32_t at = 0, place = 0;
    size_t n = 1;
    nodes[0] = parents[0] = 0;
    for (;;) {
        uint32_t next = next_kept(scale, weights, least, scale->nodes[at].first);
        for (; at && !next; place = parents[place]) {
            next = next_kept(scale, weights, least, scale->nodes[at].next);
            at = scale->nodes[at].parent;
        }
        if (!next)
            return n;
        nodes[n] = at = next;
        parents[n] = place;
        place = (uint32_t)n++;
    }
}

static enum fm_status make_columns(struct scale_columns *made, struct fm_arena *scratch, struct fm_error *error)
{
    struct fm_scaling *scaling = made->scaling;
    const struct fm_scale *scale = &scaling->scale;
    const struct fm_scaling_options *options = &scaling->options;
    const double *weights = fm_scaling_weights(scaling, false);
    uint32_t *parents = fm_arena_alloc(scratch, scale->n * sizeof *parents);
    made->nodes = fm_arena_alloc(scratch, scale->n * sizeof *made->nodes);
    if (!weights || !parents || !made->nodes)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the contexts");
    size_t n = order_nodes(scale, weights, options->with_percent ? options->percent / 100 : 0, made->nodes, parents);
    if (!fm_columns_start(&made->columns, scratch, n))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the contexts");
    for (size_t i = 0; i < n; i++) {
        struct fm_column_node *node = &made->columns.nodes[i];
        const struct fm_scale_node *of = &scale->nodes[made->nodes[i]];
        const struct fm_scale_cost *cost = fm_scale_cost(scale, made->nodes[i], scaling->other);
        node->parent = parents[i];
        node->flags = of->by_name ? FM_FLAG_BY_NAME : 0;
        fm_columns_name(&made->columns, node, of->context, options->view == FM_SCALING_CALLERS);
        node->all_ns = cost->all_ns;
        node->own_ns = cost->own_ns;
    }
    enum fm_status status = fm_columns_end(&made->columns, error);
    if (!status && !fm_columns_select(&made->columns, 0, 0, scratch, &made->slice))
        status = fm_fail(error, FM_ERR_MEMORY, "not enough memory for the contexts");
    return status;
}

/* ---- writing ---- */

static uint32_t node_at(const struct scale_columns *made, size_t i)
{
    return made->nodes[made->slice.nodes[i]];
}

static void write_run(const struct scale_columns *made, size_t run, struct fm_json *json)
{
    const struct fm_scale *scale = &made->scaling->scale;
    fm_json_object(json, NULL, FM_JSON_INLINE);
    for (unsigned own = 0; own < 2; own++) {
        fm_json_array(json, own ? "exclusive_ns" : "inclusive_ns", FM_JSON_INLINE);
        for (size_t i = 0; i < made->slice.n; i++) {
            const struct fm_scale_cost *cost = fm_scale_cost(scale, node_at(made, i), run);
            if (scale->nodes[node_at(made, i)].runs & 1u << run)
                fm_json_whole(json, NULL, own ? cost->own_ns : cost->all_ns);
            else
                fm_json_signed(json, NULL, -1);
        }
        fm_json_end(json);
    }
    fm_json_end(json);
}

static void write_excess(const struct scale_columns *made, struct fm_json *json)
{
    static const struct {
        const char *key;
        size_t offset;
    } columns[] = {
        {"x_inclusive", offsetof(struct fm_excess, all)},
        {"x_exclusive", offsetof(struct fm_excess, own)},
        {"x_inclusive_error", offsetof(struct fm_excess, all_error)},
        {"x_exclusive_error", offsetof(struct fm_excess, own_error)},
    };
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        fm_json_array(json, columns[k].key, FM_JSON_INLINE);
        for (size_t i = 0; i < made->slice.n; i++) {
            struct fm_excess excess = fm_scaling_excess(made->scaling, node_at(made, i));
            fm_json_number(json, NULL, *(const double *)(const void *)((const char *)&excess + columns[k].offset));
        }
        fm_json_end(json);
    }
}

/* null: no trend can be known of so few runs. */
static void write_trends(const struct scale_columns *made, struct fm_json *json)
{
    const struct fm_scale *scale = &made->scaling->scale;
    struct fm_trend trend;
    if (!fm_trend_fit(scale, 0, false, &trend)) {
        fm_json_null(json, "trend");
        return;
    }
    fm_json_object(json, "trend", FM_JSON_INLINE);
    fm_json_array(json, "forms", FM_JSON_INLINE);
    for (enum fm_trend_form form = 0; form < FM_TREND_FORMS; form++)
        fm_json_text(json, NULL, fm_trend_text(form));
    fm_json_end(json);
    fm_json_array(json, "form", FM_JSON_INLINE);
    for (size_t i = 0; i < made->slice.n; i++)
        fm_json_signed(json, NULL, fm_trend_fit(scale, node_at(made, i), false, &trend) ? (int64_t)trend.form : -1);
    fm_json_end(json);
    static const struct {
        const char *key;
        size_t offset;
        double unit;
    } columns[] = {
        {"base_s", offsetof(struct fm_trend, base_ns), 1e9},
        {"slope_s", offsetof(struct fm_trend, slope_ns), 1e9},
        {"residual", offsetof(struct fm_trend, residual), 1},
    };
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        fm_json_array(json, columns[k].key, FM_JSON_INLINE);
        for (size_t i = 0; i < made->slice.n; i++) {
            bool known = fm_trend_fit(scale, node_at(made, i), false, &trend);
            double value = known ? *(const double *)(const void *)((const char *)&trend + columns[k].offset) : 0;
            fm_json_number_or_null(json, NULL, known, value / columns[k].unit);
        }
        fm_json_end(json);
    }
    fm_json_end(json);
}

static enum fm_status write_tree(struct scale_columns *made, struct fm_json *json, struct fm_error *error)
{
    fm_json_object(json, "tree", FM_JSON_INLINE);
    if (!fm_columns_write(&made->columns, &made->slice, json))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the contexts");
    fm_json_array(json, "runs", FM_JSON_INLINE);
    for (size_t run = 0; run < made->scaling->n; run++)
        write_run(made, run, json);
    fm_json_end(json);
    write_excess(made, json);
    write_trends(made, json);
    fm_json_end(json);
    return FM_OK;
}

enum fm_status fm_slice_scale(struct fm_scaling *scaling, FILE *out, struct fm_error *error)
{
    if (scaling->options.view == FM_SCALING_SPLIT) /* has no tree */
        return fm_scaling_json(scaling, out, error);
    struct fm_arena scratch = {0};
    struct scale_columns made = {.scaling = scaling};
    struct fm_json json = {.out = out};
    enum fm_status status = make_columns(&made, &scratch, error);
    if (!status)
        status = fm_scaling_json_start(scaling, &json, FM_JSON_INLINE, error);
    if (!status)
        status = write_tree(&made, &json, error);
    if (!status) {
        fm_json_end(&json);
        fm_json_end(&json);
    }
    fm_arena_destroy(&scratch);
    return status;
}
