/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/call_paths.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "model/order.h"
#include "model/values.h"

int fm_path_compare(const struct fm_path_node *a, const struct fm_path_node *b)
{
    int order = fm_compare_number(a->kind, b->kind);
    if (!order)
        order = fm_site_compare(&a->site, &b->site);
    return order ? order : fm_compare_text(a->routine, b->routine);
}

/* ---- costs ---- */

struct fm_path_cost fm_path_cost_of(uint64_t ns, uint32_t rank)
{
    if (!ns)
        return (struct fm_path_cost){0};
    unsigned __int128 square = (unsigned __int128)(ns / 1000) * (ns / 1000);
    return (struct fm_path_cost){
        .sum_ns = ns,
        .squares = {(uint64_t)square, (uint64_t)(square >> 64)},
        .max_ns = ns,
        .min_ns = ns,
        .max_rank = rank,
        .min_rank = rank,
        .ranks = 1,
    };
}

void fm_path_add_squares(struct fm_path_cost *cost, unsigned __int128 squares)
{
    unsigned __int128 sum = fm_path_squares(cost) + squares;
    if (sum < squares)
        sum = ~(unsigned __int128)0;
    cost->squares[0] = (uint64_t)sum;
    cost->squares[1] = (uint64_t)(sum >> 64);
}

void fm_path_cost_merge(struct fm_path_cost *into, const struct fm_path_cost *from)
{
    if (!from->ranks)
        return;
    if (!into->ranks) {
        *into = *from;
        return;
    }
    if (from->max_ns > into->max_ns || (from->max_ns == into->max_ns && from->max_rank < into->max_rank)) {
        into->max_ns = from->max_ns;
        into->max_rank = from->max_rank;
    }
    if (from->min_ns < into->min_ns || (from->min_ns == into->min_ns && from->min_rank < into->min_rank)) {
        into->min_ns = from->min_ns;
        into->min_rank = from->min_rank;
    }
    fm_add_saturating(&into->sum_ns, from->sum_ns);
    fm_path_add_squares(into, fm_path_squares(from));
    into->ranks = into->ranks + from->ranks < into->ranks ? UINT32_MAX : into->ranks + from->ranks;
}

/* ---- a tree of one rank ---- */

void fm_call_paths_inclusive(struct fm_call_paths *paths, uint32_t rank)
{
    struct fm_path_node *nodes = paths->nodes;
    for (size_t i = 0; i < paths->n; i++)
        nodes[i].all.sum_ns = nodes[i].own.sum_ns;
    for (size_t i = paths->n; i-- > 1;)
        fm_add_saturating(&nodes[nodes[i].parent].all.sum_ns, nodes[i].all.sum_ns);
    for (size_t i = 0; i < paths->n; i++)
        nodes[i].all = fm_path_cost_of(nodes[i].all.sum_ns, rank);
}

static int by_node(const void *a, const void *b)
{
    return fm_compare_number(((const struct fm_path_share *)a)->node, ((const struct fm_path_share *)b)->node);
}

/* Inserts a share into the heaviest so far, which are sorted by descending weight, after those of equal weight. */
static size_t insert_share(struct fm_path_share *heaviest, size_t n, struct fm_path_share share)
{
    if (n == FM_PATH_SHARES && heaviest[n - 1].all_ns >= share.all_ns)
        return n;
    size_t at = n < FM_PATH_SHARES ? n++ : n - 1;
    for (; at && heaviest[at - 1].all_ns < share.all_ns; at--)
        heaviest[at] = heaviest[at - 1];
    heaviest[at] = share;
    return n;
}

bool fm_call_paths_make_shares(struct fm_call_paths *paths, struct fm_arena *arena, struct fm_arena *scratch,
                               uint32_t rank)
{
    uint64_t *child_ns = fm_arena_alloc(scratch, paths->n * sizeof *child_ns);
    struct fm_path_share *shares = fm_arena_alloc(arena, FM_PATH_SHARES * sizeof *shares);
    if (!child_ns || !shares)
        return false;
    for (size_t i = 1; i < paths->n; i++) {
        uint64_t *heaviest = &child_ns[paths->nodes[i].parent];
        if (paths->nodes[i].all.sum_ns > *heaviest)
            *heaviest = paths->nodes[i].all.sum_ns;
    }
    size_t n = 0;
    for (size_t i = 0; i < paths->n; i++) {
        uint64_t ns = paths->nodes[i].all.sum_ns;
        if (child_ns[i] < ns)
            n = insert_share(shares, n, (struct fm_path_share){(uint32_t)i, rank, ns});
    }
    paths->shares = shares;
    paths->n_shares = n;
    paths->shares_capacity = FM_PATH_SHARES;
    return fm_sort(shares, n, sizeof *shares, by_node, scratch);
}

/* ---- validation ---- */

static bool cost_valid(const struct fm_path_cost *cost)
{
    if (!cost->ranks)
        return !(cost->sum_ns | cost->squares[0] | cost->squares[1] | cost->max_ns | cost->min_ns | cost->max_rank |
                 cost->min_rank);
    return cost->min_ns && cost->min_ns <= cost->max_ns && cost->max_ns <= cost->sum_ns;
}

/* Whether a cost can be a part of another one. */
static bool part_valid(const struct fm_path_cost *part, const struct fm_path_cost *total)
{
    return part->sum_ns <= total->sum_ns && part->max_ns <= total->max_ns && part->ranks <= total->ranks;
}

static bool costs_valid(const struct fm_path_node *node, const struct fm_path_node *parent)
{
    return node->all.ranks && cost_valid(&node->own) && cost_valid(&node->all) && part_valid(&node->own, &node->all) &&
           part_valid(&node->all, &parent->all);
}

static bool node_valid(const struct fm_path_node *node, const struct fm_path_node *parent)
{
    bool site = node->kind == FM_PATH_CALL || node->kind == FM_PATH_LEAF;
    if (!site && (*node->site.module || *node->site.build_id || node->site.offset))
        return false;
    if (*node->site.build_id && !*node->site.module)
        return false;
    if ((node->kind == FM_PATH_ROUTINE) != (*node->routine != 0))
        return false;
    if (!parent)
        return node->kind == FM_PATH_ROOT;
    return node->kind > FM_PATH_ROOT && node->kind < FM_PATH_KINDS &&
           (node->kind != FM_PATH_GAP || parent->kind == FM_PATH_ROOT) && parent->kind < FM_PATH_ROUTINE;
}

/* The parent of a node must be on the path from the root to the node before it; the node on that path at the same depth
 * is its preceding sibling. */
static const char *check_order(const struct fm_call_paths *paths)
{
    uint32_t path[FM_CALL_PATHS_DEPTH + 2] = {0};
    size_t depth = 0;
    for (size_t i = 1; i < paths->n; i++) {
        const struct fm_path_node *node = &paths->nodes[i];
        while (path[depth] > node->parent)
            depth--;
        uint32_t sibling = path[depth + 1]; /* of an earlier subtree if its index is below the parent's */
        if (path[depth] != node->parent ||
            (sibling > node->parent && fm_path_compare(&paths->nodes[sibling], node) >= 0))
            return "call paths out of order";
        if (++depth > FM_CALL_PATHS_DEPTH)
            return "call paths too deep";
        path[depth] = (uint32_t)i;
    }
    return NULL;
}

const char *fm_call_paths_check(const struct fm_call_paths *paths)
{
    if (paths->n > UINT32_MAX)
        return "too many call paths";
    for (size_t i = 0; i < paths->n; i++) {
        const struct fm_path_node *node = &paths->nodes[i];
        if (node->parent >= i && (i || node->parent))
            return "call paths out of order";
        if (!node_valid(node, i ? &paths->nodes[node->parent] : NULL))
            return "invalid call path";
        if (!costs_valid(node, &paths->nodes[node->parent]))
            return "invalid cost of a call path";
    }
    for (size_t i = 0; i < paths->n_shares; i++) {
        const struct fm_path_share *share = &paths->shares[i];
        if (share->node >= paths->n ||
            (i && (share[-1].node > share->node || (share[-1].node == share->node && share[-1].rank >= share->rank))))
            return "shares of call paths out of order";
    }
    return check_order(paths);
}
