/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/calls/context_cost.h"

#include "analyse/calls/address_tree.h"
#include "base/saturate.h"

/* The cost on one rank, or an estimate of it. (If all ranks have the same, max_rank and min_rank are one rank.) */
static uint64_t cost_on_rank(const struct fm_path_cost *cost, uint32_t rank, uint32_t ranks)
{
    bool two_named = cost->ranks > 1 && cost->min_rank != cost->max_rank;
    if (rank == cost->max_rank)
        return cost->max_ns;
    if (two_named && rank == cost->min_rank)
        return cost->min_ns;
    uint64_t known = fm_sum(cost->max_ns, two_named ? cost->min_ns : 0);
    uint32_t others = ranks - (two_named ? 2 : 1);
    return ranks > 1 && others && cost->sum_ns > known ? (cost->sum_ns - known) / others : 0;
}

/* The sum over ranks of the product of both costs, in us^2. */
static double product(const struct fm_path_cost *a, const struct fm_path_cost *b, uint32_t ranks)
{
    if (a->max_rank == b->max_rank) /* assume full correlation */
        return fm_square_root((double)fm_path_squares(a)) * fm_square_root((double)fm_path_squares(b));
    return (double)a->sum_ns / 1000 * ((double)b->sum_ns / 1000) / ranks; /* assume independence */
}

void fm_context_cost_fit(struct fm_path_cost *sum, uint32_t ranks)
{
    if (!ranks)
        return;
    unsigned __int128 max_of_others = (unsigned __int128)sum->max_ns * (ranks - 1);
    if (sum->ranks >= ranks && sum->min_ns > sum->sum_ns / ranks)
        sum->min_ns = sum->sum_ns / ranks;
    if (sum->sum_ns <= max_of_others)
        return;
    uint64_t min = (uint64_t)(sum->sum_ns - max_of_others);
    sum->ranks = ranks;
    if (sum->min_ns < min)
        sum->min_ns = min;
}

static struct fm_path_cost estimate(const struct fm_path_cost *a, const struct fm_path_cost *b, uint32_t ranks)
{
    const uint32_t known[] = {a->max_rank, a->min_rank, b->max_rank, b->min_rank};
    struct fm_path_cost sum = *a;
    uint32_t different = 0;
    sum.sum_ns = fm_sum(a->sum_ns, b->sum_ns);
    sum.max_ns = 0;
    sum.min_ns = UINT64_MAX;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t ns = fm_sum(cost_on_rank(a, known[i], ranks), cost_on_rank(b, known[i], ranks));
        bool seen = false;
        for (unsigned j = 0; j < i; j++)
            seen |= known[j] == known[i];
        different += !seen;
        if (ns > sum.max_ns || (ns == sum.max_ns && known[i] < sum.max_rank)) {
            sum.max_ns = ns;
            sum.max_rank = known[i];
        }
        if (ns < sum.min_ns || (ns == sum.min_ns && known[i] < sum.min_rank)) {
            sum.min_ns = ns;
            sum.min_rank = known[i];
        }
    }
    sum.ranks = a->ranks > b->ranks ? a->ranks : b->ranks;
    if (sum.ranks < different)
        sum.ranks = different;
    fm_path_add_squares(&sum, fm_path_squares(b));
    double twice = 2 * product(a, b, ranks);
    fm_path_add_squares(&sum, twice < 0x1p126 ? (unsigned __int128)twice : (unsigned __int128)1 << 126);
    return sum;
}

/* Exact: with two ranks, the sum minus the cost of one is the cost of the other. */
static struct fm_path_cost sum_two_ranks(const struct fm_path_cost *a, const struct fm_path_cost *b)
{
    struct fm_path_cost sum = {0};
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct fm_path_cost one = fm_path_cost_of(fm_sum(cost_on_rank(a, rank, 2), cost_on_rank(b, rank, 2)), rank);
        fm_path_cost_merge(&sum, &one);
    }
    return sum;
}

static const struct fm_cost_parts *join_parts(const struct fm_cost_parts *one, const struct fm_cost_parts *other,
                                              struct fm_arena *arena)
{
    static const struct fm_cost_parts unknown = {0};
    if (!one && !other)
        return NULL;
    struct fm_cost_parts *parts = one && other ? fm_arena_alloc(arena, sizeof *parts) : NULL;
    if (!parts)
        return &unknown;
    *parts = (struct fm_cost_parts){.one = one, .other = other};
    return parts;
}

void fm_context_cost_add(struct fm_context_cost *into, const struct fm_context_cost *part, uint32_t ranks,
                         struct fm_arena *arena)
{
    const struct fm_path_cost *a = &into->of, *b = &part->of;
    bool estimated = into->estimated || part->estimated;
    if (!b->ranks)
        return;
    if (!a->ranks) {
        *into = *part;
        return;
    }
    into->parts = join_parts(into->parts, part->parts, arena);
    into->no_least = into->no_most = false;
    if (a->ranks == 1 && b->ranks == 1) {
        if (a->max_rank == b->max_rank)
            into->of = fm_path_cost_of(fm_sum(a->sum_ns, b->sum_ns), a->max_rank);
        else
            fm_path_cost_merge(&into->of, b);
        into->estimated = estimated;
        return;
    }
    into->of = ranks == 2 ? sum_two_ranks(a, b) : estimate(a, b, ranks);
    into->estimated = estimated || ranks > 2;
}
