/* SPDX-License-Identifier: BSD-3-Clause */
/* The reduction tree: merges many profiles as a binary tree, so that every byte is copied only log2(n) times. There is
 * at most one profile per level, however many are added. Profiles added in the order of their ranks are merged by
 * appending. */
#ifndef FM_MERGE_REDUCTION_TREE_H
#define FM_MERGE_REDUCTION_TREE_H

#include "merge/merge.h"

struct fm_reduction_tree {
    struct fm_profile *levels[64]; /* levels[k] has 2^k merged profiles, or is NULL */
    struct fm_arena spare;         /* memory of merged profiles, reused for those that will be added */
};

/* Takes ownership of `profile`, also on failure. A zeroed struct is an empty tree. */
enum fm_status fm_reduction_tree_add(struct fm_reduction_tree *tree, struct fm_profile *profile,
                                     struct fm_error *error);
/* The result of merging all (an empty profile if there were none). The tree is empty afterwards, also on failure. */
enum fm_status fm_reduction_tree_finish(struct fm_reduction_tree *tree, struct fm_profile **profile,
                                        struct fm_error *error);

#endif
