/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree of call paths larger than any program has. */
#ifndef BENCH_LARGE_PATHS_H
#define BENCH_LARGE_PATHS_H

#include "model/call_paths.h"

enum { LARGE_PATHS_FUNCTIONS = 20000 };

/* `nodes` nodes in `paths`, which is empty; memory is the arena's. Addresses are of function i of a module: i * stride +
 * start. */
void large_paths_make(struct fm_call_paths *paths, size_t nodes, const char *module, uint64_t start, uint64_t stride,
                      struct fm_arena *arena);

#endif
