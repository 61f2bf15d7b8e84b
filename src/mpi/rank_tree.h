/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes in a binary tree that pass results up and words down over MPI.
 *
 *        0            A child tells its parent how large its result is; the parent asks for it piece by piece, in
 *      1   2          messages small enough to be sent at once, so that no send is ever left pending.
 *     3 4 5 6
 *
 * All MPI calls are the library's own, on a communicator with MPI_ERRORS_RETURN; nothing is printed. */
#ifndef FM_MPI_RANK_TREE_H
#define FM_MPI_RANK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "mpi/abi.h"

enum { FM_TREE_CHILDREN = 2 };

struct fm_tree {
    const struct fm_abi *abi;
    fm_word comm;
    int place, n;
    bool never_sleeps; /* between tests for messages */
};

/* The communicator is the tree's. */
void fm_tree_make(struct fm_tree *tree, const struct fm_abi *abi, fm_word comm);
/* The place of a child, 0 or 1; -1: there is none. */
int fm_tree_child(const struct fm_tree *tree, int i);

/* Waits for a child to come, so long (0: as long as it takes), and fetches its result into the arena; every message
 * after the first has a limit of its own. Not `wanted`: the child is told so. false: it has none, or not all came. */
bool fm_tree_fetch(const struct fm_tree *tree, int child, bool wanted, uint64_t limit_ns, struct fm_arena *arena,
                   void **bytes, size_t *size);
/* To the parent. NULL: there is none. false: not all was asked for. */
bool fm_tree_pass_up(const struct fm_tree *tree, const void *bytes, size_t size);

/* A word to a child, and from the parent. */
bool fm_tree_tell(const struct fm_tree *tree, int child, uint64_t word);
bool fm_tree_hear(const struct fm_tree *tree, uint64_t *word);
/* Whether anything has come, or anything but moves on: to be called now and then while one waits outside MPI. */
bool fm_tree_progress(const struct fm_tree *tree);

#endif
