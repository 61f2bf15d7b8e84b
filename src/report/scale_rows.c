/* SPDX-License-Identifier: BSD-3-Clause */
/* Which contexts of a comparison are shown, and how the tree is drawn. As in context_rows.h, but by excess work, of
 * which a part can be larger than the whole: a context is shown together with all its ancestors. */
#include "base/sort.h"
#include "report/scaling.h"

static const double DEFAULT_SHARE = 0.01;
enum { DEFAULT_ROWS = 40 };

struct chooser {
    struct fm_scaling *scaling;
    struct fm_scaling_rows *rows;
    double *weights;
};

static const struct fm_scale_node *node_at(const struct chooser *chooser, uint32_t node)
{
    return &chooser->scaling->scale.nodes[node];
}

/* An unknown line adds no information to its function; a caller without a line does. */
static bool worth_a_row(const struct chooser *chooser, uint32_t node)
{
    const struct fm_context *context = node_at(chooser, node)->context;
    bool line = context->id.kind == FM_CONTEXT_STATEMENT || context->id.kind == FM_CONTEXT_CALL_SITE;
    bool caller = chooser->scaling->options.view == FM_SCALING_CALLERS ||
                  node_at(chooser, node_at(chooser, node)->parent)->context->id.kind != FM_CONTEXT_FRAME;
    return !line || caller || context->id.line;
}

double *fm_scaling_weights(struct fm_scaling *scaling, bool own)
{
    const struct fm_scale *scale = &scaling->scale;
    double *weights = fm_arena_alloc(&scaling->arena, scale->n * sizeof *weights);
    for (size_t i = weights ? scale->n : 1; i-- > 1;) {
        struct fm_excess excess = fm_scaling_excess(scaling, (uint32_t)i);
        double weight = own ? excess.own : excess.all;
        double *above = &weights[scale->nodes[i].parent];
        weight = weight < 0 ? -weight : weight;
        if (weights[i] < weight)
            weights[i] = weight;
        if (*above < weights[i])
            *above = weights[i];
    }
    return weights;
}

/* Contexts deeper than the requested depth, or not worth a row, are never shown, whatever the limit. */
static bool weigh(struct chooser *chooser, struct fm_arena *scratch)
{
    const struct fm_scale *scale = &chooser->scaling->scale;
    size_t depth = chooser->scaling->options.depth;
    uint32_t *depths = fm_arena_alloc(scratch, scale->n * sizeof *depths);
    chooser->weights = fm_scaling_weights(chooser->scaling, fm_scaling_by_own(chooser->scaling));
    if (!depths || !chooser->weights)
        return false;
    for (uint32_t i = 1; i < scale->n; i++) {
        depths[i] = depths[scale->nodes[i].parent] + 1;
        if ((depth && depths[i] > depth) || !worth_a_row(chooser, i))
            chooser->weights[i] = -1;
    }
    return true;
}

static int heavier(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Finds the smallest weight to show, so that at most the requested number of contexts are shown, and none below the
 * minimum. */
static bool find_limit(struct chooser *chooser, struct fm_arena *scratch)
{
    const struct fm_scaling_options *options = &chooser->scaling->options;
    size_t n = chooser->scaling->scale.n, known = 0;
    size_t max = options->all || (options->with_percent && !options->top) ? SIZE_MAX
                 : options->top                                           ? options->top
                                                                          : DEFAULT_ROWS;
    double *sorted = fm_arena_alloc(scratch, n * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 1; i < n; i++)
        if (chooser->weights[i] >= 0)
            sorted[known++] = chooser->weights[i];
    if (!fm_sort(sorted, known, sizeof *sorted, heavier, scratch))
        return false;
    double limit = options->all ? 0 : options->with_percent ? options->percent / 100 : DEFAULT_SHARE;
    if (known > max) { /* of equal weights, all or none */
        size_t kept = max;
        while (kept && sorted[kept - 1] <= sorted[max])
            kept--;
        double last = sorted[kept ? kept - 1 : 0];
        limit = last > limit ? last : limit;
    }
    chooser->rows->limit = limit;
    for (size_t i = 0; i < known; i++)
        chooser->rows->left_out += sorted[i] < limit;
    return true;
}

/* ---- drawing ---- */

static uint32_t next_shown(const struct chooser *chooser, uint32_t node)
{
    while (node && chooser->weights[node] < chooser->rows->limit)
        node = node_at(chooser, node)->next;
    return node;
}

/* The children of a context while they are drawn. */
struct scale_level {
    uint32_t next;      /* the next one to show */
    const char *margin; /* before all of them */
    bool plain;         /* without branches */
    uint32_t hot;       /* the one on the path of the largest loss */
};

static void draw(struct chooser *chooser, struct scale_level *levels)
{
    const struct fm_scaling *scaling = chooser->scaling;
    struct fm_scaling_rows *rows = chooser->rows;
    struct fm_arena *arena = &chooser->scaling->arena;
    bool stairs = scaling->options.view == FM_SCALING_FLAT;
    struct fm_excess whole = fm_scaling_excess(scaling, 0);
    bool with_path = !fm_scaling_by_own(scaling) && fm_is_clear(whole.all, whole.all_error, FM_SCALE_NOISE);
    size_t depth = 0;
    levels[0] = (struct scale_level){next_shown(chooser, node_at(chooser, 0)->first), "", true,
                                     with_path ? fm_scale_hot(&scaling->scale, 0, scaling->base, scaling->other) : 0};
    bool several = levels[0].next && next_shown(chooser, node_at(chooser, levels[0].next)->next);
    for (;;) {
        struct scale_level *level = &levels[depth];
        uint32_t node = level->next;
        if (!node) {
            if (depth-- == 0)
                return;
            continue;
        }
        level->next = next_shown(chooser, node_at(chooser, node)->next);
        const char *drawing = level->margin, *below = level->margin;
        if (!level->plain) {
            drawing = fm_format(arena, "%s%s", level->margin, level->next ? "|- " : "`- ");
            below = fm_format(arena, "%s%s", level->margin, level->next ? "|  " : "   ");
        }
        bool hot = node == level->hot;
        rows->items[rows->n++] = (struct fm_scaling_row){node, drawing, hot};
        uint32_t first = next_shown(chooser, node_at(chooser, node)->first);
        bool only = first && !next_shown(chooser, node_at(chooser, first)->next);
        uint32_t path = hot ? fm_scale_hot(&scaling->scale, node, scaling->base, scaling->other) : 0;
        bool plain = only && !stairs && !(several && depth == 0);
        levels[++depth] = (struct scale_level){first, below, plain, path};
    }
}

enum fm_status fm_scaling_rows(struct fm_scaling *scaling, struct fm_scaling_rows *rows, struct fm_error *error)
{
    struct fm_arena scratch = {0};
    size_t n = scaling->scale.n;
    struct chooser chooser = {
        .scaling = scaling,
        .rows = rows,
    };
    *rows = (struct fm_scaling_rows){.items = fm_arena_alloc(&scaling->arena, n * sizeof *rows->items)};
    struct scale_level *levels = fm_arena_alloc(&scratch, (n + 1) * sizeof *levels);
    bool done = rows->items && levels && weigh(&chooser, &scratch);
    done = done && find_limit(&chooser, &scratch);
    if (done)
        draw(&chooser, levels);
    fm_arena_destroy(&scratch);
    return done ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the contexts");
}
