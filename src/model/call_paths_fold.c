/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a calling context tree smaller. A node is never heavier than its parent and comes after it. Sorted by weight,
 * and among equals the last one first, children therefore come before their parents, and removing any number of nodes
 * from the front leaves a tree. */
#include "base/saturate.h"
#include "base/sort.h"
#include "model/call_paths.h"
#include "model/order.h"

struct node_weight {
    uint64_t ns;
    uint32_t node;
};

static int lighter(const void *a, const void *b)
{
    const struct node_weight *x = a, *y = b;
    return x->ns != y->ns ? fm_compare_number(x->ns, y->ns) : fm_compare_number(y->node, x->node);
}

enum { NODE_KEPT = 0, NODE_FOLDED = 1 };

/* Marks the `n_folded` lightest nodes. */
static bool mark_lightest(const struct fm_call_paths *paths, size_t n_folded, struct fm_arena *arena, uint8_t *marks)
{
    struct node_weight *weights = fm_arena_alloc(arena, paths->n * sizeof *weights);
    if (!weights)
        return false;
    for (size_t i = 0; i < paths->n; i++)
        weights[i] = (struct node_weight){paths->nodes[i].all.sum_ns, (uint32_t)i};
    if (!fm_sort(weights, paths->n, sizeof *weights, lighter, arena))
        return false;
    for (size_t i = 0; i < n_folded; i++)
        marks[weights[i].node] = NODE_FOLDED;
    return true;
}

static uint64_t square_root(unsigned __int128 square)
{
    uint64_t root = 0;
    for (uint64_t bit = 1ull << 63; bit; bit >>= 1)
        if ((unsigned __int128)(root | bit) * (root | bit) <= square)
            root |= bit;
    return root;
}

/* Adds the cost of a folded child to the exclusive cost of its parent; both are part of the inclusive cost of the
 * parent. */
static void add_folded(struct fm_path_node *node, const struct fm_path_cost *folded)
{
    struct fm_path_cost *own = &node->own;
    const struct fm_path_cost *all = &node->all;
    if (!own->ranks) {
        *own = *folded;
        return;
    }
    if (all->ranks == 1) {
        *own = fm_path_cost_of(fm_sum(own->sum_ns, folded->sum_ns), all->max_rank);
        return;
    }
    uint64_t max = fm_sum(own->max_ns, folded->max_ns), ranks = (uint64_t)own->ranks + folded->ranks;
    unsigned __int128 both = (unsigned __int128)square_root(fm_path_squares(own)) *
                             square_root(fm_path_squares(folded));
    fm_path_cost_merge(own, folded);
    own->max_ns = max < all->max_ns ? max : all->max_ns;
    own->ranks = ranks < all->ranks ? (uint32_t)ranks : all->ranks;
    fm_path_add_squares(own, both);
    fm_path_add_squares(own, both);
    if (fm_path_squares(own) > fm_path_squares(all)) {
        own->squares[0] = all->squares[0];
        own->squares[1] = all->squares[1];
    }
}

/* Copies the nodes that are kept. places[i] becomes the new index of node i, or of the ancestor it is folded into. */
static void copy_nodes(const struct fm_call_paths *paths, const uint8_t *marks, uint32_t *places,
                       struct fm_call_paths *out)
{
    for (size_t i = 0; i < paths->n; i++) {
        const struct fm_path_node *node = &paths->nodes[i];
        uint32_t parent = places[node->parent];
        if (marks[i] == NODE_KEPT) {
            places[i] = (uint32_t)out->n;
            out->nodes[out->n] = *node;
            out->nodes[out->n++].parent = parent;
            continue;
        }
        places[i] = parent;
        if (marks[node->parent] == NODE_KEPT) {
            add_folded(&out->nodes[parent], &node->all);
            fm_add_saturating(&out->folded_ns, node->all.sum_ns);
        }
    }
    for (size_t i = 0; i < out->n; i++)
        if (i + 1 == out->n || out->nodes[i + 1].parent != i) /* no children left: no estimate is needed */
            out->nodes[i].own = out->nodes[i].all;
}

bool fm_call_paths_fold(const struct fm_call_paths *paths, size_t max_nodes, struct fm_arena *arena,
                        struct fm_call_paths *out)
{
    *out = *paths;
    if (paths->n <= max_nodes)
        return true;
    uint8_t *marks = fm_arena_alloc(arena, paths->n);
    uint32_t *places = fm_arena_alloc(arena, paths->n * sizeof *places);
    out->nodes = fm_arena_alloc(arena, max_nodes * sizeof *out->nodes);
    out->shares = fm_arena_alloc(arena, paths->n_shares * sizeof *out->shares);
    if (!marks || !places || !out->nodes || !out->shares || !mark_lightest(paths, paths->n - max_nodes, arena, marks))
        return false;
    out->n = out->n_shares = 0;
    copy_nodes(paths, marks, places, out);
    for (size_t i = 0; i < paths->n_shares; i++) {
        struct fm_path_share share = paths->shares[i];
        if (marks[share.node] == NODE_FOLDED)
            continue;
        share.node = places[share.node];
        out->shares[out->n_shares++] = share;
    }
    if (!fm_sequence_renumber(&paths->sequence, places, arena, &out->sequence))
        return false;
    out->capacity = out->n;
    out->shares_capacity = out->n_shares;
    return true;
}
