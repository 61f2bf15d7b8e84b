/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions as written in the source, from linker symbols. */
#ifndef FM_SYMBOLS_SYMBOL_NAME_H
#define FM_SYMBOLS_SYMBOL_NAME_H

#include "base/arena.h"

/* C++ and Rust are demangled, without parameters; "__ocean_MOD_step" and "ocean_mp_step_" become "ocean::step",
 * "dgemm_" becomes "dgemm"; suffixes of clones (".part.0", ".cold") are removed. All other names are unchanged. The
 * result is in the arena or `symbol` itself; NULL if out of memory. */
const char *fm_symbol_name(struct fm_arena *arena, const char *symbol);

#endif
