/* SPDX-License-Identifier: BSD-3-Clause */
/* The API of Fathom for applications. Every function may be called at any time, also when nothing is measured; it is
 * then just a branch. Link with -lfathom (pkg-config fathom); `fathom run` preloads the library. In Fortran: use
 * fathom. */
#ifndef FATHOM_H
#define FATHOM_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A named part of the program; regions nest. An unmatched end is counted, never fatal. Same as MPI_Pcontrol(1, "name")
 * and MPI_Pcontrol(-1, "name"). */
void fathom_region_begin(const char *name);
void fathom_region_end(const char *name);

/* Stores the totals of all MPI routines so far in the profile: of this process, or with collective != 0 of all
 * processes, all of which must then call it. Same as MPI_Pcontrol(2, "label") and MPI_Pcontrol(3, "label"). */
void fathom_snapshot(const char *label, int collective);

/* Timers with multi-resolution histograms, separate for each thread; stored in the profile without any further call.
 *
 *     static int t;
 *     fathom_timer_get(&t, "physics");
 *     fathom_timer_start(t);
 *     ...
 *     fathom_timer_stop(t);
 *
 * The same name gives the same timer. The handle is 0 if nothing is measured; start and stop are then just a branch.
 * Incorrect use (stopped without being started, started twice) is counted and reported, never fatal. */
void fathom_timer_get(int *timer, const char *name);
void fathom_timer_start(int timer);
void fathom_timer_stop(int timer);

/* Prints the timers of all tasks of a communicator; all of them must call it, and task 0 prints. fathom_timers_report
 * takes an MPI_Comm and is available if mpi.h is included before this file; without MPI the communicator is ignored. */
void fathom_timers_report_comm(FILE *out, int fortran_comm);
#ifdef MPI_VERSION
static inline void fathom_timers_report(FILE *out, MPI_Comm comm)
{
    fathom_timers_report_comm(out, (int)MPI_Comm_c2f(comm));
}
#endif
/* The same as a string, which task 0 must free; NULL on other tasks. *fortran_comm is a Fortran communicator handle. */
char *fathom_timers_text(const int *fortran_comm);

/* FATHOM_TIME("physics") { ... } times a block or a statement, however it is left, including by return or an exception.
 * A break inside it leaves only the block, not an enclosing loop. Needs a compiler with GNU extensions. */
static inline void fathom_timed_(const int *timer)
{
    fathom_timer_stop(*timer);
}
#define FATHOM_TIME(name) FATHOM_TIME_NUMBER_(name, __COUNTER__)
#define FATHOM_TIME_NUMBER_(name, number) FATHOM_TIME_AS_(name, number)
#define FATHOM_TIME_AS_(name, number)                                                                   \
    for (int fathom_once_##number = 1,                                                                  \
             fathom_timer_##number##_ __attribute__((cleanup(fathom_timed_), unused)) = __extension__({ \
                 static int fathom_handle_;                                                             \
                 fathom_timer_get(&fathom_handle_, name);                                               \
                 fathom_timer_start(fathom_handle_);                                                    \
                 fathom_handle_;                                                                        \
             });                                                                                        \
         fathom_once_##number; fathom_once_##number = 0)

#ifdef __cplusplus
}
#endif

#endif
