/* SPDX-License-Identifier: BSD-3-Clause */
/* The internals of struct fm_symbols: what is known about each address of each module. Only for symbols*.c. */
#ifndef FM_SYMBOLS_SYMBOLS_TABLE_H
#define FM_SYMBOLS_SYMBOLS_TABLE_H

#include "base/intern.h"
#include "symbols/owner_files.h"
#include "symbols/symbols.h"

/* One address of one module. A return address is stored as the address before it, which is within the call. */
struct fm_lookup {
    uint64_t address;
    uint32_t module;
    bool used, wanted;              /* not wanted: only known from the cache */
    bool resolved;                  /* with n == 0: it has no name */
    uint32_t n;                     /* frames */
    const struct fm_symbol *frames; /* strings belong to struct fm_symbols */
};

struct fm_symbols_module {
    const char *path, *build_id;
    size_t waiting; /* number of unresolved addresses */
    bool failed;    /* already reported */
};

struct fm_symbols {
    struct fm_arena arena;
    struct fm_symbols_options options;
    struct fm_intern texts;
    struct fm_intern module_numbers; /* "build id:path" to index + 1 */
    struct fm_symbols_module *modules;
    size_t n_modules, modules_capacity;
    uint32_t last_module; /* index + 1 of the last one used: lookups of a module come in sequence */
    struct fm_lookup *slots;
    size_t n_slots, slots_capacity; /* capacity: 0 or a power of two */
    struct fm_intern unknown_numbers;
    struct fm_symbol **unknown; /* frames of addresses without a name */
    size_t n_unknown, unknown_capacity;
    struct fm_intern source_numbers;
    struct fm_source *sources;
    size_t n_sources, sources_capacity;
    struct fm_owner_files source_files;
};

/* The symbols' own copy of a string; NULL if out of memory. */
const char *fm_symbols_text(struct fm_symbols *symbols, const char *text);
/* Completes a lookup with a copy of the frames; unchanged if out of memory. */
void fm_symbols_answer(struct fm_symbols *symbols, struct fm_lookup *lookup, const struct fm_symbol *frames, size_t n);
/* The lookup of an address, added to the table if it was absent; NULL if out of memory. The pointer is valid until the
 * next one is added. */
struct fm_lookup *fm_symbols_put(struct fm_symbols *symbols, uint32_t module, uint64_t address);
/* The lookup of an address, or NULL if it is not in the table. */
struct fm_lookup *fm_symbols_lookup(struct fm_symbols *symbols, uint32_t module, uint64_t address);

#endif
