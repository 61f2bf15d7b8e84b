/* SPDX-License-Identifier: BSD-3-Clause */
/* The leaders of a job on several hosts: the lowest rank of each, on a communicator of their own, in a tree
 * (mpi/rank_tree.h). When the root has written the profile it tells them, and each removes its host's segments.
 *
 * A part that does not come about is left out, and its host keeps its segments for the collector.
 *
 * All MPI calls are the library's own, on a communicator with MPI_ERRORS_RETURN; nothing is printed. */
#ifndef FM_RUNTIME_MPI_LEADERS_H
#define FM_RUNTIME_MPI_LEADERS_H

#include <stdbool.h>

#include "model/profile.h"

/* Collective over all ranks, after MPI_Init: agrees on the job's key, finds the processes of each host and makes the
 * leaders' communicator. A rank that is not `measured`, for whatever reason, takes part in the first step only. false:
 * it did not come about. Sets local_size and job_key in the header. */
bool fm_leaders_make(bool measured);
bool fm_leaders_am_one(void);
/* To be called while a leader waits outside MPI: another rank may be waiting for a message that this process has
 * still to deliver, as the real MPI_Finalize would. */
void fm_leaders_progress(void);
/* From now on nothing but MPI's own functions is called while one waits. */
void fm_leaders_never_sleep(void);

/* Adds the results of the leaders below to `profile` and passes it up; NULL: this host has nothing to give. Returns
 * true at the root when there is something in `profile`, which is to be written; elsewhere false. */
bool fm_leaders_reduce(struct fm_profile *profile);
/* The root has written the profile, or failed to; elsewhere waits for that word. true: this host's part is in it. */
bool fm_leaders_agree(bool written);

#endif
