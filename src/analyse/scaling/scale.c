/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/scaling/scale.h"

#include <math.h>
#include <stdlib.h>

#include "model/order.h"

uint32_t fm_scale_after(const struct fm_scale *scale, uint32_t top, uint32_t at)
{
    if (scale->nodes[at].first)
        return scale->nodes[at].first;
    while (at != top && !scale->nodes[at].next)
        at = scale->nodes[at].parent;
    return at == top ? 0 : scale->nodes[at].next;
}

/* ---- excess ---- */

double fm_scale_error(const struct fm_scale *scale, uint64_t cost_ns, size_t run)
{
    double cost = (double)cost_ns, total = (double)fm_scale_cost(scale, 0, run)->all_ns;
    double period = (double)scale->runs[run].period_ns;
    double elsewhere = total > cost ? 1 - cost / total : 0;
    double error = 1.96 * sqrt(cost * elsewhere * period);
    return error > period ? error : period;
}

/* The factor for sums over the processes of a run before they are compared. */
static double weight(const struct fm_scale *scale, size_t run)
{
    uint32_t processes = scale->runs[run].processes;
    return scale->mode == FM_SCALE_STRONG ? 1 : processes ? 1.0 / processes : 0;
}

static double excess(const struct fm_scale *scale, uint64_t base_ns, uint64_t other_ns, size_t base, size_t other,
                     double *error)
{
    double p = weight(scale, base), q = weight(scale, other);
    double total = scale->mode == FM_SCALE_SAME ? p * (double)fm_scale_cost(scale, 0, base)->all_ns
                                                : q * (double)fm_scale_cost(scale, 0, other)->all_ns;
    *error = 0;
    if (total <= 0)
        return 0;
    double before = p * fm_scale_error(scale, base_ns, base), after = q * fm_scale_error(scale, other_ns, other);
    *error = sqrt(before * before + after * after) / total;
    return (q * (double)other_ns - p * (double)base_ns) / total;
}

struct fm_excess fm_scale_excess_of(const struct fm_scale *scale, const struct fm_scale_cost *in_base,
                                    const struct fm_scale_cost *in_other, size_t base, size_t other)
{
    struct fm_excess x;
    x.all = excess(scale, in_base->all_ns, in_other->all_ns, base, other, &x.all_error);
    x.own = excess(scale, in_base->own_ns, in_other->own_ns, base, other, &x.own_error);
    return x;
}

struct fm_excess fm_scale_excess(const struct fm_scale *scale, uint32_t node, size_t base, size_t other)
{
    return fm_scale_excess_of(scale, fm_scale_cost(scale, node, base), fm_scale_cost(scale, node, other), base, other);
}

double fm_scale_total(const struct fm_scale *scale, size_t run)
{
    uint32_t processes = scale->runs[run].processes;
    return processes ? (double)fm_scale_cost(scale, 0, run)->all_ns / processes : 0;
}

double fm_scale_efficiency(const struct fm_scale *scale, size_t base, size_t other)
{
    double expected = weight(scale, base) * (double)fm_scale_cost(scale, 0, base)->all_ns;
    double time = weight(scale, other) * (double)fm_scale_cost(scale, 0, other)->all_ns;
    return time > 0 ? expected / time : 1;
}

uint32_t fm_scale_hot(const struct fm_scale *scale, uint32_t node, size_t base, size_t other)
{
    double whole = fm_scale_excess(scale, node, base, other).all, max = 0;
    uint32_t hot = 0;
    for (uint32_t child = scale->nodes[node].first; child; child = scale->nodes[child].next) {
        struct fm_excess x = fm_scale_excess(scale, child, base, other);
        if (x.all > max && x.all > x.all_error && x.all >= whole / 2) {
            hot = child;
            max = x.all;
        }
    }
    return whole > 0 ? hot : 0;
}

/* ---- order ---- */

struct ranked_context {
    const struct fm_context *context;
    double excess;
    uint32_t node;
    uint32_t rank; /* 0: a loss; 1: not significant; 2: a gain */
};

static int compare(const void *a, const void *b)
{
    const struct ranked_context *x = a, *y = b;
    if (x->rank != y->rank)
        return fm_compare_number(x->rank, y->rank);
    if (x->excess != y->excess)
        return x->excess > y->excess ? -1 : 1;
    return fm_context_order(x->context, y->context);
}

static size_t list_children(const struct fm_scale *scale, uint32_t parent, size_t base, size_t other, bool own,
                            struct ranked_context *items)
{
    size_t n = 0;
    for (uint32_t child = scale->nodes[parent].first; child; child = scale->nodes[child].next) {
        struct fm_excess x = fm_scale_excess(scale, child, base, other);
        double value = own ? x.own : x.all, error = own ? x.own_error : x.all_error;
        items[n++] = (struct ranked_context){.context = scale->nodes[child].context,
                                             .excess = value,
                                             .node = child,
                                             .rank = !fm_is_certain(value, error) ? 1
                                                     : value > 0                  ? 0
                                                                                  : 2};
    }
    return n;
}

static size_t max_children(const struct fm_scale *scale)
{
    size_t max = 0;
    for (size_t at = 0; at < scale->n; at++) {
        size_t n = 0;
        for (uint32_t child = scale->nodes[at].first; child; child = scale->nodes[child].next)
            n++;
        max = n > max ? n : max;
    }
    return max;
}

enum fm_status fm_scale_sort(struct fm_scale *scale, size_t base, size_t other, bool own, struct fm_error *error)
{
    struct ranked_context *items = calloc(max_children(scale) + 1, sizeof *items);
    if (!items)
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory to sort the contexts");
    for (uint32_t at = 0; at < scale->n; at++) {
        size_t n = list_children(scale, at, base, other, own, items);
        if (n < 2)
            continue;
        qsort(items, n, sizeof *items, compare);
        scale->nodes[at].first = items[0].node;
        for (size_t i = 0; i < n; i++)
            scale->nodes[items[i].node].next = i + 1 < n ? items[i + 1].node : 0;
    }
    free(items);
    return FM_OK;
}
