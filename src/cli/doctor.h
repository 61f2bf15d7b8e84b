/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of `fathom doctor`: each looks at one thing and writes lines of findings. */
#ifndef FM_CLI_DOCTOR_H
#define FM_CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/libraries.h"

enum fm_doctor_level { FM_DOCTOR_OK, FM_DOCTOR_WARN, FM_DOCTOR_BAD };

struct fm_doctor {
    size_t counts[3];        /* by level */
    enum fm_mpi_kind mpirun; /* whose the mpirun in PATH is */
};

/* One line of the table; `fix` says what to do about it, NULL or "" when there is nothing to do. */
void fm_doctor_say(struct fm_doctor *doctor, enum fm_doctor_level level, const char *fix, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Output of a command (stdout and stderr) into `text`, terminated, at most `size`; its exit status, -1 if it could
 * not be run. Never through a shell. */
int fm_doctor_capture(char *const words[], char *text, size_t size);

void fm_doctor_place(struct fm_doctor *doctor);  /* library, segment directory, space, leftovers */
void fm_doctor_system(struct fm_doctor *doctor); /* logind, kernel settings, clock, limits, MPIs */
void fm_doctor_program(struct fm_doctor *doctor, const char *program);

/* MPI is part of the program itself, so that no call of it can be seen from outside. */
bool fm_program_has_static_mpi(const char *path);

#endif
