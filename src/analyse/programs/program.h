/* SPDX-License-Identifier: BSD-3-Clause */
/* The programs of a job (mpirun ./atm : ./ocean): what each is called, and which ranks are its. */
#ifndef FM_ANALYSE_PROGRAMS_PROGRAM_H
#define FM_ANALYSE_PROGRAMS_PROGRAM_H

#include "model/profile.h"

#define FM_NO_PROGRAM SIZE_MAX

/* "ocean", or as much of the path as tells it from the other programs: "new/ocean"; "ocean [1a2b3c4d]", the build id, if the
 * path does not. In the arena; NULL: no memory. */
const char *fm_program_label(const struct fm_profile *profile, size_t program, struct fm_arena *arena);

/* The program by its label, path, file name or number (from 1, as listed). FM_ERR_USAGE: there is none, or several. */
enum fm_status fm_program_find(const struct fm_profile *profile, const char *name, size_t *program,
                               struct fm_error *error);

/* The program that a load module is; FM_NO_PROGRAM: it is a library. */
size_t fm_program_of_site(const struct fm_profile *profile, const struct fm_site *site);

/* Which program a rank belongs to, if the job has several and every process belongs to exactly one of them: not so where
 * ranks have replaced one program with another (exec). */
struct fm_program_ranges {
    struct fm_program_range {
        uint32_t first, last;
        size_t program;
    } * items; /* sorted by first */
    size_t n;  /* 0: it does not have several, or they cannot be told apart */
};

/* false: no memory. */
bool fm_program_ranges_make(const struct fm_profile *profile, struct fm_arena *arena, struct fm_program_ranges *ranges);
size_t fm_program_of_rank(const struct fm_program_ranges *ranges, uint32_t rank); /* FM_NO_PROGRAM: not known */

#endif
