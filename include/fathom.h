/* What an application may tell Fathom. Every call is safe at any time, also when nothing is measured; then it is a
 * branch. Link with -lfathom (pkg-config fathom); under `fathom run` the library is there already.
 * From Fortran: use fathom. */
#ifndef FATHOM_H
#define FATHOM_H

#ifdef __cplusplus
extern "C" {
#endif

/* A named part of the program, nested as its calls are. An unmatched end is counted, never fatal. The same as
 * MPI_Pcontrol(1, "name") and MPI_Pcontrol(-1, "name"). */
void fathom_region_begin(const char *name);
void fathom_region_end(const char *name);

/* Keeps a subtotal of all MPI routines at this point in the profile: of this process, or with collective != 0 of
 * all processes, which must then all call it. MPI_Pcontrol(2, "label") and MPI_Pcontrol(3, "label"). */
void fathom_snapshot(const char *label, int collective);

#ifdef __cplusplus
}
#endif

#endif
