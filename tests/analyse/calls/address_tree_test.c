#include "analyse/calls/address_tree.h"

#include <stdlib.h>
#include <string.h>

#include "merge/merge.h"
#include "merge/parts.h"
#include "tap.h"

/* root - call 10 - (leaf 1, leaf 2); root - call 20 - leaf 3. */
static struct fm_profile *of_rank(uint32_t rank, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t own[] = {0, 0, a, b, 0, c};
    static const struct fm_path_node nodes[] = {
        {0, FM_PATH_ROOT, {"", "", 0}, "", {0}, {0}},   {0, FM_PATH_CALL, {"m", "", 10}, "", {0}, {0}},
        {1, FM_PATH_LEAF, {"m", "", 1}, "", {0}, {0}},  {1, FM_PATH_LEAF, {"m", "", 2}, "", {0}, {0}},
        {0, FM_PATH_CALL, {"m", "", 20}, "", {0}, {0}}, {4, FM_PATH_LEAF, {"m", "", 3}, "", {0}, {0}},
    };
    struct fm_profile *p = fm_profile_create();
    struct fm_call_paths paths = {.n = c ? 6 : 4};
    paths.nodes = fm_arena_alloc(&p->arena, sizeof nodes);
    memcpy(paths.nodes, nodes, sizeof nodes);
    for (size_t i = 0; i < paths.n; i++)
        paths.nodes[i].own = fm_path_cost_of(own[i], rank);
    fm_call_paths_inclusive(&paths, rank);
    fm_call_paths_make_shares(&paths, &p->arena, &p->arena, rank);
    fm_merge_paths(p, &paths, &p->arena);
    p->job.ranks = 3;
    return p;
}

static bool near(double a, double b)
{
    return a - b < 1e-6 * (1 + b) && b - a < 1e-6 * (1 + b);
}

int main(void)
{
    struct fm_profile *p = of_rank(0, 2000000, 5000000, 0), *other = of_rank(2, 4000000, 5000000, 11000000);
    struct fm_arena arena = {0};
    struct fm_address_tree tree;
    fm_profile_merge(p, other, NULL);
    tap_ok(!fm_address_tree_make(p, &arena, &tree, NULL) && tree.n == 6 && tree.ranks == 3, "a tree is made");
    const struct fm_address_node *nodes = tree.nodes;
    tap_ok(nodes[0].n_children == 2 && nodes[0].children[0] == 1 && nodes[0].children[1] == 4 &&
               nodes[1].n_children == 2 && nodes[1].children[0] == 3 && nodes[1].children[1] == 2 &&
               nodes[4].n_children == 1 && nodes[4].children[0] == 5 && !nodes[5].n_children,
           "children come heaviest first");
    tap_ok(nodes[0].depth == 0 && nodes[1].depth == 1 && nodes[3].depth == 2 && nodes[3].parent == 1,
           "they have depths");
    const struct fm_path_spread *all = &nodes[1].all;
    /* 7, 0 and 9 ms: mean 16/3, deviation sqrt(130/3 - 256/9) */
    tap_ok(all->total_ns == 16000000 && near(all->mean_ns, 16e6 / 3) && near(all->deviation_ns, 3858612.300930),
           "mean and deviation are over all ranks of the job");
    tap_ok(all->max_ns == 9000000 && all->max_rank == 2 && all->min_ns == 0 && all->min_rank == FM_NO_RANK,
           "a rank that does not have a node has 0 of it");
    tap_ok(nodes[1].own.total_ns == 0 && nodes[1].own.mean_ns == 0 && nodes[1].own.deviation_ns == 0 &&
               nodes[1].own.max_rank == FM_NO_RANK,
           "what a node does not have is 0");
    size_t n;
    const struct fm_path_share *shares = fm_call_paths_shares_of(&p->paths, 1, &n);
    tap_ok(n == 2 && shares[0].rank == 0 && shares[0].all_ns == 7000000 && shares[1].rank == 2,
           "ranks have their shares");
    tap_ok(!fm_call_paths_shares_of(&p->paths, 4, &n) && !n, "not of what its child says better");
    p->job.ranks = 2;
    fm_address_tree_make(p, &arena, &tree, NULL);
    tap_ok(tree.nodes[3].all.min_ns == 5000000 && tree.nodes[3].all.min_rank == 0 &&
               tree.nodes[3].all.deviation_ns == 0 && near(tree.nodes[1].all.deviation_ns, 1e6),
           "ranks that all have it differ by what they have");
    struct fm_profile *none = fm_profile_create();
    tap_ok(!fm_address_tree_make(none, &arena, &tree, NULL) && !tree.n, "without samples there is no tree");
    fm_profile_destroy(none);
    fm_profile_destroy(other);
    fm_profile_destroy(p);
    fm_arena_destroy(&arena);
    return tap_done();
}
