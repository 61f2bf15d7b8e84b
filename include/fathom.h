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

/* FATHOM_TIME("physics") { ... } times a block. It must be left at its end: not by break, return or goto. */
#define FATHOM_TIME(name) \
    FATHOM_TIME_AS(name, FATHOM_JOIN(fathom_timer_, __LINE__), FATHOM_JOIN(fathom_once_, __LINE__))
#define FATHOM_JOIN(a, b) FATHOM_JOIN_AGAIN(a, b)
#define FATHOM_JOIN_AGAIN(a, b) a##b
#define FATHOM_TIME_AS(name, timer, once)                                                 \
    static int timer;                                                                     \
    for (int once = (fathom_timer_get(&timer, name), fathom_timer_start(timer), 1); once; \
         once = 0, fathom_timer_stop(timer))

#ifdef __cplusplus
}
#endif

#endif
