/* SPDX-License-Identifier: BSD-3-Clause */
/* The frames of addresses of one load module, read with elfutils. Only compilation units that contain one of the
 * addresses are read. Can run in several threads at once, each with its own addresses and arena. */
#ifndef FM_SYMBOLS_LOAD_MODULE_SYMBOLS_H
#define FM_SYMBOLS_LOAD_MODULE_SYMBOLS_H

#include "symbols/load_module_files.h"

/* Beginning of the name of a function that has no symbol: "[+0x1a40]" for one that starts there. */
#define FM_NAMELESS "[+0x"

/* The result for one address: its function, then the functions inlined there. `file` is not set. */
struct fm_resolved_address {
    uint64_t address;
    struct fm_symbol *frames;
    size_t n, capacity;   /* n == 0: no name */
    const char *function; /* identity of the function that contains it (call_sites.h), or all names of its symbol,
                           * "mpi_send_|MPI_SEND"; NULL if unknown */
    const char *callee;   /* identity of what the call there calls; NULL if unknown */
};

/* The addresses must be sorted and distinct. Strings and frames are allocated from the arena. What cannot be read stays
 * unknown. */
void fm_load_module_symbols_read(const struct fm_load_module_files *files, struct fm_resolved_address *found, size_t n,
                                 struct fm_arena *arena);

/* All functions of its symbol tables, one for each address. Returns their number. */
struct fm_function {
    const char *name; /* as in call paths: "ocean::step" */
    const char *file; /* path of the file that defines it; "" without debug information */
    uint64_t bytes;
};
size_t fm_load_module_functions(const struct fm_load_module_files *files, struct fm_function **functions,
                                struct fm_arena *arena);

#endif
