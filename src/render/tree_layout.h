/* SPDX-License-Identifier: BSD-3-Clause */
/* Positions of the nodes of a tree in a picture: levels side by side, nodes of a level at least one row apart, a parent
 * in the middle of its children, and subtrees as close as their outlines allow.
 *
 *              +- b
 *   root --a --+         depth  0  1  2
 *              +- c
 */
#ifndef FM_RENDER_TREE_LAYOUT_H
#define FM_RENDER_TREE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct fm_tree_position {
    size_t depth;
    double row; /* from 0 */
};

/* parents[i] < i, or UINT32_MAX for a root; children with smaller numbers are placed above. Returns NULL if out of
 * memory. */
struct fm_tree_position *fm_tree_layout(const uint32_t *parents, size_t n, struct fm_arena *arena);

#endif
