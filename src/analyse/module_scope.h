/* Names of functions with the namespaces, classes, modules and functions around them. Linkage names have them already;
 * but lambdas, functions of local types and internal procedures have none. Only for module_*.c. */
#ifndef FM_ANALYSE_MODULE_SCOPE_H
#define FM_ANALYSE_MODULE_SCOPE_H

#include <elfutils/libdw.h>

#include "base/arena.h"

/* Of one compilation unit. The list is made when it is first needed. */
struct fm_scopes {
    Dwarf_Die unit;
    struct fm_arena *arena; /* of names */
    struct fm_arena scratch;
    struct fm_scope *items; /* what lies in the unit or in its namespaces and modules, sorted by offset */
    size_t n, capacity;
    struct fm_scopes *others; /* of units that this one refers to */
};

void fm_scopes_open(struct fm_scopes *scopes, const Dwarf_Die *unit, struct fm_arena *arena);
void fm_scopes_close(struct fm_scopes *scopes);

/* The name of a function or of an inlined one; NULL: it has none. */
const char *fm_scopes_function(struct fm_scopes *scopes, Dwarf_Die *die);

#endif
