/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/context_rows.h"

#include "base/sort.h"
#include "model/order.h"

static const double DEFAULT_SHARE = 0.005; /* of the time; smaller contexts are not shown by default */
enum { DEFAULT_ROWS = 60 };

struct tree_printer {
    struct fm_report *report;
    const struct fm_calltree *tree;
    struct fm_context_rows *rows;
    bool own, stairs;
    size_t depth;
};

static uint64_t weight(const struct tree_printer *printer, const struct fm_context *context)
{
    return printer->own ? context->own.of.sum_ns : context->all.of.sum_ns;
}

/* An unknown line adds no information to its function; a caller without a line does. */
static bool worth_a_row(const struct fm_calltree *tree, const struct fm_context *context)
{
    bool line = context->id.kind == FM_CONTEXT_STATEMENT || context->id.kind == FM_CONTEXT_CALL_SITE;
    bool caller = tree->of_callers || context->parent->id.kind != FM_CONTEXT_FRAME;
    return !line || caller || context->id.line;
}

static size_t depth_of(const struct tree_printer *printer, const struct fm_context *context)
{
    size_t depth = 0;
    for (; context != printer->tree->root; context = context->parent)
        depth++;
    return depth;
}

/* ---- selection ---- */

static int heavier(const void *a, const void *b)
{
    return fm_compare_number(*(const uint64_t *)b, *(const uint64_t *)a);
}

/* The smallest weight to show, so that at most `max` contexts are shown, and none below `min`. */
static uint64_t find_limit(uint64_t *weights, size_t n, size_t max, uint64_t min, struct fm_arena *scratch)
{
    if (n <= max || !fm_sort(weights, n, sizeof *weights, heavier, scratch))
        return min;
    uint64_t limit = weights[max] + 1; /* of equal weights, all or none */
    if (limit > weights[0])
        limit = weights[0];
    return limit > min ? limit : min;
}

static void choose_limit(struct tree_printer *printer, struct fm_arena *scratch)
{
    const struct fm_report_options *options = &printer->report->options;
    double share = options->all ? 0 : options->with_percent ? options->percent / 100 : DEFAULT_SHARE;
    double min = share * fm_report_whole_ns(printer->report);
    size_t max = options->all || (options->with_percent && !options->top) ? SIZE_MAX
                 : options->top                                           ? options->top
                                                                          : DEFAULT_ROWS;
    uint64_t min_ns = min < 1 ? 1 : (uint64_t)min;
    uint64_t *weights = fm_arena_alloc(scratch, (printer->tree->n + 1) * sizeof *weights);
    size_t n = 0;
    const struct fm_context *root = printer->tree->root;
    for (const struct fm_context *at = root->first; weights && at; at = fm_context_after(root, at))
        if (worth_a_row(printer->tree, at) && depth_of(printer, at) <= printer->depth && weight(printer, at) > 0)
            weights[n++] = weight(printer, at);
    printer->rows->limit_ns = find_limit(weights, weights ? n : 0, max, min_ns, scratch);
    for (size_t i = 0; i < n; i++)
        printer->rows->left_out += weights[i] < printer->rows->limit_ns;
}

static bool is_shown(const struct tree_printer *printer, const struct fm_context *context)
{
    return worth_a_row(printer->tree, context) && weight(printer, context) >= printer->rows->limit_ns;
}

/* ---- drawing ---- */

static const struct fm_context *next_shown(const struct tree_printer *printer, const struct fm_context *context)
{
    while (context && !is_shown(printer, context))
        context = context->next;
    return context;
}

static bool add_row(struct tree_printer *printer, const struct fm_context *context, const char *drawing)
{
    struct fm_context_rows *rows = printer->rows;
    rows->items[rows->n++] = (struct fm_context_row){context, drawing};
    return drawing != NULL;
}

/* The children of a context while they are drawn. */
struct tree_level {
    const struct fm_context *next; /* the next one to show */
    const char *margin;            /* before all of them */
    bool plain;                    /* without branches */
};

static bool draw(struct tree_printer *printer, struct tree_level *levels)
{
    struct fm_arena *arena = &printer->report->arena;
    size_t depth = 0;
    levels[0] = (struct tree_level){next_shown(printer, printer->tree->root->first), "", true};
    bool several = levels[0].next && next_shown(printer, levels[0].next->next);
    for (;;) {
        struct tree_level *level = &levels[depth];
        const struct fm_context *context = level->next;
        if (!context) {
            if (depth-- == 0)
                return true;
            continue;
        }
        level->next = next_shown(printer, context->next);
        const char *drawing = level->margin, *below = level->margin;
        if (!level->plain) {
            drawing = fm_format(arena, "%s%s", level->margin, level->next ? "|- " : "`- ");
            below = fm_format(arena, "%s%s", level->margin, level->next ? "|  " : "   ");
        }
        if (!add_row(printer, context, drawing))
            return false;
        if (depth + 1 >= printer->depth)
            continue;
        const struct fm_context *first = next_shown(printer, context->first);
        const struct fm_context *second = first ? next_shown(printer, first->next) : NULL;
        bool plain = !second && !printer->stairs && !(several && depth == 0);
        levels[++depth] = (struct tree_level){first, below, plain};
    }
}

enum fm_status fm_context_rows(struct fm_report *report, const struct fm_calltree *tree, bool own, bool stairs,
                               struct fm_context_rows *rows, struct fm_error *error)
{
    struct fm_arena scratch = {0};
    size_t max_depth = report->options.depth ? report->options.depth : SIZE_MAX;
    struct tree_printer printer = {report, tree, rows, own, stairs, max_depth < tree->n + 1 ? max_depth : tree->n + 1};
    *rows = (struct fm_context_rows){.items = fm_arena_alloc(&report->arena, (tree->n + 1) * sizeof *rows->items)};
    struct tree_level *levels = fm_arena_alloc(&scratch, (printer.depth + 1) * sizeof *levels);
    bool done = rows->items && levels;
    if (done) {
        choose_limit(&printer, &scratch);
        done = draw(&printer, levels);
    }
    fm_arena_destroy(&scratch);
    return done ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
}
