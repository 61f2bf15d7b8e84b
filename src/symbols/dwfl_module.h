/* SPDX-License-Identifier: BSD-3-Clause */
/* A load module opened with elfutils, at the virtual addresses of its file. Only for load_module_*.c. */
#ifndef FM_SYMBOLS_DWFL_MODULE_H
#define FM_SYMBOLS_DWFL_MODULE_H

#include <elfutils/libdwfl.h>

#include "symbols/load_module_symbols.h"

struct fm_dwfl_module {
    Dwfl *dwfl;
    Dwfl_Module *module;
    const struct fm_load_module_files *files;
    bool debug_given; /* elfutils has been given the separate debug file */
    Dwarf *dwarf;     /* NULL: no debug information */
    uint64_t bias;    /* of the debug information: to be added to get virtual addresses of the file */
};

/* elfutils keeps a pointer to the struct until it is closed. */
bool fm_dwfl_module_open(struct fm_dwfl_module *module, const struct fm_load_module_files *files);
void fm_dwfl_module_close(struct fm_dwfl_module *module);

/* Adds names from symbol tables for the addresses that have none. */
void fm_load_module_name_rest(const struct fm_dwfl_module *module, struct fm_resolved_address *found, size_t n,
                              struct fm_arena *arena);

/* Lists the functions of the symbol tables: their start addresses, sorted and not yet resolved, and their sizes. Returns
 * their number. */
size_t fm_load_module_list(const struct fm_load_module_files *files, struct fm_resolved_address **found,
                           struct fm_function **functions, struct fm_arena *arena);

/* Appends a frame with empty strings; NULL if out of memory. */
struct fm_symbol *fm_resolved_add_frame(struct fm_resolved_address *found, struct fm_arena *arena);
/* The index of the first address that is not less than this one. */
size_t fm_resolved_lower_bound(const struct fm_resolved_address *found, size_t n, uint64_t address);
/* A path from debug information with the directory it is relative to, without "." and "//"; "" for NULL. */
const char *fm_source_path(struct fm_arena *arena, const char *directory, const char *path);

#endif
