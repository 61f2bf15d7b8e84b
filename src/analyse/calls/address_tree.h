/* SPDX-License-Identifier: BSD-3-Clause */
/* The calling context tree of a profile by address, before symbolization (calltree.h has names): the children of each
 * node, heaviest first, and its costs over all ranks of the job; ranks without a node count as 0. Nodes keep the
 * numbers that they have in the profile. */
#ifndef FM_ANALYSE_CALLS_ADDRESS_TREE_H
#define FM_ANALYSE_CALLS_ADDRESS_TREE_H

#include "model/profile.h"

enum { FM_MAX_LISTED_RANKS = 1 << 22 }; /* limit for arrays by rank: a file may contain any rank */

struct fm_path_spread {
    uint64_t total_ns;
    double mean_ns, deviation_ns; /* over all ranks of the job (population deviation) */
    uint64_t max_ns, min_ns;      /* min: 0 if a rank does not have it */
    uint32_t max_rank, min_rank;  /* FM_NO_RANK: unknown, or a rank does not have it (min) */
};

struct fm_path_spread fm_path_spread_of(const struct fm_path_cost *cost, uint32_t ranks);
double fm_square_root(double square); /* 0 if negative */

struct fm_address_node {
    const struct fm_path_node *path;
    uint32_t parent, depth;
    const uint32_t *children; /* by inclusive cost, heaviest first; equal ones in tree order */
    size_t n_children;
    struct fm_path_spread own, all; /* exclusive and inclusive */
};

struct fm_address_tree {
    const struct fm_call_paths *paths;
    struct fm_address_node *nodes;
    size_t n;
    uint32_t ranks;      /* of the job; means and deviations are over these */
    double *lightest_ns; /* by rank: upper bound for a node of which it lists no share; NULL: unknown */
};

enum fm_status fm_address_tree_make(const struct fm_profile *profile, struct fm_arena *arena,
                                    struct fm_address_tree *tree, struct fm_error *error);

#endif
