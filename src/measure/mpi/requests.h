/* Requests whose completion matters: nonblocking receives (their length is known only then) and persistent ones.
 * They lie in the segment, so that a receive that was pending when its process died is not lost. */
#ifndef FM_MEASURE_MPI_REQUESTS_H
#define FM_MEASURE_MPI_REQUESTS_H

#include "measure/mpi/call.h"

/* How many are followed now; 0 lets waits skip all look-ups. */
extern atomic_uint fm_requests_followed;

/* false: no room (counted by the caller's record as untracked). */
bool fm_request_add(const struct fm_request *request);
/* A copy of the followed request with this handle; false if none. */
bool fm_request_find(fm_word handle, struct fm_request *found, uint32_t *slot);
void fm_request_remove(uint32_t slot, fm_word handle);

/* A persistent receive was started: its bytes belong to that call. */
void fm_request_started(const struct fm_call *call, uint32_t slot, fm_word handle);
/* A request completed: its receive is recorded with the length and source of the status (NULL: unknown). */
void fm_request_completed(struct fm_thread *self, fm_word handle, const void *status);

/* A call with scratch was left by longjmp. */
void fm_scratch_abandoned(void);

#endif
