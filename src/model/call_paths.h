/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths: the calling context tree of a job, built from samples of its threads.
 *
 * A node extends the context of its parent: by a call made there (its return address), by the instruction a thread was
 * executing when it was sampled, or by the MPI routine it was in, whatever the library called internally. Only the last
 * two have costs of their own. A stack that could not be unwound to its outermost frame is below a node of kind
 * FM_PATH_GAP.
 *
 * Nodes are in depth-first order, the root first. The children of a node are unique and sorted by kind, module, build
 * id, offset and routine, so that two trees can be merged in a single pass. Costs are times in ns (samples times the
 * sampling period), so that trees with different sampling rates can be merged. */
#ifndef FM_MODEL_CALL_PATHS_H
#define FM_MODEL_CALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/sequence.h"
#include "model/site.h"

enum fm_path_kind {
    FM_PATH_NONE,    /* in a segment: a free slot */
    FM_PATH_ROOT,    /* the first node */
    FM_PATH_GAP,     /* below the root: parent of stacks whose outer frames are unknown */
    FM_PATH_CALL,    /* site: the return address */
    FM_PATH_ROUTINE, /* an MPI routine, called from its parent */
    FM_PATH_LEAF,    /* site: the instruction itself */
    FM_PATH_KINDS
};

enum {
    FM_CALL_PATHS_DEPTH = 512,     /* maximum number of nodes below the root; deeper frames count for their caller */
    FM_PATH_SHARES = 64,           /* nodes per rank whose cost is kept for that rank */
    FM_CALL_PATHS_IN_FILE = 50000, /* nodes; in a larger tree the lightest leaves are folded into their parents */
};

/* A cost over ranks. Ranks without the node count as 0 in the mean and the deviation, and are the minimum if there are
 * any. If several ranks have the same extreme, the lowest is recorded. */
struct fm_path_cost {
    uint64_t sum_ns;
    uint64_t squares[2];     /* sum of the squares of the ranks' costs in us: low and high word */
    uint64_t max_ns, min_ns; /* of the ranks that have the node */
    uint32_t max_rank, min_rank, ranks;
};

struct fm_path_node {
    uint32_t parent; /* index, less than its own; 0 for the root */
    uint32_t kind;
    struct fm_site site;          /* of a leaf: its own address; module "" = unknown */
    const char *routine;          /* "" if it is not a routine */
    struct fm_path_cost own, all; /* exclusive and inclusive */
};

/* The inclusive cost of a node for one rank, kept for the heaviest nodes of each rank so that their costs are known per
 * rank. Files keep its five leading bits (model/quantize.h). Sorted by node, rank. */
struct fm_path_share {
    uint32_t node, rank;
    uint64_t all_ns;
};

struct fm_call_paths {
    struct fm_path_node *nodes; /* none if nothing was sampled */
    size_t n, capacity;
    struct fm_path_share *shares;
    size_t n_shares, shares_capacity;
    struct fm_sequence sequence;
    uint64_t samples;      /* taken */
    uint64_t partial;      /* of these: stacks that could not be unwound completely */
    uint64_t lost;         /* sampling periods without a path */
    uint64_t folded_ns;    /* cost moved to a shorter path for lack of space */
    uint64_t period_ns[2]; /* shortest and longest over ranks; 0 = none */
};

/* The order of the children of a node. */
int fm_path_compare(const struct fm_path_node *a, const struct fm_path_node *b);

/* The cost of one rank; all zero if ns is 0. */
struct fm_path_cost fm_path_cost_of(uint64_t ns, uint32_t rank);
static inline unsigned __int128 fm_path_squares(const struct fm_path_cost *cost)
{
    return (unsigned __int128)cost->squares[1] << 64 | cost->squares[0];
}
/* Adds to the sum of squares, saturating. */
void fm_path_add_squares(struct fm_path_cost *cost, unsigned __int128 squares);
/* Adds up the costs of different ranks; associative and commutative. */
void fm_path_cost_merge(struct fm_path_cost *into, const struct fm_path_cost *from);

/* Computes `all` from `own` in a tree of one rank. */
void fm_call_paths_inclusive(struct fm_call_paths *paths, uint32_t rank);
/* Computes the shares of a tree of one rank: the FM_PATH_SHARES heaviest nodes (of equal weight, the first ones),
 * except those with a child that has all of their cost, because its share is the same. (Files of 0.1.0: except those
 * with a child that has 95 % of it.) Returns false if out of memory. */
bool fm_call_paths_make_shares(struct fm_call_paths *paths, struct fm_arena *arena, struct fm_arena *scratch,
                               uint32_t rank);

/* *out = paths with at most `max_nodes` nodes (model/call_paths_fold.c): the lightest leaves (of equal weight, the last
 * ones) are folded into their parents until few enough are left. Its arrays are those of `paths`, or are allocated from
 * the arena. If all children of a node are folded into it, its costs are exact. If it keeps some, the sum is exact and
 * the spread of `own` is an estimate which assumes that the ranks with the largest part of one also have the largest
 * part of the other. Returns false if out of memory. */
bool fm_call_paths_fold(const struct fm_call_paths *paths, size_t max_nodes, struct fm_arena *arena,
                        struct fm_call_paths *out);

/* The shares of a node; NULL and 0 if no rank has one. */
const struct fm_path_share *fm_call_paths_shares_of(const struct fm_call_paths *paths, uint32_t node, size_t *n);
/* The costs of a node by rank: the rank's share of it or, if it has none, the heaviest share below it (`node` says of
 * which node), because one child then has all of its cost. A rank that is missing has less than its lightest share. The
 * vector is part of the profile's shares or allocated from the arena. Returns false if out of memory. */
bool fm_call_paths_vector(const struct fm_call_paths *paths, uint32_t node, struct fm_arena *arena,
                          const struct fm_path_share **vector, size_t *n);
/* *out = paths with the shares of only the `max` heaviest nodes that have shares (of equal weight, the first ones),
 * each with its complete vector, so that none depends on shares that are left out. Returns false if out of memory. */
bool fm_call_paths_keep_vectors(const struct fm_call_paths *paths, size_t max, struct fm_arena *arena,
                                struct fm_call_paths *out);

/* Returns NULL if valid, else a description of the problem. */
const char *fm_call_paths_check(const struct fm_call_paths *paths);

#endif
