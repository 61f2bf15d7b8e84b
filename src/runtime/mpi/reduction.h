/* SPDX-License-Identifier: BSD-3-Clause */
/* From the segments of a job to its one profile, in MPI_Finalize.
 *
 * On one host nobody waits: each process marks its segment and counts itself in; the last one in merges them all and
 * writes the profile, while the others are in the real MPI_Finalize already. Over several hosts the leaders (the
 * lowest rank of each) merge their host's segments and pass the result up a binary tree of messages on a private
 * communicator. Where it is not certain that every rank has the library no such communicator is made, which would
 * never come about: then the last process of each host writes its part. If anything does not come about in time, the
 * segments stay for the collector. */
#ifndef FM_RUNTIME_MPI_REDUCTION_H
#define FM_RUNTIME_MPI_REDUCTION_H

#include <stdbool.h>

/* After MPI_Init: the job's file on this host and, over several hosts, the private communicators. */
void fm_reduction_prepare(void);
/* After MPI_Init in a rank that has the library in it but is not measured: the others count on its call. */
void fm_reduction_stand_aside(void);
/* In MPI_Finalize, before the real one. */
void fm_reduction_run(void);
/* At the end of a program without MPI that no `fathom run` stands around: it writes its profile itself. */
void fm_reduction_without_mpi(void);

#endif
