/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds functions in the debug information of a load module by their identity (call_sites.h). The units to be read are
 * those that contain a symbol with the name of the function, or with that of a clone of it: after link-time
 * optimization the code of a function is in another unit than its first entry. Only for load_module_*.c. */
#ifndef FM_SYMBOLS_FUNCTION_INDEX_H
#define FM_SYMBOLS_FUNCTION_INDEX_H

#include "base/intern.h"
#include "symbols/dwfl_module.h"

/* A function with code; several with the same identity are copies of one function. */
struct fm_unit_function {
    const char *key;
    Dwarf_Die die;
};

struct fm_unit_functions {
    struct fm_unit_functions *next; /* in the index */
    void *cu;                       /* identifies the unit */
    uint32_t search;                /* the last search that has visited it */
    struct fm_unit_function *items;
    size_t n, capacity;
};

struct fm_function_index {
    struct fm_arena *arena;
    const struct fm_dwfl_module *module;
    struct fm_unit_functions *units; /* those read so far */
    uint32_t searches;
    bool made;                    /* what follows; when first needed */
    struct fm_intern names;       /* of symbols, without the suffixes of clones: index + 1 of the first symbol */
    uint32_t *next;               /* by symbol: index + 1 of the next one with this name; 0 if it is the last */
    struct fm_code_range *ranges; /* of units, sorted */
    size_t n_ranges, ranges_capacity;
};

typedef void fm_function_visit(void *context, const struct fm_unit_function *function);

/* Memory comes from the arena. The module must outlive the index. */
void fm_function_index_open(struct fm_function_index *index, struct fm_arena *arena,
                            const struct fm_dwfl_module *module);
/* Visits all copies of a function. */
void fm_function_index_find(struct fm_function_index *index, const char *key, fm_function_visit *visit, void *context);
/* Visits all outlined bodies (outlined.h). */
void fm_function_index_outlined(struct fm_function_index *index, fm_function_visit *visit, void *context);

#endif
