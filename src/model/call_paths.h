/* SPDX-License-Identifier: BSD-3-Clause */
/* Call paths: the calling context tree of a job, made from samples of its threads.
 *
 * A node says how its parent's context goes on: by a call that is made there (its return address), by the instruction
 * that a thread was at when it was sampled, or by an MPI routine that it was in, whatever the library called inside.
 * Only the last two have costs of their own. A stack that could not be followed to its outermost frame hangs below a
 * node of its own kind.
 *
 * Nodes are in depth-first order, the root first; the children of a node are sorted by kind, module, build id, offset
 * and routine, and unique: so two trees merge in one walk over both. Costs are times in ns, that is, samples times the
 * sampling period, so that trees of different rates merge too. */
#ifndef FM_MODEL_CALL_PATHS_H
#define FM_MODEL_CALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/sequence.h"
#include "model/site.h"

enum fm_path_kind {
    FM_PATH_NONE,    /* in a segment: a free place */
    FM_PATH_ROOT,    /* the first node */
    FM_PATH_GAP,     /* below the root: here a stack begins whose outer frames are not known */
    FM_PATH_CALL,    /* site: the return address */
    FM_PATH_ROUTINE, /* an MPI routine, called at its parent */
    FM_PATH_LEAF,    /* site: the instruction itself */
    FM_PATH_KINDS
};

enum {
    FM_CALL_PATHS_DEPTH = 512,     /* nodes below the root on a path; what is deeper is given to its caller */
    FM_PATH_SHARES = 64,           /* nodes of which a rank tells its own share */
    FM_CALL_PATHS_IN_FILE = 50000, /* nodes; in a larger tree the lightest leaves are given to their parents */
};

/* A cost over ranks. Ranks that do not have the node have none of it: they count as 0 in mean and deviation, and are
 * the minimum where there is one; of equal extremes the lowest rank is named. */
struct fm_path_cost {
    uint64_t sum_ns;
    uint64_t squares[2];     /* sum of the squares of what each rank has, in us: low and high word */
    uint64_t max_ns, min_ns; /* of the ranks that have it */
    uint32_t max_rank, min_rank, ranks;
};

struct fm_path_node {
    uint32_t parent; /* its number is smaller; of the root 0 */
    uint32_t kind;
    struct fm_site site;          /* of a leaf: its own address; module "" = not known */
    const char *routine;          /* "" unless it is one */
    struct fm_path_cost own, all; /* without and with what is below */
};

/* What one rank has of a node, with what is below, for the heaviest nodes of each rank: so that the cost of several
 * nodes is known rank by rank. Files keep five leading bits of it (model/quantize.h). Sorted by node, rank. */
struct fm_path_share {
    uint32_t node, rank;
    uint64_t all_ns;
};

struct fm_call_paths {
    struct fm_path_node *nodes; /* none at all when nothing was sampled */
    size_t n, capacity;
    struct fm_path_share *shares;
    size_t n_shares, shares_capacity;
    struct fm_sequence sequence;
    uint64_t samples;      /* taken */
    uint64_t partial;      /* of them: stacks that could not be followed to the end */
    uint64_t lost;         /* periods that no path is known of */
    uint64_t folded_ns;    /* of costs that were given to a shorter path, for want of room */
    uint64_t period_ns[2]; /* the shortest and the longest of all ranks; 0 = none */
};

/* The order of the children of a node. */
int fm_path_compare(const struct fm_path_node *a, const struct fm_path_node *b);

/* What one rank has; of nothing the cost is all zero. */
struct fm_path_cost fm_path_cost_of(uint64_t ns, uint32_t rank);
static inline unsigned __int128 fm_path_squares(const struct fm_path_cost *cost)
{
    return (unsigned __int128)cost->squares[1] << 64 | cost->squares[0];
}
/* squares += square, up to the largest number. */
void fm_path_add_squares(struct fm_path_cost *cost, unsigned __int128 squares);
/* Costs of different ranks added up: associative, commutative. */
void fm_path_cost_merge(struct fm_path_cost *into, const struct fm_path_cost *from);

/* Fills `all` of a tree of one rank from `own`. */
void fm_call_paths_inclusive(struct fm_call_paths *paths, uint32_t rank);
/* Shares of a tree of one rank: the FM_PATH_SHARES heaviest nodes, the first ones of equally heavy, without those of
 * which one child has all: its share is theirs. (Files of 0.1.0: without those of which a child has 95 %.) false: no
 * memory. */
bool fm_call_paths_make_shares(struct fm_call_paths *paths, struct fm_arena *arena, struct fm_arena *scratch,
                               uint32_t rank);

/* *out = paths with at most `most` nodes (model/call_paths_fold.c): the lightest leaves, the last ones of equally light,
 * go to their parents, until few enough are left. Its arrays are those of `paths`, or lie in the arena. The costs of a
 * node that all its children were given to are exact; of one that keeps some the sum is, and the spread of `own` is an
 * estimate: as if the ranks that have most of one had most of the other. false: no memory. */
bool fm_call_paths_fold(const struct fm_call_paths *paths, size_t most, struct fm_arena *arena,
                        struct fm_call_paths *out);

/* The shares of a node; NULL and 0: no rank tells its own. */
const struct fm_path_share *fm_call_paths_shares_of(const struct fm_call_paths *paths, uint32_t node, size_t *n);
/* What ranks tell of a node, by rank: their shares of it, or where they have none the heaviest one of what is below it
 * (`node` says which), as one child has all of it then. A rank that is not there has less than its lightest share. The
 * profile's own shares, or in the arena. false: no memory. */
bool fm_call_paths_vector(const struct fm_call_paths *paths, uint32_t node, struct fm_arena *arena,
                          const struct fm_path_share **vector, size_t *n);
/* *out = paths with shares of the `most` heaviest nodes that have some alone, the first ones of equally heavy, each
 * with its whole vector, so that none depends on those that are left out. false: no memory. */
bool fm_call_paths_keep_vectors(const struct fm_call_paths *paths, size_t most, struct fm_arena *arena,
                                struct fm_call_paths *out);

/* NULL when all is well, else what is wrong. */
const char *fm_call_paths_check(const struct fm_call_paths *paths);

#endif
