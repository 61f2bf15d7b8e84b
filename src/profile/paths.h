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
#ifndef FM_PROFILE_PATHS_H
#define FM_PROFILE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "profile/site.h"

enum fm_path_kind {
    FM_PATH_NONE,    /* in a segment: a free place */
    FM_PATH_ROOT,    /* the first node */
    FM_PATH_GAP,     /* below the root: here a stack begins whose outer frames are not known */
    FM_PATH_CALL,    /* site: the return address */
    FM_PATH_ROUTINE, /* an MPI routine, called at its parent */
    FM_PATH_LEAF,    /* site: the instruction itself */
    FM_PATH_KINDS
};

/* A cost over ranks. Ranks that do not have the node have none of it: they count as 0 in mean and deviation, and are
 * the minimum where there is one; of equal extremes the lowest rank is named. */
struct fm_path_cost {
    uint64_t sum_ns;
    uint64_t squares[2];     /* sum of the squares of what each rank has, in us: low and high word */
    uint64_t max_ns, min_ns; /* of the ranks that have it */
    uint32_t max_rank, min_rank, ranks;
};

struct fm_path {
    uint32_t parent; /* its number is smaller; of the root 0 */
    uint32_t kind;
    struct fm_site site;          /* of a leaf: its own address; module "" = not known */
    const char *routine;          /* "" unless it is one */
    struct fm_path_cost own, all; /* without and with what is below */
};

/* What one rank has of a node, for the heaviest nodes of each rank: so that a picture can show all ranks. Sorted by
 * node, rank. */
struct fm_path_share {
    uint32_t node, rank;
    uint64_t all_ns;
};

struct fm_paths {
    struct fm_path *nodes; /* none at all when nothing was sampled */
    size_t n, capacity;
    struct fm_path_share *shares;
    size_t n_shares, shares_capacity;
    uint64_t samples;      /* taken */
    uint64_t partial;      /* of them: stacks that could not be followed to the end */
    uint64_t lost;         /* periods that no path is known of */
    uint64_t folded_ns;    /* of costs that were given to a shorter path, for want of room */
    uint64_t period_ns[2]; /* the shortest and the longest of all ranks; 0 = none */
};

#endif
