/* SPDX-License-Identifier: BSD-3-Clause */
/* The costs by rank of the heaviest nodes of a tree, as far as the profile has them. Memory comes from the arena. */
#ifndef FM_PAGES_TREE_RANKS_H
#define FM_PAGES_TREE_RANKS_H

#include "analyse/calls/calltree.h"

enum { FM_RANK_UNIT = 1000 }; /* of the largest value of a node */

struct fm_tree_ranks {
    struct fm_node_ranks {
        uint32_t node;
        uint64_t most_ns; /* the largest one */
        int16_t *values;  /* by rank, in FM_RANK_UNIT parts of that; -1: unknown */
    } * items;            /* by node */
    size_t n;
    uint32_t ranks;
};

/* If threads were removed from a tree, the values of its root are not those of its own parts any more. */
enum fm_root_ranks { FM_ROOT_AS_OTHERS, FM_ROOT_OF_CHILDREN, FM_ROOT_UNKNOWN };

/* contexts: of the nodes. Returns false if out of memory. */
bool fm_tree_ranks_find(struct fm_tree_ranks *found, const struct fm_calltree *tree,
                        const struct fm_context *const *contexts, size_t n, enum fm_root_ranks root,
                        struct fm_arena *arena);

#endif
