/* SPDX-License-Identifier: BSD-3-Clause */
/* A first draft of a program's module file (analyse/modules/module_map.h), for its developers to edit. With debug
 * information, each Fortran source file is a module and so is each directory of other sources (each file, if all are in
 * one directory). Without it, modules are the part before "::" in function names, which is a module in Fortran, and a
 * class or namespace in C++; in C, the part before the first '_'. Libraries that use MPI are treated like the program;
 * every other library is one module. */
#ifndef FM_ANALYSE_MODULES_MODULE_DRAFT_H
#define FM_ANALYSE_MODULES_MODULE_DRAFT_H

#include "symbols/symbols.h"

/* Returns the text of the file, in the arena. `program` is a path. */
enum fm_status fm_module_draft(const char *program, const struct fm_symbols_options *options, struct fm_arena *arena,
                               const char **text, struct fm_error *error);

#endif
