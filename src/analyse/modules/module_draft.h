/* SPDX-License-Identifier: BSD-3-Clause */
/* A first map of a program's modules (analyse/modules/module_map.h), for its authors to go on with: from debug information each
 * Fortran source file is a module and each directory of other sources (each file, if all lie in one); without it what
 * stands before "::" in the names of functions, which is modules in Fortran, and classes and namespaces in C++; in C what
 * stands before the first '_'. Libraries that use MPI are looked into as the program is, other libraries are a module
 * each. */
#ifndef FM_ANALYSE_MODULES_MODULE_DRAFT_H
#define FM_ANALYSE_MODULES_MODULE_DRAFT_H

#include "symbols/symbols.h"

/* The text of the file, in the arena. `program` is a path. */
enum fm_status fm_module_draft(const char *program, const struct fm_symbols_options *options, struct fm_arena *arena,
                               const char **text, struct fm_error *error);

#endif
