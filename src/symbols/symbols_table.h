/* SPDX-License-Identifier: BSD-3-Clause */
/* The internals of struct fm_symbols: what is known about each address of each module. Only for symbols*.c. */
#ifndef FM_SYMBOLS_SYMBOLS_TABLE_H
#define FM_SYMBOLS_SYMBOLS_TABLE_H

#include "base/intern.h"
#include "symbols/fortran_source.h"
#include "symbols/load_module_symbols.h"
#include "symbols/load_module_tail_calls.h"
#include "symbols/owner_files.h"
#include "symbols/symbols.h"

/* One address of one module. A return address is stored as the address before it, which is within the call. */
struct fm_lookup {
    uint64_t address;
    uint32_t module;
    bool used, wanted;              /* not wanted: only known from the cache */
    bool resolved;                  /* with n == 0: it has no name */
    uint32_t n;                     /* frames */
    const struct fm_symbol *frames; /* as in the files; strings belong to struct fm_symbols */
    const struct fm_symbol *shown;  /* with plausible lines (symbols_lines.c); NULL: not made yet */
    const char *function, *callee;  /* as in struct fm_resolved_address; "" if unknown */
};

struct fm_symbols_module {
    const char *path, *build_id;
    size_t waiting; /* number of unresolved addresses */
    bool failed;    /* already reported */
    struct fm_tail_call_list tail_calls;
    struct fm_intern explored; /* functions whose tail calls are in the list, in succession; number: the first one */
};

enum { FM_MAX_TAIL_CALLS = 8, FM_MAX_TAIL_SITES = 8 };
#define FM_NO_MODULE UINT32_MAX

/* The functions between a call and a function that its callee has reached by tail calls. */
struct fm_tail_path {
    uint32_t module, below;        /* modules of the call and of the function; below: FM_NO_MODULE if unknown */
    const char *callee, *function; /* as in struct fm_lookup */
    bool followed, unknown;
    uint32_t between; /* module of the functions found */
    size_t n;
    struct fm_tail_step {
        uint64_t addresses[FM_MAX_TAIL_SITES]; /* of the tail calls of which one was executed, or of the entry */
        size_t n;                              /* maybe more than there is room for */
        bool uncertain;                        /* another tail call may have been executed, which is not known */
    } steps[FM_MAX_TAIL_CALLS];
    struct fm_frames *frames; /* by step; made when first needed */
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
    struct fm_intern tail_path_numbers;
    struct fm_tail_path *tail_paths;
    size_t n_tail_paths, tail_paths_capacity;
    struct fm_intern source_numbers;
    struct fm_source_text *sources;
    size_t n_sources, sources_capacity;
    struct fm_owner_files source_files;
};

/* The symbols' own copy of a string; NULL if out of memory. */
const char *fm_symbols_text(struct fm_symbols *symbols, const char *text);
/* Completes a lookup with a copy of the result; unchanged if out of memory. */
void fm_symbols_answer(struct fm_symbols *symbols, struct fm_lookup *lookup, const struct fm_resolved_address *result);
/* The lookup of an address, added to the table if it was absent; NULL if out of memory. The pointer is valid until the
 * next one is added. */
struct fm_lookup *fm_symbols_put(struct fm_symbols *symbols, uint32_t module, uint64_t address);
/* The lookup of an address, or NULL if it is not in the table. */
struct fm_lookup *fm_symbols_lookup(struct fm_symbols *symbols, uint32_t module, uint64_t address);
/* The same for a site. */
struct fm_lookup *fm_symbols_lookup_site(struct fm_symbols *symbols, const struct fm_site *site, enum fm_address kind);
/* The name of a function as it is shown: one without a symbol is named after its module. */
const char *fm_symbols_shown_name(struct fm_symbols *symbols, uint32_t module, const char *function);
/* The frames of a lookup with plausible lines, and names as they are shown. */
struct fm_frames fm_symbols_shown(struct fm_symbols *symbols, struct fm_lookup *lookup, enum fm_address kind);
/* Returns false if the source is not available or not in Fortran. */
bool fm_symbols_fortran(struct fm_symbols *symbols, const char *path, struct fm_fortran_source *source);
/* Adds the tail calls of a function, unless they are known. */
void fm_symbols_add_tail_calls(struct fm_symbols *symbols, uint32_t module, const char *function,
                               const struct fm_tail_call *calls, size_t n);
/* Those of one function; empty if they are not known. */
struct fm_tail_call_list fm_symbols_tail_calls_of(const struct fm_symbols *symbols, uint32_t module,
                                                  const char *function);
/* Finds the functions requested with fm_symbols_want_between, and requests the addresses of their tail calls. Returns
 * whether there are any. */
bool fm_symbols_follow_tail_calls(struct fm_symbols *symbols);

#endif
