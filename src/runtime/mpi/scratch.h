/* SPDX-License-Identifier: BSD-3-Clause */
/* Scratch memory for the requests of a call that completes many, and for their statuses: for more requests than a
 * thread's own scratch holds, for a call in a callback, or for threads that share a slot. There is one per process, for
 * one call at a time; its owner is identified by the address of its guard. */
#ifndef FM_RUNTIME_MPI_SCRATCH_H
#define FM_RUNTIME_MPI_SCRATCH_H

#include "runtime/mpi/call.h"

/* Returns false if it is too small or in use. Otherwise the call's list of requests and *statuses are in it until it is
 * given back. */
bool fm_scratch_take(struct fm_call *call, int64_t count, void **statuses);
void fm_scratch_give_back(void);
/* Whether these statuses are in it. */
bool fm_scratch_holds(fm_word statuses);
/* A call was left by longjmp: gives the scratch back if that call owned it. */
void fm_scratch_abandoned(void);

#endif
