/* SPDX-License-Identifier: BSD-3-Clause */
/* The load modules of a segment, and lookup by address. */
#ifndef FM_MERGE_SEGMENT_LOAD_MODULES_H
#define FM_MERGE_SEGMENT_LOAD_MODULES_H

#include "model/profile.h"

struct fm_segment_reader;

struct fm_mapped_module {
    uint64_t start, end, bias;
    const char *path, *build_id; /* interned */
    uint32_t order;              /* from 1, by path and build id; the same for the same file */
};

struct fm_mapped_modules {
    struct fm_mapped_module *list; /* in the order of the segment */
    size_t n;
    const struct fm_mapped_module **mapped; /* by address, disjoint: if two overlap, the older one was unloaded */
    size_t n_mapped;
};

/* Allocates from the scratch arena. Returns false if out of memory. */
bool fm_read_load_modules(struct fm_segment_reader *reader, struct fm_mapped_modules *modules);

/* Consecutive addresses are often in the same module, so `last` is tried first. Returns NULL if in no known module. */
const struct fm_mapped_module *fm_mapped_module_at(const struct fm_mapped_modules *modules, uint64_t address,
                                                   const struct fm_mapped_module *last);

#endif
