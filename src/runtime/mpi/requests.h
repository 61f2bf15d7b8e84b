/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests whose completion matters: nonblocking receives (their length is known only then) and persistent requests.
 * They are tracked in the segment, so that a receive that was pending when its process died is not lost.
 *
 * A call that completes requests looks up the tracked ones before the real call, which sets the handles to null, and
 * ends them afterwards. Until then a request that was found stays in its slot: only its own completion ends it. */
#ifndef FM_RUNTIME_MPI_REQUESTS_H
#define FM_RUNTIME_MPI_REQUESTS_H

#include "runtime/mpi/memo.h"

static inline uint32_t fm_request_hash(fm_word handle)
{
    return (uint32_t)(handle * 0x9e3779b97f4a7c15u >> 32);
}

/* The k-th bucket to probe for a handle. */
FM_INLINE struct fm_request *fm_request_bucket(fm_word handle, unsigned k)
{
    return &fm_rt.requests[(size_t)((fm_request_hash(handle) + k) & fm_rt.request_bucket_mask) * FM_REQUEST_BUCKET];
}

/* Starts to track a request (by its handle), or stops (by 0). The order of these stores matters only to a reader after
 * the process has died, when all stores are complete, so only the compiler must preserve it. */
FM_INLINE void fm_request_mark(struct fm_request *request, fm_word handle)
{
    atomic_signal_fence(memory_order_release);
    __atomic_store_n(&request->handle, handle, __ATOMIC_RELAXED);
}

/* Slow path of fm_request_find. */
struct fm_request *fm_request_search(const struct fm_thread *self, fm_word handle);

/* The tracked request with this handle, or NULL. */
FM_INLINE struct fm_request *fm_request_find(const struct fm_thread *self, fm_word handle)
{
    struct fm_request *first = fm_request_bucket(handle, 0);
    if (FM_UNLIKELY(fm_rt.requests_displaced))
        return fm_request_search(self, handle);
    if (first->handle != handle)
        return NULL;
    return FM_LIKELY(first->thread == self->slot && handle) ? first : fm_request_search(self, handle);
}

/* Releases a request that was found but is not complete. */
FM_INLINE void fm_request_release(struct fm_request *request)
{
    __atomic_store_n(&request->claimed, 0, __ATOMIC_RELAXED);
}

/* Tracks a request, which is given without its handle. Returns false if there is no room (the caller counts it as
 * untracked). */
bool fm_request_add(const struct fm_thread *self, fm_word handle, const struct fm_request *request);
/* A persistent request was started. The bytes of a receive will be counted for this call. */
void fm_request_start(const struct fm_call *call, struct fm_request *request);
/* A request of any kind was freed. */
void fm_request_free(struct fm_thread *self, struct fm_request *request);

/* The memo of the call that posted a receive, as the thread has kept it. */
FM_INLINE struct fm_memo *fm_request_memo(struct fm_thread *self, const struct fm_request *request)
{
    return (struct fm_memo *)((char *)self + request->memo);
}

/* Whether a memo is that of the call that posted a receive, and is valid. */
FM_INLINE bool fm_request_is_of(const struct fm_request *request, const struct fm_memo *memo)
{
    /* a request has peer, routine and thread as a key does, and its kind in place of the size bin */
    _Static_assert(
        offsetof(struct fm_request, thread) - offsetof(struct fm_request, peer) == offsetof(struct fm_key, thread) &&
            offsetof(struct fm_request, kind) - offsetof(struct fm_request, peer) == offsetof(struct fm_key, size_bin),
        "the same order");
    struct fm_key_words words = {{0, request->site_region}};
    __builtin_memcpy(&words.word[0], &request->peer, sizeof words.word[0]);
    return fm_key_equal(words, fm_key_words(&memo->key)) && fm_memo_holds(memo);
}

/* A request completed with this status; NULL if its length is unknown. A receive is recorded. */
void fm_request_end_any(struct fm_thread *self, struct fm_request *request, const void *status);

/* A call with this request failed. `handle` is the current value of the program's variable: null if the request is
 * complete. */
void fm_request_failed(struct fm_thread *self, struct fm_request *request, fm_word handle);

/* As fm_request_end_any, with a status. Looks nothing up if the message is like the last one at its call site. */
FM_INLINE void fm_request_end(struct fm_thread *self, struct fm_request *request, const void *status,
                              enum fm_mpi_kind kind)
{
    const struct fm_memo *memo = fm_request_memo(self, request);
    uint64_t bytes = fm_status_brief(status, kind);
    if (FM_UNLIKELY(!fm_request_is_of(request, memo) || !memo->entry || !fm_memo_has_length(memo, bytes))) {
        fm_request_end_any(self, request, status);
        return;
    }
    struct fm_event_data event = {request->duration_ns, request->count_argument, bytes, 0, bytes, 1};
    fm_request_mark(request, 0);
    fm_entry_add_event(memo->entry, &event, true);
}

#endif
