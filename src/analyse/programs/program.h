/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs of a job (mpirun ./atm : ./ocean): their names and their ranks. */
#ifndef FM_ANALYSE_PROGRAMS_PROGRAM_H
#define FM_ANALYSE_PROGRAMS_PROGRAM_H

#include "model/profile.h"

#define FM_NO_PROGRAM SIZE_MAX

/* "ocean", or as much of the path as is needed to distinguish it from the other programs: "new/ocean"; with the build
 * id, "ocean [1a2b3c4d]", if the paths are equal. In the arena. Returns NULL if out of memory. */
const char *fm_program_label(const struct fm_profile *profile, size_t program, struct fm_arena *arena);

/* Finds a program by its label, path, file name or number (from 1, as listed). FM_ERR_USAGE: there is none, or
 * several. */
enum fm_status fm_program_find(const struct fm_profile *profile, const char *name, size_t *program,
                               struct fm_error *error);

/* The program whose executable is the load module of the site; FM_NO_PROGRAM if it is a library. */
size_t fm_program_of_site(const struct fm_profile *profile, const struct fm_site *site);

/* The program of each rank, if the job has several and every process belongs to exactly one of them, which is not the
 * case if ranks have replaced one program with another (exec). */
struct fm_program_ranges {
    struct fm_program_range {
        uint32_t first, last;
        size_t program;
    } * items; /* sorted by first */
    size_t n;  /* 0: the job does not have several, or they cannot be distinguished */
};

/* Returns false if out of memory. */
bool fm_program_ranges_make(const struct fm_profile *profile, struct fm_arena *arena, struct fm_program_ranges *ranges);
size_t fm_program_of_rank(const struct fm_program_ranges *ranges, uint32_t rank); /* FM_NO_PROGRAM if unknown */

#endif
