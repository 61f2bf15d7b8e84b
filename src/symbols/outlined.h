/* SPDX-License-Identifier: BSD-3-Clause */
/* Outlined bodies: the functions that compilers make of OpenMP regions, which belong to the function that contains the
 * region. gcc calls them "step._omp_fn.0" and nests their entry in that of the function; clang ".omp_outlined..2" or
 * "step.omp_outlined", ".omp_task_entry..3" for tasks, with the line of the region. Only for load_module_*.c. */
#ifndef FM_SYMBOLS_OUTLINED_H
#define FM_SYMBOLS_OUTLINED_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Whether a symbol is that of an outlined body. *base: the length of the symbol of its function; 0 if unknown. */
bool fm_outlined_symbol(const char *symbol, size_t *base);
bool fm_outlined_is(Dwarf_Die *die);
const char *fm_outlined_name(struct fm_arena *arena, Dwarf_Die *die); /* NULL if it is none */
/* The function that contains the region; false if it cannot be found, or if it is one of several. */
bool fm_outlined_function(Dwarf_Die *unit, Dwarf_Die *die, Dwarf_Die *function);

#endif
