/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions qualified by the namespaces, classes, modules and functions around them. Linkage names include
 * those, but lambdas, functions of local types and internal procedures have no linkage name. Only for
 * load_module_*.c. */
#ifndef FM_SYMBOLS_DWARF_SCOPES_H
#define FM_SYMBOLS_DWARF_SCOPES_H

#include <elfutils/libdw.h>

#include "base/arena.h"

struct fm_dwarf_scopes {
    struct fm_arena *arena; /* for names */
    struct fm_arena scratch;
    struct fm_dwarf_scopes_unit *units; /* those used so far: after link-time optimization a unit refers to others */
};

void fm_dwarf_scopes_open(struct fm_dwarf_scopes *scopes, struct fm_arena *arena);
void fm_dwarf_scopes_close(struct fm_dwarf_scopes *scopes);

/* The name of a function or inlined function; NULL if it has none. */
const char *fm_dwarf_scopes_function(struct fm_dwarf_scopes *scopes, Dwarf_Die *die);

#endif
