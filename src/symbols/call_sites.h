/* SPDX-License-Identifier: BSD-3-Clause */
/* Call sites in debug information (DW_TAG_call_site), which say what each call in optimized code calls, and which calls
 * are tail calls: jumps that replace the frame of the caller. Only for load_module_*.c. */
#ifndef FM_SYMBOLS_CALL_SITES_H
#define FM_SYMBOLS_CALL_SITES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

struct fm_call_site {
    uint64_t address; /* within the instruction, as in the file */
    bool tail_call;
    bool direct; /* calls a known function */
    Dwarf_Die callee;
};

/* Returns false if the entry is not a call site, or if it has no address. */
bool fm_call_site_read(Dwarf_Die *die, struct fm_call_site *site);
/* Whether all tail calls of a function have an entry; gcc leaves some out. */
bool fm_call_sites_complete(Dwarf_Die *function);

/* The identity of a function in its load module: its symbol if it is external ("update_h", "__solver_MOD_step"), else
 * its name and the offset of its first entry ("norm@1a4f"), and if that is in a .dwo file, the id of its unit, because
 * offsets are those in that file ("norm@2f.9c1e"). All copies of a function have the same. "" if it has no name; NULL if
 * out of memory. */
const char *fm_function_key(struct fm_arena *arena, Dwarf_Die *die);
/* The first entry of a function that is not external; all 0 for an external one. */
struct fm_function_origin {
    uint64_t offset;
    uint64_t unit; /* 0: not in a .dwo file */
};
struct fm_function_origin fm_function_key_origin(const char *key);

#endif
