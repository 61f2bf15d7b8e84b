/* Requests whose completion matters: nonblocking receives (their length is known only then) and persistent ones.
 * They lie in the segment, so that a receive that was pending when its process died is not lost. */
#ifndef FM_MEASURE_MPI_REQUESTS_H
#define FM_MEASURE_MPI_REQUESTS_H

#include "measure/mpi/call.h"

/* How many are followed now; 0 lets waits skip all look-ups. And how many of them have a handle of that hash, so that
 * most other requests, sends above all, are passed over without a look. Changed under the lock where there are
 * threads; a thread that waits for a request sees it counted. */
enum { FM_REQUEST_HASHES = 1024 };
extern FM_HIDDEN uint32_t fm_requests_followed;
extern FM_HIDDEN uint16_t fm_requests_hashed[FM_REQUEST_HASHES];

static inline bool fm_requests_any(void)
{
    return __atomic_load_n(&fm_requests_followed, __ATOMIC_RELAXED) != 0;
}

static inline uint32_t fm_request_hash(fm_word handle)
{
    uint32_t hash = (uint32_t)handle * 0x9e3779b1u;
    return hash ^ hash >> 16;
}

/* The k-th bucket to look at for a handle. */
static inline struct fm_request *fm_request_bucket(uint32_t hash, unsigned k)
{
    return &fm_rt.requests[(size_t)((hash + k) & fm_rt.request_bucket_mask) * FM_REQUEST_BUCKET];
}

/* A request is followed from now on (change = 1), or no longer (-1). The order of these stores matters to nobody but a
 * reader after the process's death, when all have arrived: the compiler alone must keep it. */
static inline void fm_request_mark(struct fm_request *request, fm_word handle, int change)
{
    uint16_t *hashed = &fm_requests_hashed[fm_request_hash(handle) % FM_REQUEST_HASHES];
    atomic_signal_fence(memory_order_release);
    __atomic_store_n(&request->handle, change > 0 ? handle : 0, __ATOMIC_RELAXED);
    __atomic_store_n(hashed, (uint16_t)(*hashed + change), __ATOMIC_RELAXED);
    __atomic_store_n(&fm_requests_followed, fm_requests_followed + (uint32_t)change, __ATOMIC_RELAXED);
}

static inline bool fm_request_perhaps(fm_word handle)
{
    return __atomic_load_n(&fm_requests_hashed[fm_request_hash(handle) % FM_REQUEST_HASHES], __ATOMIC_RELAXED) != 0;
}

/* Follows a request, which is given without its handle. false: no room (the caller counts it as untracked). */
bool fm_request_add(fm_word handle, const struct fm_request *request);
/* The followed request with this handle, which ends with that; a persistent one does so only if `always`. false: none. */
bool fm_request_take(const struct fm_thread *self, fm_word handle, bool always, struct fm_request *found);
/* A persistent request is started: true for a send. The bytes of a receive will belong to this call. */
bool fm_request_start(const struct fm_call *call, fm_word handle, struct fm_request *found);
/* A receive is recorded with the length and source of its status (NULL: unknown). */
void fm_request_record(struct fm_thread *self, const struct fm_request *request, const void *status);
/* A request completed: if it is a receive that is followed, it is recorded. */
void fm_request_end(struct fm_thread *self, fm_word handle, const void *status);
static inline void fm_request_completed(struct fm_thread *self, fm_word handle, const void *status)
{
    if (fm_request_perhaps(handle))
        fm_request_end(self, handle, status);
}

/* A call with scratch was left by longjmp. */
void fm_scratch_abandoned(void);

#endif
