/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes in a binary tree that send results up and commands down over MPI.
 *
 *        0            A child announces the size of its result; the parent requests it in chunks, in messages small
 *      1   2          enough to be sent eagerly, so that no send is ever left pending.
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

enum { FM_RANK_TREE_CHILDREN = 2 };

struct fm_rank_tree {
    const struct fm_abi *abi;
    fm_word comm;
    int place, n;
    bool never_sleeps; /* between tests for messages */
};

/* The tree takes over the communicator. */
void fm_rank_tree_make(struct fm_rank_tree *tree, const struct fm_abi *abi, fm_word comm);
/* The position of child 0 or 1; -1 if there is none. */
int fm_rank_tree_child(const struct fm_rank_tree *tree, int i);

/* Waits for a child for at most `timeout_ns` (0: forever) and fetches its result into the arena; every message after
 * the first has its own timeout. If not `wanted`, tells the child so. Returns false if there is no result or it is
 * incomplete. */
bool fm_rank_tree_fetch(const struct fm_rank_tree *tree, int child, bool wanted, uint64_t timeout_ns,
                        struct fm_arena *arena, void **bytes, size_t *size);
/* Passes a result to the parent; NULL: there is none. Returns false if the transfer failed. */
bool fm_rank_tree_send_up(const struct fm_rank_tree *tree, const void *bytes, size_t size);

/* Sends a word to a child; receives one from the parent. */
bool fm_rank_tree_send_word(const struct fm_rank_tree *tree, int child, uint64_t word);
bool fm_rank_tree_receive_word(const struct fm_rank_tree *tree, uint64_t *word);
/* Makes MPI progress, and returns whether a message is pending: call now and then while waiting outside MPI. */
bool fm_rank_tree_progress(const struct fm_rank_tree *tree);

#endif
