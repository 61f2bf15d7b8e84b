/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the code of a load module, level by level; see module_units.h. Memory comes from the arena of the list; if
 * it runs out, parts are missing. */
#ifndef FM_ANALYSE_MODULES_CODE_DIVISION_H
#define FM_ANALYSE_MODULES_CODE_DIVISION_H

#include "analyse/modules/module_units.h"
#include "base/intern.h"

enum fm_code_level {
    FM_LEVEL_DIRECTORY,
    FM_LEVEL_FILES,   /* in one directory, with names that begin with the same word */
    FM_LEVEL_FILE,    /* with the files whose names differ only in the extension */
    FM_LEVEL_CLASSES, /* and Fortran modules, with names that begin with the same word */
    FM_LEVEL_SCOPE,   /* a namespace, class or Fortran module */
    FM_LEVEL_PREFIX   /* functions with a common prefix */
};

struct fm_part_of_code {
    enum fm_code_level level;
    const char *key; /* "/home/u/pop/source", "/home/u/pop/source/ice" (files), "LAMMPS_NS::Pair", "pcg" (prefix) */
    const struct fm_code **code;
    size_t n, capacity;
    uint64_t weight;
    bool alone;       /* FILES: one of them has the word as its name */
    bool underscored; /* PREFIX: some names have a '_' before it */
    bool final;       /* for the user: it cannot be divided */
};

struct fm_code_parts {
    struct fm_arena *arena;
    struct fm_part_of_code *items;
    size_t n, capacity;
    struct fm_intern numbers; /* by level and key: index + 1 */
};

/* Top-level directories and, for code without files, namespaces and Fortran modules or prefixes. Code of the system and
 * of compilers is in none. */
void fm_code_divide_all(const struct fm_code *code, size_t n, struct fm_code_parts *parts);
/* The parts of a part; none if it is indivisible. */
void fm_code_divide(const struct fm_part_of_code *part, struct fm_code_parts *parts);
/* Combines files, and classes, that begin with the same word. */
void fm_code_combine(struct fm_code_parts *parts);
void fm_code_parts_append(struct fm_code_parts *parts, const struct fm_part_of_code *part);

#endif
