/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the segments of a job into its one profile, in MPI_Finalize.
 *
 * On one host no process waits: each marks its segment and increments a counter; the last one merges all segments and
 * writes the profile, while the others are already in the real MPI_Finalize. On several hosts the leaders (the lowest
 * rank of each host) merge the segments of their host and pass the result up a binary tree of messages on a private
 * communicator. If it is not certain that every rank has loaded the library, no such communicator is created, because
 * the call might never return: then the last process of each host writes its part. If anything is not completed in
 * time, the segments are left to the collector. */
#ifndef FM_RUNTIME_MPI_REDUCTION_H
#define FM_RUNTIME_MPI_REDUCTION_H

#include <stdbool.h>

/* After MPI_Init: opens the job file of this host and, for several hosts, creates the private communicators. */
void fm_reduction_prepare(void);
/* After MPI_Init in a rank that has loaded the library but is not measured: the others rely on its collective call. */
void fm_reduction_stand_aside(void);
/* In MPI_Finalize, before the real call. */
void fm_reduction_run(void);
/* At the end of a program without MPI that does not run under `fathom run`: it writes its profile itself. */
void fm_reduction_without_mpi(void);

#endif
