/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/calls/address_tree.h"

#include "base/sort.h"
#include "model/order.h"
#include "model/quantize.h"

struct child_order {
    uint64_t ns;
    uint32_t parent, node;
};

static int compare_children(const void *a, const void *b)
{
    const struct child_order *x = a, *y = b;
    int order = fm_compare_number(x->parent, y->parent);
    if (!order)
        order = fm_compare_number(y->ns, x->ns);
    return order ? order : fm_compare_number(x->node, y->node);
}

static bool make_children(struct fm_address_tree *tree, struct fm_arena *arena)
{
    struct child_order *sorted = fm_arena_alloc(arena, tree->n * sizeof *sorted);
    uint32_t *children = fm_arena_alloc(arena, tree->n * sizeof *children);
    if (!sorted || !children)
        return false;
    size_t n = 0;
    for (size_t i = 1; i < tree->n; i++) {
        const struct fm_path_node *path = tree->nodes[i].path;
        sorted[n++] = (struct child_order){path->all.sum_ns, path->parent, (uint32_t)i};
    }
    if (!fm_sort(sorted, n, sizeof *sorted, compare_children, arena))
        return false;
    for (size_t i = 0; i < n; i++) {
        struct fm_address_node *parent = &tree->nodes[sorted[i].parent];
        children[i] = sorted[i].node;
        if (!parent->n_children++)
            parent->children = &children[i];
    }
    return true;
}

/* Newton's method, starting above the root. */
double fm_square_root(double square)
{
    double root = square > 1 ? square : 1, next = (root + square / root) / 2;
    while (next < root) {
        root = next;
        next = (root + square / root) / 2;
    }
    return square > 0 ? root : 0;
}

struct fm_path_spread fm_path_spread_of(const struct fm_path_cost *cost, uint32_t ranks)
{
    struct fm_path_spread spread = {
        .total_ns = cost->sum_ns,
        .max_ns = cost->max_ns,
        .min_ns = cost->min_ns,
        .max_rank = cost->ranks ? cost->max_rank : FM_NO_RANK,
        .min_rank = cost->min_rank,
    };
    if (cost->ranks < ranks || !cost->ranks) {
        spread.min_ns = 0;
        spread.min_rank = FM_NO_RANK;
    }
    if (!ranks)
        return spread;
    spread.mean_ns = (double)cost->sum_ns / ranks;
    double mean_us = spread.mean_ns / 1000, squares = (double)fm_path_squares(cost) / ranks;
    bool equal = !cost->ranks || (cost->ranks == ranks && cost->max_ns == cost->min_ns);
    spread.deviation_ns = equal ? 0 : fm_square_root(squares - mean_us * mean_us) * 1000;
    return spread;
}

/* Ranks without data are missing from the costs. On the other hand, the costs can have more ranks than the job: those
 * of processes that ran before MPI told them their rank. */
static uint32_t ranks_of(const struct fm_profile *profile)
{
    uint32_t measured = profile->paths.n ? profile->paths.nodes[0].all.ranks : 0;
    return profile->job.ranks > measured ? profile->job.ranks : measured;
}

/* The upper bound of the smallest share that each rank lists. A rank without shares has no time at all if all ranks
 * with time list shares. */
static void find_lightest(struct fm_address_tree *tree, struct fm_arena *arena)
{
    const struct fm_call_paths *paths = tree->paths;
    if (!paths->n_shares || tree->ranks > FM_MAX_LISTED_RANKS)
        return;
    tree->lightest_ns = fm_arena_alloc(arena, tree->ranks * sizeof *tree->lightest_ns);
    uint32_t listing = 0;
    for (size_t i = 0; tree->lightest_ns && i < paths->n_shares; i++) {
        uint64_t min, max;
        fm_quantized_range(paths->shares[i].all_ns, &min, &max);
        if (paths->shares[i].rank >= tree->ranks)
            continue;
        double *lightest = &tree->lightest_ns[paths->shares[i].rank];
        listing += !*lightest;
        if (!*lightest || (double)max < *lightest)
            *lightest = (double)max;
    }
    for (uint32_t rank = 0; tree->lightest_ns && listing < paths->nodes[0].all.ranks && rank < tree->ranks; rank++)
        if (!tree->lightest_ns[rank])
            tree->lightest_ns[rank] = (double)UINT64_MAX;
}

enum fm_status fm_address_tree_make(const struct fm_profile *profile, struct fm_arena *arena,
                                    struct fm_address_tree *tree, struct fm_error *error)
{
    const struct fm_call_paths *paths = &profile->paths;
    *tree = (struct fm_address_tree){.paths = paths, .n = paths->n, .ranks = ranks_of(profile)};
    tree->nodes = fm_arena_alloc(arena, tree->n * sizeof *tree->nodes);
    for (size_t i = 0; tree->nodes && i < tree->n; i++) {
        const struct fm_path_node *path = &paths->nodes[i];
        tree->nodes[i] = (struct fm_address_node){
            .path = path,
            .parent = path->parent,
            .depth = i ? tree->nodes[path->parent].depth + 1 : 0,
            .own = fm_path_spread_of(&path->own, tree->ranks),
            .all = fm_path_spread_of(&path->all, tree->ranks),
        };
    }
    if (!tree->nodes || !make_children(tree, arena))
        return fm_fail(error, FM_ERR_MEMORY, "not enough memory for the call paths");
    find_lightest(tree, arena);
    return FM_OK;
}
