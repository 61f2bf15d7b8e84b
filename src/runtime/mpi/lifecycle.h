/* SPDX-License-Identifier: BSD-3-Clause */
/* The life cycle of an MPI process: its first call, MPI_Init, MPI_Finalize, MPI_Abort. */
#ifndef FM_RUNTIME_MPI_LIFECYCLE_H
#define FM_RUNTIME_MPI_LIFECYCLE_H

#include <stdbool.h>

/* Whether a first call may start the measurement: there is an MPI library that we support, and measuring is not
 * switched off. */
bool fm_lifecycle_may_measure(void);
/* Called when the process calls MPI: if it was measured as a program without MPI so far, it joins its job now.
 * Idempotent. */
void fm_lifecycle_join_job(void);

#endif
