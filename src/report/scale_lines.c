/* SPDX-License-Identifier: BSD-3-Clause */
/* Source lines: those that a verdict is about (of a routine that is called through a wrapper, the lines that call the
 * wrapper), and those that only one of two versions has. */
#include <string.h>

#include "base/sort.h"
#include "model/order.h"
#include "report/scaling.h"

static const double MIN_LINE = 0.005, MIN_ONLY = 0.01; /* of the run */

static int by_place(const void *a, const void *b)
{
    const struct fm_scaling_line *x = a, *y = b;
    int order = fm_compare_text(x->id->path, y->id->path);
    return order ? order : fm_compare_number(x->id->line, y->id->line);
}

static int by_excess(const void *a, const void *b)
{
    const struct fm_scaling_line *x = a, *y = b;
    return x->excess < y->excess ? 1 : x->excess > y->excess ? -1 : by_place(a, b);
}

/* Whether a context is a call of the routine, or a line of the function. */
static bool belongs(const struct fm_scale *scale, uint32_t node, uint32_t function)
{
    const struct fm_scale_node *of = &scale->nodes[node];
    enum fm_context_kind kind = of->context->id.kind;
    if (!of->context->id.line)
        return false;
    if (kind == FM_CONTEXT_STATEMENT || kind == FM_CONTEXT_CALL_SITE)
        return scale->nodes[of->parent].function == function;
    return kind == FM_CONTEXT_ROUTINE && of->function == function;
}

size_t fm_scaling_lines(struct fm_scaling *scaling, const struct fm_verdict *verdict, struct fm_scaling_line *lines)
{
    const struct fm_scale *scale = scaling->judged;
    struct fm_arena scratch = {0};
    struct fm_scaling_line *all = fm_arena_alloc(&scratch, scale->n * sizeof *all);
    size_t n = 0, places = 0, shown = 0;
    double sign = verdict->excess.own < 0 ? -1 : 1;
    for (uint32_t i = 1; all && i < scale->n; i++) {
        if (!belongs(scale, i, scale->nodes[verdict->node].function))
            continue;
        bool line = scale->nodes[i].context->id.kind != FM_CONTEXT_ROUTINE;
        uint32_t call = line ? i : fm_verdict_call(scale, verdict, i);
        double excess = fm_scale_excess(scale, i, scaling->base, scaling->other).own;
        if (scale->nodes[call].context->id.line)
            all[n++] = (struct fm_scaling_line){&scale->nodes[call].context->id, call, sign * excess};
    }
    if (all && fm_sort(all, n, sizeof *all, by_place, &scratch)) {
        for (size_t i = 0; i < n; i++) {
            if (places && by_place(&all[places - 1], &all[i]) == 0)
                all[places - 1].excess += all[i].excess;
            else
                all[places++] = all[i];
        }
        if (fm_sort(all, places, sizeof *all, by_excess, &scratch))
            while (shown < places && shown < FM_SCALING_LINES && all[shown].excess >= MIN_LINE) {
                lines[shown] = all[shown];
                lines[shown++].excess *= sign;
            }
    }
    fm_arena_destroy(&scratch);
    return shown;
}

/* ---- in one version only ---- */

static bool is_in(const struct fm_scale *scale, uint32_t node, size_t run)
{
    return scale->nodes[node].runs & 1u << run;
}

size_t fm_scaling_only_in(const struct fm_scaling *scaling, size_t run, uint32_t *nodes, size_t max)
{
    const struct fm_scale *scale = scaling->judged;
    size_t other = run == scaling->base ? scaling->other : scaling->base, n = 0;
    double min = MIN_ONLY * fm_scale_total(scale, run) * scale->runs[run].processes;
    for (uint32_t i = 1; i < scale->n; i++) {
        uint64_t here = fm_scale_cost(scale, i, run)->all_ns;
        struct fm_excess x = fm_scale_excess(scale, i, scaling->base, scaling->other);
        if (!is_in(scale, i, run) || is_in(scale, i, other) || !is_in(scale, scale->nodes[i].parent, other) ||
            (double)here < min || !fm_is_clear(x.all, x.all_error, 0))
            continue;
        size_t place = n < max ? n++ : max;
        for (; place && fm_scale_cost(scale, nodes[place - 1], run)->all_ns < here; place--)
            if (place < max)
                nodes[place] = nodes[place - 1];
        if (place < max)
            nodes[place] = i;
    }
    return n;
}
