/* SPDX-License-Identifier: BSD-3-Clause */
/* Divides the code of a load module into a few units that a person would choose as modules, largest parts first:
 *
 *   load module -> directory -> ... -> source file -> Fortran module or namespace -> ... -> class
 *
 * Each unit that contains more than two thirds of the code is replaced by its parts at the next level. So a program of
 * several directories is divided into these, one with a single directory into its files, and one with a single file
 * into the namespaces in it. If there are too many parts, those whose names begin with the same word are combined:
 * ice.f90 and ice_melt.f90 are "ice", PairLJCut and PairMorse are "Pair". If there are still too many, the largest are
 * taken. Without debug information, division starts with namespaces and Fortran modules. If there are none, as in C, it
 * is by the part of names before the first '_', if several functions share it.
 *
 * Code from headers of the system and from the run-time libraries of compilers is in no unit. */
#ifndef FM_ANALYSE_MODULES_MODULE_UNITS_H
#define FM_ANALYSE_MODULES_MODULE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A function. */
struct fm_code {
    const char *name; /* as in call paths: "ocean::step" */
    const char *file; /* path of the file that defines it; "" if unknown */
    uint64_t weight;  /* bytes or time */
};

struct fm_module_unit {
    const char *name;     /* "ice" */
    const char *patterns; /* "ice.f90 ice_*", separated by blanks */
    bool by_file;         /* the patterns are for files, not for functions */
};

/* At most `max` units with a weight of at least `min` each, by name, all of them different; none if the load module is best left undivided. Returns their
 * number. Memory comes from the arena. */
size_t fm_module_units_find(const struct fm_code *code, size_t n, size_t max, uint64_t min,
                            struct fm_module_unit **units, struct fm_arena *arena);

/* A name as a single word that is no pattern: blanks and '#', which would end it, and pattern characters are
 * replaced. */
const char *fm_module_word(struct fm_arena *arena, const char *text, size_t length, char replacement);

#endif
