/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of addresses of one load module, read with elfutils. Only compilation units that hold one of the addresses
 * are read. May run in several threads at once, each with addresses and an arena of its own. */
#ifndef FM_SYMBOLS_LOAD_MODULE_SYMBOLS_H
#define FM_SYMBOLS_LOAD_MODULE_SYMBOLS_H

#include "symbols/load_module_files.h"

/* What is found of one address: its function, then what is inlined into it. `file` is not set. */
struct fm_resolved_address {
    uint64_t address;
    struct fm_symbol *frames;
    size_t n, capacity; /* n == 0: no name */
};

/* The addresses are sorted and distinct. Texts and frames lie in the arena. What cannot be read stays unknown. */
void fm_load_module_symbols_read(const struct fm_load_module_files *files, struct fm_resolved_address *found, size_t n,
                                 struct fm_arena *arena);

/* All functions of its symbol tables, one for each address. Returns their number. */
struct fm_function {
    const char *name; /* as in calls: "ocean::step" */
    uint64_t bytes;
};
size_t fm_load_module_functions(const struct fm_load_module_files *files, struct fm_function **functions,
                                struct fm_arena *arena);

/* The source files that its compilation units with code begin in, sorted and distinct; none without debug information.
 * Returns their number. */
struct fm_source_file {
    const char *path; /* as in calls */
    bool fortran;
};
size_t fm_load_module_sources(const struct fm_load_module_files *files, struct fm_source_file **sources,
                              struct fm_arena *arena);

#endif
