/* SPDX-License-Identifier: BSD-3-Clause */
/* The leaders of a job on several hosts: the lowest rank of each host, on a communicator of their own, in a tree
 * (mpi/rank_tree.h). When the root has written the profile it notifies them, and each removes the segments of its host.
 *
 * A part that is not delivered is left out, and its host keeps its segments for the collector.
 *
 * All MPI calls go directly to the library, on a communicator with MPI_ERRORS_RETURN; nothing is printed. */
#ifndef FM_RUNTIME_MPI_LEADERS_H
#define FM_RUNTIME_MPI_LEADERS_H

#include <stdbool.h>

#include "model/profile.h"

/* Collective over all ranks, after MPI_Init: agrees on the job key, finds the processes of each host and creates the
 * communicator of the leaders. A rank that is not `measured`, for whatever reason, takes part in the first step only.
 * Returns false if this failed. Sets local_size and job_key in the header. */
bool fm_leaders_make(bool measured);
bool fm_leaders_am_one(void);
/* Called while a leader waits outside MPI: another rank may be waiting for a message that this process has yet to
 * deliver, as the real MPI_Finalize would. */
void fm_leaders_progress(void);
/* From now on only MPI's own functions are called while waiting. */
void fm_leaders_never_sleep(void);

/* Merges the results of the leaders below into `profile` and passes it up; NULL: this host has nothing to contribute.
 * Returns true at the root if `profile` has data, which are to be written; elsewhere false. */
bool fm_leaders_reduce(struct fm_profile *profile);
/* At the root: announces whether the profile was written. Elsewhere: waits for the announcement. Returns true if the
 * part of this host is in the profile. */
bool fm_leaders_agree(bool written);

#endif
