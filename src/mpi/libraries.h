/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known about MPI libraries: one row each. Nothing outside this folder names one.
 *
 * Files are identified by prefixes of their names, without directories; lists are those of base/names.h. */
#ifndef FM_MPI_LIBRARIES_H
#define FM_MPI_LIBRARIES_H

#include <stdbool.h>

/* The ABI of a library. The values are stored in segments. */
enum fm_mpi_kind { FM_MPI_NONE, FM_MPI_OPENMPI, FM_MPI_MPICH };

struct fm_mpi_library {
    char name[12];
    enum fm_mpi_kind kind;
    char symbols[48];   /* defined only by libraries of this kind */
    char libraries[24]; /* the C library */
    char sonames[32];   /* to open it by if its path is unknown */
    char bindings[32];  /* its other libraries: C++, Java, PMPI */
    char fortran[32];   /* Fortran bindings */
    char settings[24];  /* prefixes of environment variables that configure it */
    char internal[136]; /* those of them that launchers set in every process */
    char yielding[40];  /* one that makes waiting ranks leave their core to others, as NAME=VALUE */
};

enum { FM_MPI_LIBRARIES = 5 };
/* The first row that matches a C library counts: the last has the shortest prefix. */
extern const struct fm_mpi_library fm_mpi_libraries[FM_MPI_LIBRARIES];

/* Patterns for the libraries of MPI and those below it: run-time systems, networks, topology. In the order in which a
 * drafted module file lists them. */
extern const char fm_mpi_stack[];

/* "Open MPI", "MPICH"; "" for none. */
const char *fm_mpi_kind_name(enum fm_mpi_kind kind);

/* What MPI_Get_library_version returns, in short: "Open MPI v4.1.4, package: ..." -> "Open MPI 4.1.4",
 * "MPICH Version:\t4.0.2\n..." -> "MPICH 4.0.2". */
enum { FM_MPI_VERSION_CHARS = 64 };
void fm_mpi_version(const char *text, char name[FM_MPI_VERSION_CHARS]);

/* Returns the address of a function or variable of a library (or any non-NULL pointer if it is defined there), or
 * NULL. */
typedef void *fm_symbol_finder(const void *library, const char *name);
/* By the symbols that the library defines. */
enum fm_mpi_kind fm_mpi_kind_of(fm_symbol_finder *find, const void *library);
/* By the name of the file; FM_MPI_NONE for everything but C libraries. */
enum fm_mpi_kind fm_mpi_kind_of_file(const char *file);

/* A C library or a binding in the table. */
bool fm_mpi_is_library(const char *file);
bool fm_mpi_is_fortran_binding(const char *file);
/* Named like an MPI library, known or not. */
bool fm_mpi_is_named(const char *file);

/* Whether "NAME" or "NAME=VALUE" is a user's setting of MPI or of the network libraries below it. */
bool fm_mpi_is_setting(const char *variable);

#endif
