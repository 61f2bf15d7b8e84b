/* SPDX-License-Identifier: BSD-3-Clause */
/* What an application may tell Fathom. Every call is safe at any time, also when nothing is measured; then it is a
 * branch. Link with -lfathom (pkg-config fathom); under `fathom run` the library is there already.
 * From Fortran: use fathom. */
#ifndef FATHOM_H
#define FATHOM_H

#include <stdio.h>

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

/* Timers: multi-resolution, of each thread its own, in the profile of the job without any further call.
 *
 *     static int t;
 *     fathom_timer_get(&t, "physics");
 *     fathom_timer_start(t);
 *     ...
 *     fathom_timer_stop(t);
 *
 * The same name is the same timer. The handle is 0 while nothing is measured; then the others are a branch. Wrong use
 * (stopped without being started, started twice) is counted and shown by the report, never fatal. */
void fathom_timer_get(int *timer, const char *name);
void fathom_timer_start(int timer);
void fathom_timer_stop(int timer);

/* Prints the timers of all tasks of a communicator, all of which must call it; its task 0 prints. fathom_timers_report
 * takes an MPI_Comm and is there when mpi.h comes before this file; without MPI the communicator does not matter. */
void fathom_timers_report_comm(FILE *out, int fortran_comm);
#ifdef MPI_VERSION
static inline void fathom_timers_report(FILE *out, MPI_Comm comm)
{
    fathom_timers_report_comm(out, (int)MPI_Comm_c2f(comm));
}
#endif
/* The same as a text for task 0, which frees it; NULL elsewhere. *fortran_comm is a communicator as Fortran has it. */
char *fathom_timers_text(const int *fortran_comm);

/* FATHOM_TIME("physics") { ... } times a block, or a statement, however it is left: also by return or an exception.
 * Inside it, break leaves the block alone and not a loop around it. For compilers that know GNU C. */
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
