/* SPDX-License-Identifier: BSD-3-Clause */
/* The costs of nodes of the calling context tree by rank. The nodes below a node follow it directly, and so do their
 * shares. */
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "model/call_paths.h"
#include "model/order.h"

/* The index of the first share whose node is not less than `node`. */
static size_t first_share(const struct fm_call_paths *paths, size_t node)
{
    return FM_FIRST_AT_LEAST(paths->shares, paths->n_shares, node, node);
}

const struct fm_path_share *fm_call_paths_shares_of(const struct fm_call_paths *paths, uint32_t node, size_t *n)
{
    size_t first = first_share(paths, node);
    *n = first_share(paths, (size_t)node + 1) - first;
    return *n ? paths->shares + first : NULL;
}

static int by_rank(const void *a, const void *b)
{
    const struct fm_path_share *x = a, *y = b;
    int order = fm_compare_number(x->rank, y->rank);
    if (!order)
        order = fm_compare_number(y->all_ns, x->all_ns);
    return order ? order : fm_compare_number(x->node, y->node);
}

/* The shares of a node and of the nodes below it. */
static const struct fm_path_share *shares_below(const struct fm_call_paths *paths, uint32_t node, size_t *n)
{
    size_t end = (size_t)node + 1;
    while (end < paths->n && paths->nodes[end].parent >= node)
        end++;
    size_t first = first_share(paths, node);
    *n = first_share(paths, end) - first;
    return paths->shares + first;
}

bool fm_call_paths_vector(const struct fm_call_paths *paths, uint32_t node, struct fm_arena *arena,
                          const struct fm_path_share **vector, size_t *n)
{
    *vector = fm_call_paths_shares_of(paths, node, n);
    if (*n >= paths->nodes[node].all.ranks)
        return true;
    size_t all;
    const struct fm_path_share *below = shares_below(paths, node, &all);
    if (all == *n)
        return true;
    struct fm_path_share *shares = fm_arena_alloc(arena, all * sizeof *shares);
    if (!shares)
        return false;
    memcpy(shares, below, all * sizeof *shares);
    if (!fm_sort(shares, all, sizeof *shares, by_rank, arena))
        return false;
    *n = 0;
    for (size_t i = 0; i < all; i++)
        if (!i || shares[i].rank != shares[*n - 1].rank)
            shares[(*n)++] = shares[i];
    *vector = shares;
    return true;
}

struct vector_weight {
    uint64_t ns;
    uint32_t node;
};

static int heavier(const void *a, const void *b)
{
    const struct vector_weight *x = a, *y = b;
    return x->ns != y->ns ? fm_compare_number(y->ns, x->ns) : fm_compare_number(x->node, y->node);
}

static int by_node(const void *a, const void *b)
{
    return fm_compare_number(((const struct vector_weight *)a)->node, ((const struct vector_weight *)b)->node);
}

/* The heaviest nodes that have shares, sorted by node. */
static struct vector_weight *choose_heaviest(const struct fm_call_paths *paths, size_t max, struct fm_arena *arena,
                                             size_t *n)
{
    struct vector_weight *chosen = fm_arena_alloc(arena, paths->n * sizeof *chosen);
    *n = 0;
    for (size_t i = 0; chosen && i < paths->n_shares; i++) {
        uint32_t node = paths->shares[i].node;
        if (!i || paths->shares[i - 1].node != node)
            chosen[(*n)++] = (struct vector_weight){paths->nodes[node].all.sum_ns, node};
    }
    if (!chosen || !fm_sort(chosen, *n, sizeof *chosen, heavier, arena))
        return NULL;
    if (*n > max)
        *n = max;
    return fm_sort(chosen, *n, sizeof *chosen, by_node, arena) ? chosen : NULL;
}

/* Maximum number of shares in the vector of a node. */
static size_t vector_limit(const struct fm_call_paths *paths, uint32_t node)
{
    size_t own, all;
    fm_call_paths_shares_of(paths, node, &own);
    if (own >= paths->nodes[node].all.ranks)
        return own;
    shares_below(paths, node, &all);
    return all < paths->nodes[node].all.ranks ? all : paths->nodes[node].all.ranks;
}

static bool add_vector(const struct fm_call_paths *paths, uint32_t node, struct fm_arena *arena,
                       struct fm_call_paths *out)
{
    struct fm_arena scratch = {0};
    const struct fm_path_share *vector;
    size_t n;
    bool ok = fm_call_paths_vector(paths, node, &scratch, &vector, &n);
    struct fm_path_share *shares = !ok ? NULL
                                       : fm_arena_grow(arena, out->shares, &out->shares_capacity, out->n_shares + n,
                                                       sizeof *shares);
    for (size_t i = 0; shares && i < n; i++) {
        shares[out->n_shares] = vector[i];
        shares[out->n_shares++].node = node;
    }
    out->shares = shares;
    fm_arena_destroy(&scratch);
    return shares != NULL;
}

bool fm_call_paths_keep_vectors(const struct fm_call_paths *paths, size_t max, struct fm_arena *arena,
                                struct fm_call_paths *out)
{
    *out = *paths;
    if (!paths->n_shares)
        return true;
    size_t n, capacity = 0;
    struct vector_weight *chosen = choose_heaviest(paths, max, arena, &n);
    for (size_t i = 0; chosen && i < n; i++)
        capacity += vector_limit(paths, chosen[i].node);
    out->shares = chosen ? fm_arena_alloc(arena, capacity * sizeof *out->shares) : NULL;
    out->shares_capacity = capacity;
    out->n_shares = 0;
    for (size_t i = 0; out->shares && i < n; i++)
        if (!add_vector(paths, chosen[i].node, arena, out))
            return false;
    return out->shares != NULL;
}
