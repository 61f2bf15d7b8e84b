/* SPDX-License-Identifier: BSD-3-Clause */
/* The load modules of a segment, and where an address lies. */
#ifndef FM_MERGE_SEGMENT_LOAD_MODULES_H
#define FM_MERGE_SEGMENT_LOAD_MODULES_H

#include "model/profile.h"

struct fm_segment_reader;

struct fm_mapped_module {
    uint64_t start, end, bias;
    const char *path, *build_id; /* interned */
    uint32_t order;              /* from 1, by path and build id; equal for the same file */
};

struct fm_mapped_modules {
    struct fm_mapped_module *list; /* as the segment has them */
    size_t n;
    const struct fm_mapped_module **mapped; /* by address, disjoint: where two overlap, the older one was unloaded */
    size_t n_mapped;
};

/* In the scratch arena; false: no memory. */
bool fm_read_load_modules(struct fm_segment_reader *reader, struct fm_mapped_modules *modules);

/* Addresses come in runs from the same module: the last one is tried first. NULL: in none that is known. */
const struct fm_mapped_module *fm_mapped_module_at(const struct fm_mapped_modules *modules, uint64_t address,
                                                   const struct fm_mapped_module *last);

#endif
