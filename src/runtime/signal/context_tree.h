/* SPDX-License-Identifier: BSD-3-Clause */
/* The calling context tree of the process, in its segment (FM_SECTION_PATHS). Handlers of all threads add to it, one at
 * a time; nothing is allocated. When it is nearly full, its lightest leaves are folded into their parents, some at each
 * sample. */
#ifndef FM_RUNTIME_SIGNAL_CONTEXT_TREE_H
#define FM_RUNTIME_SIGNAL_CONTEXT_TREE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "format/segment.h"
#include "model/call_paths.h"
#include "runtime/signal/sequence.h"

enum { FM_SAMPLED_DEPTH = 512 }; /* frames of a stack; of a deeper one the outer ones are left out */

struct fm_context_tree {
    struct fm_segment_header *header;
    struct fm_segment_path *paths;
    uint32_t *index;
    uint32_t capacity, index_mask;
    uint32_t first_free, n_free; /* places that were used before; 0: none */
    uint32_t epoch;              /* changes when nodes have moved */
    uint16_t *children;          /* of the node at each place: how many */
    uint32_t hand;               /* the next place to be looked at for folding */
    uint64_t heaviest;           /* leaves of at most so many periods are folded */
    uint64_t lightest_left;      /* of the leaves that this round has met and not folded; 0: none */
    atomic_uint lock;
    struct fm_timeline timeline;
};

/* What a sample has found: the calls from the outermost on, and what was done there. */
struct fm_sampled_path {
    const uint64_t *calls; /* return addresses */
    uint32_t n;
    bool gap;      /* what is outside of them is not known */
    uint64_t leaf; /* a step */
};

/* The nodes of a thread's calls, from the outermost on: those are mostly the same as at its last sample, and are not
 * looked up again. Where calls have changed, the owner of this lowers n. */
struct fm_path_memory {
    uint32_t n, epoch;
    bool gap;
    uint32_t *nodes; /* room for as many as there are calls */
};

/* A step of a path: an address or a routine's number, and in the uppermost byte what it is. */
static inline uint64_t fm_path_step(uint64_t address, enum fm_path_kind kind)
{
    return (address & 0xffffffffffffffu) | (uint64_t)kind << 56;
}

/* `children` has a zero for each place of the section. */
void fm_context_tree_make(struct fm_context_tree *tree, struct fm_segment_header *header, uint16_t *children);
/* Adds sampling periods at the end of a path; `thread` is a number of its own for each. now_ns (CLOCK_MONOTONIC): of the
 * first thread, whose sequence is kept, else 0. false: another thread is in the tree and does not leave it. */
bool fm_context_tree_add(struct fm_context_tree *tree, unsigned thread, struct fm_path_memory *memory,
                         const struct fm_sampled_path *path, uint64_t periods, uint64_t now_ns);
/* A thread that was in the tree is back, or at its end: a handler of the program interrupted it there, and has left by a
 * jump. What it had begun is put in order. */
void fm_context_tree_come_back(struct fm_context_tree *tree, unsigned thread);
/* A module was unloaded: its nodes keep their place in its file. Not in a handler of ours; where one is interrupted, they
 * stay as they are. */
void fm_context_tree_unload(struct fm_context_tree *tree, unsigned thread, const struct fm_segment_module *module,
                            unsigned number);

#endif
