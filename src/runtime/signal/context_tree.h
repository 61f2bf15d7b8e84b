/* SPDX-License-Identifier: BSD-3-Clause */
/* The calling context tree of the process, in its segment (FM_SECTION_PATHS). Signal handlers of all threads add to it,
 * one at a time; nothing is allocated. When it is nearly full, its lightest leaves are folded into their parents, some
 * at each sample. */
#ifndef FM_RUNTIME_SIGNAL_CONTEXT_TREE_H
#define FM_RUNTIME_SIGNAL_CONTEXT_TREE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "format/segment.h"
#include "model/call_paths.h"
#include "runtime/signal/sequence.h"

enum { FM_SAMPLED_DEPTH = 512 }; /* frames of a stack; the outer ones of a deeper stack are left out */

struct fm_context_tree {
    struct fm_segment_header *header;
    struct fm_segment_path *paths;
    uint32_t *index;
    uint32_t capacity, index_mask;
    uint32_t first_free, n_free; /* list of slots that were used before; 0: none */
    uint32_t epoch;              /* changes when nodes have moved */
    uint16_t *children;          /* of the node in each slot: number of children */
    uint32_t hand;               /* next slot to visit for folding */
    uint64_t heaviest;           /* leaves of at most this many periods are folded */
    uint64_t lightest_left;      /* periods of the lightest leaf that this round has visited and not folded; 0: none */
    atomic_uint lock;
    struct fm_timeline timeline;
};

/* The result of a sample: the calls from the outermost on, and the leaf. */
struct fm_sampled_path {
    const uint64_t *calls; /* return addresses */
    uint32_t n;
    bool gap;      /* the calls outside of them are not known */
    uint64_t leaf; /* a step */
};

/* The nodes of a thread's calls, from the outermost on: most are the same as at its last sample, and are not looked up
 * again. The owner lowers n where calls have changed. */
struct fm_path_memory {
    uint32_t n, epoch;
    bool gap;
    uint32_t *nodes; /* one for each call */
};

/* A step of a path: an address or a routine number, with its kind in the highest byte. */
static inline uint64_t fm_path_step(uint64_t address, enum fm_path_kind kind)
{
    return (address & 0xffffffffffffffu) | (uint64_t)kind << 56;
}

/* `children` has a zero for each slot of the section. */
void fm_context_tree_make(struct fm_context_tree *tree, struct fm_segment_header *header, uint16_t *children);
/* Adds sampling periods at the end of a path. `thread` is a unique number of the thread. `now_ns` (CLOCK_MONOTONIC) is
 * set for the main thread, whose sequence is recorded, else 0. Returns false if another thread holds the lock for too
 * long. */
bool fm_context_tree_add(struct fm_context_tree *tree, unsigned thread, struct fm_path_memory *memory,
                         const struct fm_sampled_path *path, uint64_t periods, uint64_t now_ns);
/* Called when a thread takes another sample or ends. If it still owns the lock, a signal handler of the program has
 * interrupted it in the tree and left by longjmp: repairs what it had begun. */
void fm_context_tree_come_back(struct fm_context_tree *tree, unsigned thread);
/* A module was unloaded: its nodes are converted to offsets in its file. Not called in our signal handler. If the
 * handler was interrupted in the tree, the nodes stay as they are. */
void fm_context_tree_unload(struct fm_context_tree *tree, unsigned thread, const struct fm_segment_module *module,
                            unsigned number);

#endif
