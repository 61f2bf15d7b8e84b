/* The calling context tree of the process, in its segment (FM_SECTION_PATHS). Handlers of all threads add to it, one at
 * a time; nothing is allocated. When it is full, its lightest leaves are folded into their parents. */
#ifndef FM_MEASURE_SIGNAL_TREE_H
#define FM_MEASURE_SIGNAL_TREE_H

#include "measure/runtime.h"
#include "profile/paths.h"

enum { FM_PATH_DEPTH = 512 }; /* frames of a stack; of a deeper one the outer ones are left out */

/* A step of a path: an address or a routine's number, and what it is (enum fm_path_kind) in the uppermost byte. */
static inline uint64_t fm_path_step(uint64_t address, enum fm_path_kind kind)
{
    return (address & 0xffffffffffffffu) | (uint64_t)kind << 56;
}

/* A path from the outermost step on, with the nodes that a thread's last sample ended with: outer frames are mostly the
 * same as the last time, and are not looked up again. */
struct fm_path_memory {
    uint32_t n, epoch;
    uint64_t steps[FM_PATH_DEPTH];
    uint32_t nodes[FM_PATH_DEPTH];
};

/* The root, and no other node. */
void fm_tree_make(void);
/* Adds sampling periods at the end of a path; `steps` has its innermost step first. false: another thread is in the
 * tree, and does not leave it. */
bool fm_tree_add(struct fm_path_memory *memory, const uint64_t *steps, unsigned n, uint64_t periods, bool partial);
/* A module is unloaded: its nodes keep their place in its file. Not in a handler; signals are blocked. */
void fm_tree_unload(uint64_t start, uint64_t end, uint64_t bias, unsigned module);

#endif
