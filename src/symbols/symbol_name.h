/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of functions as their authors wrote them, from the names that linkers see. */
#ifndef FM_SYMBOLS_SYMBOL_NAME_H
#define FM_SYMBOLS_SYMBOL_NAME_H

#include "base/arena.h"

/* C++ and Rust are demangled, without parameters; "__ocean_MOD_step" and "ocean_mp_step_" become "ocean::step", "dgemm_"
 * becomes "dgemm"; what compilers append to copies of a function (".part.0", ".cold") goes. All other names stay.
 * In the arena or the text itself; NULL without memory. */
const char *fm_symbol_name(struct fm_arena *arena, const char *symbol);

#endif
