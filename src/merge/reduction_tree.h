/* SPDX-License-Identifier: BSD-3-Clause */
/* The reduction tree: many profiles are merged as a binary tree, so that every byte is moved only log2(n) times. At most
 * one profile per level exists, however many are added; profiles added in the order of their ranks are merged by
 * appending. */
#ifndef FM_MERGE_REDUCTION_TREE_H
#define FM_MERGE_REDUCTION_TREE_H

#include "merge/merge.h"

struct fm_reduction_tree {
    struct fm_profile *levels[64]; /* levels[k] holds 2^k merged profiles, or NULL */
    struct fm_arena spare;         /* memory of merged profiles, for those that are made to be added */
};

/* Takes over `profile`, also on failure. A zeroed struct is an empty tree. */
enum fm_status fm_reduction_tree_add(struct fm_reduction_tree *tree, struct fm_profile *profile,
                                     struct fm_error *error);
/* The merge of all (an empty profile if there were none); the tree is empty afterwards, also on failure. */
enum fm_status fm_reduction_tree_finish(struct fm_reduction_tree *tree, struct fm_profile **profile,
                                        struct fm_error *error);

#endif
