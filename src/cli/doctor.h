/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of `fathom doctor`: each checks one thing and prints lines. */
#ifndef FM_CLI_DOCTOR_H
#define FM_CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/libraries.h"

enum fm_doctor_level { FM_DOCTOR_OK, FM_DOCTOR_WARN, FM_DOCTOR_BAD };

struct fm_doctor {
    size_t counts[3];        /* by level */
    enum fm_mpi_kind mpirun; /* the MPI of the mpirun in PATH */
};

/* Prints one line of the table; `fix` says what to do about it, NULL or "" if nothing. */
void fm_doctor_say(struct fm_doctor *doctor, enum fm_doctor_level level, const char *fix, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Runs a command and stores its output (stdout and stderr) in `text`, terminated and truncated to `size`. Returns its
 * exit status, or -1 if it could not be run. Never uses a shell. */
int fm_doctor_capture(char *const words[], char *text, size_t size);

void fm_doctor_place(struct fm_doctor *doctor);  /* library, segment directory, space, leftovers */
void fm_doctor_system(struct fm_doctor *doctor); /* logind, kernel settings, clock, limits, MPIs */
void fm_doctor_program(struct fm_doctor *doctor, const char *program);

/* Whether MPI is linked into the program itself, so that its calls cannot be intercepted. */
bool fm_program_has_static_mpi(const char *path);

#endif
