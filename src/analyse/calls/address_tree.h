/* SPDX-License-Identifier: BSD-3-Clause */
/* The calling context tree of a profile by address, before symbolization (calltree.h has names): the children of each
 * node, heaviest first, and its costs over all ranks of the job; ranks without a node count as 0. Nodes keep the numbers
 * that they have in the profile. */
#ifndef FM_ANALYSE_CALLS_ADDRESS_TREE_H
#define FM_ANALYSE_CALLS_ADDRESS_TREE_H

#include "model/profile.h"

enum { FM_MAX_LISTED_RANKS = 1 << 22 }; /* ranks one by one: a file may name any number of them */

struct fm_path_spread {
    uint64_t total_ns;
    double mean_ns, deviation_ns; /* over the ranks of the job; the deviation of all of them, not of a sample */
    uint64_t max_ns, min_ns;      /* min: 0 where a rank has none */
    uint32_t max_rank, min_rank;  /* FM_NO_RANK: not known which; of the minimum where a rank has none */
};

struct fm_path_spread fm_path_spread_of(const struct fm_path_cost *cost, uint32_t ranks);
double fm_square_root(double square); /* of a negative number 0 */

struct fm_address_node {
    const struct fm_path_node *path;
    uint32_t parent, depth;
    const uint32_t *children; /* heaviest first, with what is below them; of equal ones the first in the tree */
    size_t n_children;
    struct fm_path_spread own, all; /* without and with what is below */
};

struct fm_address_tree {
    const struct fm_call_paths *paths;
    struct fm_address_node *nodes;
    size_t n;
    uint32_t ranks;      /* of the job: what means and deviations are over */
    double *lightest_ns; /* by rank: what a node of which it tells nothing has at most; NULL: not known */
};

enum fm_status fm_address_tree_make(const struct fm_profile *profile, struct fm_arena *arena,
                                    struct fm_address_tree *tree, struct fm_error *error);

#endif
