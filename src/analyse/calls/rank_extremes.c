/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/calls/rank_extremes.h"

#include <float.h>
#include <string.h>

#include "analyse/calls/address_tree.h"
#include "base/saturate.h"
#include "model/quantize.h"

/* A minimum must be known to 1/8 of the mean, a maximum to 1/8 of itself, and the cost on a rank to 1/8 of the maximum. */
enum { PRECISION = 8 };

/* Lower bound, upper bound and best guess of the cost on a rank. */
struct bounds {
    double least, most, guess;
};

/* In most sums only a few ranks are known to differ from the others. */
struct sum {
    uint32_t n;
    struct bounds others; /* of every rank, plus */
    struct bounds *ranks; /* what each has in addition */
    uint32_t *different;  /* ranks that are known to differ */
    uint32_t n_different;
    bool *differs;       /* by rank */
    bool all_may_differ; /* even those that are not in `different` */
    struct bounds *part; /* of one part, by rank */
    bool unknown;
};

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void add(struct bounds *to, const struct bounds *more, double sign)
{
    to->least += sign * more->least;
    to->most += sign * more->most;
    to->guess += sign * more->guess;
}

static struct bounds exactly(uint64_t ns)
{
    return (struct bounds){(double)ns, (double)ns, (double)ns};
}

/* Whether all ranks except max_rank and min_rank are known to have none. */
static bool others_have_none(const struct fm_path_cost *cost)
{
    return cost->ranks == 1 || (cost->ranks == 2 && cost->max_rank != cost->min_rank);
}

/* The cost on a rank without a listed share. listed_ns: total of the ranks with one, including max_rank and
 * min_rank. */
static struct bounds unlisted_share(const struct fm_path_cost *cost, uint32_t ranks, uint32_t n_listed,
                                    double listed_ns)
{
    struct bounds rank = {cost->ranks >= ranks ? (double)cost->min_ns : 0, (double)cost->max_ns, 0};
    if (others_have_none(cost) || n_listed >= ranks)
        return exactly(0);
    rank.guess = larger((double)cost->sum_ns - listed_ns, 0) / (ranks - n_listed);
    rank.guess = smaller(larger(rank.guess, rank.least), rank.most);
    return rank;
}

/* Corrects the cost of one rank after every rank was given the cost of the others. */
static void add_rank(struct sum *sum, uint32_t rank, const struct bounds *others, uint64_t ns)
{
    const struct bounds has = exactly(ns);
    add(&sum->ranks[rank], others, -1);
    add(&sum->ranks[rank], &has, 1);
    if (!sum->differs[rank]) {
        sum->differs[rank] = true;
        sum->different[sum->n_different++] = rank;
    }
}

/* Adds a part of which no shares by rank are known. */
static void add_extremes(struct sum *sum, const struct fm_path_cost *cost)
{
    bool two = cost->min_rank != cost->max_rank;
    struct bounds others = unlisted_share(cost, sum->n, two ? 2 : 1,
                                          (double)cost->max_ns + (two ? (double)cost->min_ns : 0));
    add(&sum->others, &others, 1);
    add_rank(sum, cost->max_rank, &others, cost->max_ns);
    if (two)
        add_rank(sum, cost->min_rank, &others, cost->min_ns);
}

/* In files of 0.1.0 a share could also represent an ancestor that has up to a twentieth more. */
static struct bounds listed_share(const struct fm_cost_parts *part, const struct fm_path_share *share)
{
    uint64_t least, most;
    fm_quantized_range(share->all_ns, &least, &most);
    struct bounds rank = {(double)least, (double)most, (double)share->all_ns};
    const struct fm_address_node *nodes = part->paths->nodes;
    for (uint32_t depth = nodes[part->node].depth; depth < nodes[share->node].depth; depth++)
        rank.most *= 20.0 / 19;
    rank.least = smaller(rank.least, (double)part->cost->max_ns);
    rank.most = larger(smaller(rank.most, (double)part->cost->max_ns), rank.least);
    rank.guess = smaller(larger(rank.guess, rank.least), rank.most);
    return rank;
}

/* Whether the shares are exact. */
static bool adds_up(const struct fm_path_cost *cost, const struct fm_path_share *vector, size_t n)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < n; i++)
        fm_add_saturating(&ns, vector[i].all_ns);
    return n == cost->ranks && ns == cost->sum_ns;
}

static bool add_vector(struct sum *sum, const struct fm_cost_parts *part, const struct fm_path_share *vector, size_t n)
{
    const struct fm_path_cost *cost = part->cost;
    const double *lightest = part->paths->lightest_ns;
    bool exact = adds_up(cost, vector, n);
    uint32_t n_listed = 0;
    double listed_ns = 0;
    for (uint32_t rank = 0; rank < sum->n; rank++)
        sum->part[rank].least = -1;
    for (size_t i = 0; i < n; i++) {
        if (vector[i].rank >= sum->n)
            return false;
        sum->part[vector[i].rank] = exact ? exactly(vector[i].all_ns) : listed_share(part, &vector[i]);
    }
    if (cost->min_rank != cost->max_rank)
        sum->part[cost->min_rank] = exactly(cost->min_ns);
    sum->part[cost->max_rank] = exactly(cost->max_ns);
    for (uint32_t rank = 0; rank < sum->n; rank++)
        if (sum->part[rank].least >= 0) {
            listed_ns += sum->part[rank].guess;
            n_listed++;
        }
    const struct bounds others = n_listed >= cost->ranks ? exactly(0)
                                                         : unlisted_share(cost, sum->n, n_listed, listed_ns);
    for (uint32_t rank = 0; rank < sum->n; rank++) {
        struct bounds *at = &sum->part[rank];
        if (at->least < 0) {
            *at = others;
            if (lightest) /* otherwise it would be listed */
                at->most = larger(smaller(at->most, lightest[rank]), at->least);
            at->guess = smaller(at->guess, at->most);
        }
        add(&sum->ranks[rank], at, 1);
    }
    sum->all_may_differ = true;
    return true;
}

static void add_part(struct sum *sum, const struct fm_cost_parts *part, struct fm_arena *arena)
{
    const struct fm_path_cost *cost = part->cost;
    if (!cost || cost->max_rank >= sum->n || cost->min_rank >= sum->n) {
        sum->unknown = true;
        return;
    }
    const struct fm_path_share *vector = NULL;
    size_t n = 0;
    if (part->has_vector && !others_have_none(cost))
        sum->unknown |= !fm_call_paths_vector(part->paths->paths, part->node, arena, &vector, &n);
    if (n)
        sum->unknown |= !add_vector(sum, part, vector, n);
    else
        add_extremes(sum, cost);
}

/* Adds the costs of all nodes in a sum. Not recursive: sums can be deep. */
static void add_parts(struct sum *sum, const struct fm_cost_parts *parts, struct fm_arena *arena)
{
    const struct fm_cost_parts **open = NULL;
    size_t n = 0, capacity = 0;
    while (parts && !sum->unknown) {
        if (!parts->one) {
            add_part(sum, parts, arena);
            parts = n ? open[--n] : NULL;
            continue;
        }
        open = fm_arena_grow(arena, open, &capacity, n + 1, sizeof *open);
        if (!open) {
            sum->unknown = true;
            return;
        }
        open[n++] = parts->other;
        parts = parts->one;
    }
}

/* The bounds of minimum and maximum, and the ranks that probably have them. */
struct extremes {
    struct bounds min, max;
    uint32_t min_rank, max_rank;
    double squares; /* us^2 */
    bool exact;
};

/* `n` ranks, the first of which is `rank`, have this cost. */
static void update_extremes(struct extremes *found, struct bounds at, uint32_t rank, uint32_t n)
{
    double us = (double)(uint64_t)(smaller(at.guess, 1e18) / 1000);
    if (at.guess < found->min.guess || (at.guess == found->min.guess && rank < found->min_rank))
        found->min_rank = rank;
    if (at.guess > found->max.guess || (at.guess == found->max.guess && rank < found->max_rank))
        found->max_rank = rank;
    found->min = (struct bounds){smaller(found->min.least, at.least), smaller(found->min.most, at.most),
                                 smaller(found->min.guess, at.guess)};
    found->max = (struct bounds){larger(found->max.least, at.least), larger(found->max.most, at.most),
                                 larger(found->max.guess, at.guess)};
    found->squares += us * us * n;
    found->exact &= at.least == at.most;
}

static struct extremes find_extremes(const struct sum *sum)
{
    struct extremes found = {.min = {DBL_MAX, DBL_MAX, DBL_MAX}, .exact = true};
    uint32_t n = sum->all_may_differ ? sum->n : sum->n_different, first = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t rank = sum->all_may_differ ? i : sum->different[i];
        struct bounds at = sum->ranks[rank];
        add(&at, &sum->others, 1);
        update_extremes(&found, at, rank, 1);
    }
    while (n < sum->n && sum->differs[first])
        first++;
    if (n < sum->n)
        update_extremes(&found, sum->others, first, sum->n - n);
    return found;
}

static uint64_t round_ns(double ns)
{
    return ns < 0x1p63 ? (uint64_t)(larger(ns, 0) + 0.5) : UINT64_MAX;
}

static void set_extremes(struct fm_context_cost *cost, const struct extremes *found, uint32_t ranks)
{
    struct fm_path_cost *of = &cost->of;
    double mean = (double)of->sum_ns / ranks;
    cost->no_least = found->min.most - found->min.least > mean / PRECISION;
    cost->no_most = found->max.most - found->max.least > found->max.most / PRECISION;
    cost->estimated = !found->exact;
    if (!cost->no_least) {
        of->min_ns = round_ns(smaller(found->min.guess, mean));
        of->min_rank = found->min_rank;
        of->ranks = of->min_ns ? ranks : ranks - 1; /* an upper bound */
    }
    if (!cost->no_most) {
        of->max_ns = round_ns(larger(found->max.guess, mean));
        of->max_rank = found->max_rank;
    }
    if (cost->no_least || cost->no_most)
        return;
    of->squares[0] = of->squares[1] = 0;
    fm_path_add_squares(of, found->squares < 0x1p126 ? (unsigned __int128)found->squares : (unsigned __int128)1 << 126);
}

static void clear(struct sum *sum)
{
    for (uint32_t i = 0; i < sum->n_different; i++) {
        sum->ranks[sum->different[i]] = (struct bounds){0};
        sum->differs[sum->different[i]] = false;
    }
    if (sum->all_may_differ)
        memset(sum->ranks, 0, sum->n * sizeof *sum->ranks);
    sum->n_different = 0;
    sum->others = (struct bounds){0};
    sum->all_may_differ = sum->unknown = false;
}

static bool start(struct sum *sum, uint32_t ranks, struct fm_arena *arena)
{
    *sum = (struct sum){.n = ranks};
    if (!ranks || ranks > FM_MAX_LISTED_RANKS)
        return false;
    sum->ranks = fm_arena_alloc(arena, ranks * sizeof *sum->ranks);
    sum->part = fm_arena_alloc(arena, ranks * sizeof *sum->part);
    sum->different = fm_arena_alloc(arena, ranks * sizeof *sum->different);
    sum->differs = fm_arena_alloc(arena, ranks * sizeof *sum->differs);
    return sum->ranks && sum->part && sum->different && sum->differs;
}

void fm_calltree_extremes(struct fm_calltree *tree)
{
    struct fm_arena arena = {0};
    struct sum sum;
    bool started = start(&sum, tree->ranks, &arena);
    for (struct fm_context *at = tree->root; at; at = fm_context_after(tree->root, at)) {
        if (!at->all.estimated || !at->all.parts)
            continue;
        struct fm_arena scratch = {0};
        if (started)
            add_parts(&sum, at->all.parts, &scratch);
        at->all.no_least = at->all.no_most = !started || sum.unknown;
        if (!at->all.no_least) {
            const struct extremes found = find_extremes(&sum);
            set_extremes(&at->all, &found, tree->ranks);
        }
        if (started)
            clear(&sum);
        fm_arena_destroy(&scratch);
    }
    fm_arena_destroy(&arena);
}

/* ---- costs by rank ---- */

struct fm_rank_costs {
    struct sum sum;
};

struct fm_rank_costs *fm_rank_costs_start(const struct fm_calltree *tree, struct fm_arena *arena)
{
    struct fm_rank_costs *costs = fm_arena_alloc(arena, sizeof *costs);
    return costs && start(&costs->sum, tree->ranks, arena) ? costs : NULL;
}

static uint32_t write_costs(const struct sum *sum, int64_t *ns)
{
    double largest = 0;
    uint32_t known = 0;
    for (uint32_t rank = 0; rank < sum->n; rank++)
        largest = larger(largest, sum->ranks[rank].most + sum->others.most);
    for (uint32_t rank = 0; rank < sum->n; rank++) {
        struct bounds at = sum->ranks[rank];
        add(&at, &sum->others, 1);
        bool close = at.most - at.least <= largest / PRECISION;
        ns[rank] = close ? (int64_t)smaller((double)round_ns(at.guess), 0x1p62) : -1;
        known += close;
    }
    return known;
}

uint32_t fm_rank_costs_of(struct fm_rank_costs *costs, const struct fm_context *context, bool of_children, int64_t *ns)
{
    struct fm_arena scratch = {0};
    struct sum *sum = &costs->sum;
    uint32_t known = 0;
    bool any = false;
    for (const struct fm_context *at = of_children ? context->first : context; at; at = of_children ? at->next : NULL) {
        any |= at->all.parts != NULL;
        sum->unknown |= !at->all.parts && at->all.of.sum_ns;
        add_parts(sum, at->all.parts, &scratch);
    }
    if (any && !sum->unknown)
        known = write_costs(sum, ns);
    clear(sum);
    fm_arena_destroy(&scratch);
    return known;
}
