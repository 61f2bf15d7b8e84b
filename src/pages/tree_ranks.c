/* SPDX-License-Identifier: BSD-3-Clause */
#include "pages/tree_ranks.h"

#include "analyse/calls/rank_extremes.h"
#include "base/sort.h"

/* As many nodes as a page can have without being much larger for it. Profiles have values of the heaviest ones, and those
 * that are made of them are not many more. */
enum { VALUES = 100000, LEAST_NODES = 16, MOST_NODES = 256, TRIED = 4 };

static size_t most_nodes(uint32_t ranks)
{
    size_t n = VALUES / ranks;
    return n < LEAST_NODES ? LEAST_NODES : n > MOST_NODES ? MOST_NODES : n;
}

struct candidate {
    uint64_t ns;
    uint32_t node;
};

static int heavier(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return (x->ns < y->ns) - (x->ns > y->ns);
}

static int by_node(const void *a, const void *b)
{
    const struct fm_node_ranks *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static bool keep(struct fm_node_ranks *item, const int64_t *ns, uint32_t ranks, struct fm_arena *arena)
{
    item->values = fm_arena_alloc(arena, ranks * sizeof *item->values);
    if (!item->values)
        return false;
    for (uint32_t i = 0; i < ranks; i++)
        if (ns[i] > 0 && (uint64_t)ns[i] > item->most_ns)
            item->most_ns = (uint64_t)ns[i];
    for (uint32_t i = 0; i < ranks; i++)
        item->values[i] = (int16_t)(ns[i] < 0        ? -1
                                    : !item->most_ns ? 0
                                                     : (double)ns[i] / (double)item->most_ns * FM_RANK_UNIT + 0.5);
    return true;
}

bool fm_tree_ranks_find(struct fm_tree_ranks *found, const struct fm_calltree *tree,
                        const struct fm_context *const *contexts, size_t n, enum fm_root_ranks root,
                        struct fm_arena *arena)
{
    struct fm_arena scratch = {0};
    *found = (struct fm_tree_ranks){.ranks = tree->ranks};
    struct fm_rank_costs *costs = tree->ranks > 1 ? fm_rank_costs_start(tree, &scratch) : NULL;
    if (!costs) {
        fm_arena_destroy(&scratch);
        return true;
    }
    size_t most = most_nodes(tree->ranks);
    struct candidate *candidates = fm_arena_alloc(&scratch, n * sizeof *candidates);
    int64_t *ns = fm_arena_alloc(&scratch, tree->ranks * sizeof *ns);
    found->items = fm_arena_alloc(arena, most * sizeof *found->items);
    bool good = candidates && ns && found->items;
    for (size_t i = 0; good && i < n; i++)
        candidates[i] = (struct candidate){contexts[i]->all.of.sum_ns, (uint32_t)i};
    good = good && fm_sort(candidates, n, sizeof *candidates, heavier, &scratch);
    for (size_t i = 0; good && i < n && i < TRIED * most && found->n < most; i++) {
        uint32_t node = candidates[i].node;
        if (!node && root == FM_ROOT_UNKNOWN)
            continue;
        bool of_children = !node && root == FM_ROOT_OF_CHILDREN;
        if (fm_rank_costs_of(costs, contexts[node], of_children, ns) < (tree->ranks + 1) / 2)
            continue;
        found->items[found->n].node = node;
        good = keep(&found->items[found->n++], ns, tree->ranks, arena);
    }
    good = good && fm_sort(found->items, found->n, sizeof *found->items, by_node, &scratch);
    fm_arena_destroy(&scratch);
    return good;
}
