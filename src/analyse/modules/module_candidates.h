/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules that names of functions tell of: what stands before "::", which is modules in Fortran, and classes and
 * namespaces in C++. A namespace that has most of the code in classes of it is no module, but its classes are, by the
 * first word of their names: PairLJCut and PairMorse are "Pair". Where no name has "::", as in C, it is what stands before
 * the first '_' of several names: pcg_solve and pcg_setup are "pcg". */
#ifndef FM_ANALYSE_MODULES_MODULE_CANDIDATES_H
#define FM_ANALYSE_MODULES_MODULE_CANDIDATES_H

#include "symbols/load_module_symbols.h"

struct fm_module_candidate {
    const char *name, *pattern; /* "Pair", "LAMMPS_NS::Pair*" */
    size_t functions;
    uint64_t bytes, nested; /* code; of it, what has one more "::" */
};

/* In the order in which patterns must be tried. Returns their number. */
size_t fm_module_candidates_find(const struct fm_function *functions, size_t n, struct fm_module_candidate **candidates,
                                 struct fm_arena *arena);

#endif
