/* Requests whose completion matters: nonblocking receives (their length is known only then) and persistent ones.
 * They lie in the segment, so that a receive that was pending when its process died is not lost. */
#ifndef FM_MEASURE_MPI_REQUESTS_H
#define FM_MEASURE_MPI_REQUESTS_H

#include "measure/mpi/call.h"

/* How many are followed now; 0 lets waits skip all look-ups. */
extern FM_HIDDEN atomic_uint fm_requests_followed;
static inline bool fm_requests_any(void)
{
    return atomic_load_explicit(&fm_requests_followed, memory_order_relaxed) != 0;
}

/* false: no room (counted by the caller's record as untracked). */
bool fm_request_add(const struct fm_request *request);
/* The followed request with this handle, which ends with that; a persistent one does so only if `always`. false: none. */
bool fm_request_take(const struct fm_thread *self, fm_word handle, bool always, struct fm_request *found);
/* A persistent request is started: true for a send. The bytes of a receive will belong to this call. */
bool fm_request_start(const struct fm_call *call, fm_word handle, struct fm_request *found);
/* A receive is recorded with the length and source of its status (NULL: unknown). */
void fm_request_record(struct fm_thread *self, const struct fm_request *request, const void *status);
/* A request completed: if it is a receive, it is recorded. */
void fm_request_completed(struct fm_thread *self, fm_word handle, const void *status);

/* A call with scratch was left by longjmp. */
void fm_scratch_abandoned(void);

#endif
