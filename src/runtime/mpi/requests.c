/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/mpi/requests.h"

#include "runtime/mpi/handles.h"

enum { PROBED_BUCKETS = 16 };

static void lock_if_threaded(void)
{
    if (FM_UNLIKELY(fm_rt.threaded))
        fm_spin_lock(&fm_rt.mpi.requests_lock);
}

static void unlock_if_threaded(void)
{
    if (FM_UNLIKELY(fm_rt.threaded))
        fm_spin_unlock(&fm_rt.mpi.requests_lock);
}

static void count_displaced(fm_word handle, int change)
{
    uint16_t *hashed = &fm_rt.mpi.displaced_hashed[fm_request_hash(handle) % FM_REQUEST_HASHES];
    __atomic_store_n(hashed, (uint16_t)(*hashed + change), __ATOMIC_RELAXED);
    __atomic_store_n(&fm_rt.requests_displaced, fm_rt.requests_displaced + (uint32_t)change, __ATOMIC_RELAXED);
}

/* A library may reuse a handle before we have recorded that its request is complete: in another thread, or in an error
 * handler that is called from the wait. Then two requests have the same handle. The best match is one that no thread
 * waits for yet, preferably the thread's own; last comes one that this thread was waiting for, because it may have left
 * the wait by longjmp. (Threads that share a slot cannot tell which are their own.) */
enum { NO_MATCH, LEFT_BY_LONGJMP, OTHER_THREAD, OWN_THREAD };
static int match_of(const struct fm_thread *self, const struct fm_request *request)
{
    bool own = request->thread == self->slot;
    if (!__atomic_load_n(&request->claimed, __ATOMIC_RELAXED))
        return own ? OWN_THREAD : OTHER_THREAD;
    return own && !self->shared ? LEFT_BY_LONGJMP : NO_MATCH;
}

static struct fm_request *search(const struct fm_thread *self, fm_word handle)
{
    struct fm_request *first = fm_request_bucket(handle, 0), *best = NULL;
    int best_match = NO_MATCH;
    if (first->handle == handle && (best_match = match_of(self, first)) != NO_MATCH)
        best = first;
    if (best_match == OWN_THREAD ||
        !__atomic_load_n(&fm_rt.mpi.displaced_hashed[fm_request_hash(handle) % FM_REQUEST_HASHES], __ATOMIC_RELAXED))
        return best;
    for (unsigned k = 0; k < PROBED_BUCKETS; k++) {
        struct fm_request *bucket = fm_request_bucket(handle, k);
        for (unsigned i = 1; i < FM_REQUEST_BUCKET && best_match != OWN_THREAD; i++) {
            int match = bucket[i].handle == handle ? match_of(self, &bucket[i]) : NO_MATCH;
            if (match > best_match) {
                best = &bucket[i];
                best_match = match;
            }
        }
    }
    return best;
}

struct fm_request *fm_request_search(const struct fm_thread *self, fm_word handle)
{
    if (!handle)
        return NULL;
    lock_if_threaded();
    struct fm_request *found = search(self, handle);
    if (found)
        __atomic_store_n(&found->claimed, 1, __ATOMIC_RELAXED);
    unlock_if_threaded();
    return found;
}

static struct fm_request *find_free(fm_word handle)
{
    struct fm_request *first = fm_request_bucket(handle, 0);
    if (first->handle == 0)
        return first;
    for (unsigned k = 0; k < PROBED_BUCKETS; k++) {
        struct fm_request *bucket = fm_request_bucket(handle, k);
        for (unsigned i = 1; i < FM_REQUEST_BUCKET; i++)
            if (bucket[i].handle == 0)
                return &bucket[i];
    }
    return NULL;
}

bool fm_request_add(const struct fm_thread *self, fm_word handle, const struct fm_request *request)
{
    lock_if_threaded();
    struct fm_request *before = search(self, handle), *to = find_free(handle);
    if (before) /* it is complete, but the wait for it has not returned yet */
        __atomic_store_n(&before->claimed, 1, __ATOMIC_RELAXED);
    if (to) {
        *to = *request;
        if (request->peer == FM_PEER_NONE)
            to->kind |= FM_REQUEST_FROM_ANY;
        if (to != fm_request_bucket(handle, 0)) {
            to->kind |= FM_REQUEST_DISPLACED;
            count_displaced(handle, 1);
        }
        fm_request_mark(to, handle);
    }
    unlock_if_threaded();
    return to != NULL;
}

static void forget(struct fm_request *request)
{
    lock_if_threaded();
    if (request->kind & FM_REQUEST_DISPLACED)
        count_displaced(request->handle, -1);
    fm_request_mark(request, 0);
    unlock_if_threaded();
}

void fm_request_start(const struct fm_call *call, struct fm_request *request)
{
    if ((request->kind & FM_REQUEST_KIND) != FM_REQUEST_PERSISTENT_RECEIVE)
        return;
    request->routine = call->routine;
    request->site_region = call->site_region;
}

static uint32_t peer_of(const struct fm_request *request, const void *status)
{
    if (request->peer != FM_PEER_NONE || !status || fm_status_cancelled(status))
        return request->peer;
    return fm_comm_world_rank(fm_comm_by_name(request->comm), fm_status_source(status));
}

/* The next receive at this call site will likely have the same length. */
static void remember(struct fm_thread *self, const struct fm_request *request, const struct fm_key *key,
                     struct fm_entry *entry, uint64_t bytes)
{
    struct fm_memo *memo = fm_request_memo(self, request);
    if (!self->shared && fm_request_is_of(request, memo) && fm_entry_is_settled(entry, key) &&
        fm_memo_lengths(memo, bytes))
        memo->entry = entry;
}

/* Records a receive with the length and source of its status. */
static void record(struct fm_thread *self, const struct fm_request *request, unsigned kind, const void *status)
{
    uint64_t bytes = status ? fm_status_length(status) : 0;
    fm_rt.segment->untracked_receives += !status;
    struct fm_event_data event = {request->duration_ns, request->count_argument, bytes, 0, bytes, 0};
    struct fm_key key = {peer_of(request, status), request->routine,
                         (uint8_t)(status ? fm_size_bin(bytes) : FM_SIZE_NONE), (uint8_t)self->slot,
                         request->site_region};
    if (kind == FM_REQUEST_RECEIVE) {
        event.messages = status && !fm_status_cancelled(status);
        struct fm_entry *entry = fm_record_always(self, key, &event);
        if (event.messages)
            remember(self, request, &key, entry, bytes);
        return;
    }
    if (kind == FM_REQUEST_RECEIVE_HALF) {
        event.bytes = 0; /* the payload is that of the send, whose entry is updated */
        key.size_bin = (uint8_t)fm_size_bin(request->bytes);
    }
    fm_record_message(self, key, &event);
}

void fm_request_end_any(struct fm_thread *self, struct fm_request *at, const void *status)
{
    struct fm_request request = *at;
    unsigned kind = request.kind & FM_REQUEST_KIND;
    if (atomic_load(&fm_rt.state) != FM_RT_ON) /* a child that was forked in a callback: it is the parent's */
        return;
    if (kind == FM_REQUEST_RECEIVE || kind == FM_REQUEST_RECEIVE_HALF)
        forget(at);
    else
        fm_request_release(at);
    if (kind != FM_REQUEST_PERSISTENT_SEND)
        record(self, &request, kind, status);
}

void fm_request_failed(struct fm_thread *self, struct fm_request *request, fm_word handle)
{
    if (handle == fm_abi.request_null)
        fm_request_end_any(self, request, NULL);
    else
        fm_request_release(request);
}

void fm_request_free(struct fm_thread *self, struct fm_request *at)
{
    struct fm_request request = *at;
    forget(at);
    if ((request.kind & FM_REQUEST_KIND) == FM_REQUEST_RECEIVE)
        record(self, &request, FM_REQUEST_RECEIVE, NULL);
}
