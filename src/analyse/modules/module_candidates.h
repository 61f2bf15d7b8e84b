/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules suggested by function names: the part before "::", which is a module in Fortran, and a class or namespace in
 * C++. A namespace with most of the code in its classes is not a module, but its classes are, by the first word of
 * their names: PairLJCut and PairMorse are "Pair". If no name contains "::", as in C, it is the part before the first
 * '_' if several names share it: pcg_solve and pcg_setup are "pcg". */
#ifndef FM_ANALYSE_MODULES_MODULE_CANDIDATES_H
#define FM_ANALYSE_MODULES_MODULE_CANDIDATES_H

#include "symbols/load_module_symbols.h"

struct fm_module_candidate {
    const char *name, *pattern; /* "Pair", "LAMMPS_NS::Pair*" */
    size_t functions;
    uint64_t bytes, nested; /* of code; nested: of functions with one more "::" */
};

/* In the order in which patterns must be tried. Returns their number. */
size_t fm_module_candidates_find(const struct fm_function *functions, size_t n, struct fm_module_candidate **candidates,
                                 struct fm_arena *arena);

#endif
