/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions by which programs in C and Fortran call an MPI routine. */
#ifndef FM_MPI_FUNCTION_NAMES_H
#define FM_MPI_FUNCTION_NAMES_H

#include <stdbool.h>

enum { FM_MPI_FUNCTION_NAMES = 1024 };

/* "MPI_Send|PMPI_Send|mpi_send_|..." */
void fm_mpi_function_names(char names[FM_MPI_FUNCTION_NAMES], const char *routine);
/* Whether a function of a language binding, without its prefix ("mpi_send_f08_"), belongs to a routine. */
bool fm_mpi_is_binding_of(const char *function, const char *routine);

#endif
