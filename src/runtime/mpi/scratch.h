/* SPDX-License-Identifier: BSD-3-Clause */
/* Room for the requests of a call that completes many, and for their statuses: more than a thread's own scratch holds, or
 * for a call in a callback, or for threads that share a slot. There is one in the process, for one call at a time; its
 * owner is known by the address of its guard. */
#ifndef FM_RUNTIME_MPI_SCRATCH_H
#define FM_RUNTIME_MPI_SCRATCH_H

#include "runtime/mpi/call.h"

/* false: it is too small, or taken. Otherwise the call's list of requests lies in it, and *statuses, until it is given
 * back. */
bool fm_scratch_take(struct fm_call *call, int64_t count, void **statuses);
void fm_scratch_give_back(void);
/* Whether these statuses lie in it. */
bool fm_scratch_holds(fm_word statuses);
/* A call was left by longjmp: if the scratch was its own, it is given back. */
void fm_scratch_abandoned(void);

#endif
