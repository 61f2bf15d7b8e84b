/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of MPI libraries: one row each. Nothing outside of this folder names one.
 *
 * Files are told by how their names begin, without their directories; the lists are those of base/names.h. */
#ifndef FM_MPI_LIBRARIES_H
#define FM_MPI_LIBRARIES_H

#include <stdbool.h>

/* Which ABI a library has. The numbers stand in segments. */
enum fm_mpi_kind { FM_MPI_NONE, FM_MPI_OPENMPI, FM_MPI_MPICH };

struct fm_mpi_library {
    char name[12];
    enum fm_mpi_kind kind;
    char symbols[48];   /* each is defined by libraries of this kind alone */
    char libraries[24]; /* the C library */
    char sonames[32];   /* what it is opened by where its path is not known */
    char bindings[32];  /* its other libraries: C++, Java, PMPI */
    char fortran[32];   /* bindings for Fortran */
    char settings[24];  /* variables that change how it behaves, by how they begin */
    char internal[136]; /* those among them that launchers set in every process */
};

enum { FM_MPI_LIBRARIES = 5 };
/* A C library is of the first row that fits: the last has the shortest name. */
extern const struct fm_mpi_library fm_mpi_libraries[FM_MPI_LIBRARIES];

/* Patterns of the libraries of MPI and of those below them: run-time systems, networks, topology. In the order that a
 * draft of modules shows them in. */
extern const char fm_mpi_stack[];

/* "Open MPI", "MPICH"; "" for none. */
const char *fm_mpi_kind_name(enum fm_mpi_kind kind);

/* The address of a function or variable of a library, or anything but NULL where it is defined. */
typedef void *fm_symbol_finder(const void *library, const char *name);
/* By what the library defines. */
enum fm_mpi_kind fm_mpi_kind_of(fm_symbol_finder *find, const void *library);
/* By the file's name: FM_MPI_NONE for all but C libraries. */
enum fm_mpi_kind fm_mpi_kind_of_file(const char *file);

/* A C library, or a binding, of those in the table. */
bool fm_mpi_is_library(const char *file);
bool fm_mpi_is_fortran_binding(const char *file);
/* Called as MPI libraries are, known or not. */
bool fm_mpi_is_named(const char *file);

/* "NAME" or "NAME=VALUE": a user's setting of MPI or of the network libraries below it. */
bool fm_mpi_is_setting(const char *variable);

#endif
