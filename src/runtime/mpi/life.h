/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of an MPI process as Fathom sees it: its first call, MPI_Init, MPI_Finalize, MPI_Abort. */
#ifndef FM_RUNTIME_MPI_LIFE_H
#define FM_RUNTIME_MPI_LIFE_H

#include <stdbool.h>

/* Whether a first call may start the measurement: there is an MPI we know, and it was not switched off. */
bool fm_life_may_measure(void);
/* The process calls MPI: if it is measured as a program without MPI so far, it joins its job now. Idempotent. */
void fm_life_join_job(void);

#endif
