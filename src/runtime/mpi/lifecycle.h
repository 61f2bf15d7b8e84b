/* SPDX-License-Identifier: BSD-3-Clause */
/* The life cycle of an MPI process: its first call, MPI_Init, MPI_Finalize, MPI_Abort. */
#ifndef FM_RUNTIME_MPI_LIFECYCLE_H
#define FM_RUNTIME_MPI_LIFECYCLE_H

#include <stdbool.h>

/* Whether a first call may start the measurement: the MPI library is a known one, and measuring is not disabled. */
bool fm_lifecycle_may_measure(void);
/* The process calls MPI: if it was measured as a program without MPI until now, it joins its job. Idempotent. */
void fm_lifecycle_join_job(void);

#endif
