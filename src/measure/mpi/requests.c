#include "measure/mpi/requests.h"

#include "measure/mpi/handles.h"

enum { PROBED_BUCKETS = 4 };

uint32_t fm_requests_followed;
uint16_t fm_requests_hashed[FM_REQUEST_HASHES];
static atomic_uint lock;

static void lock_if_threaded(void)
{
    if (FM_UNLIKELY(fm_rt.threaded))
        fm_spin_lock(&lock);
}

static void unlock_if_threaded(void)
{
    if (FM_UNLIKELY(fm_rt.threaded))
        fm_spin_unlock(&lock);
}

/* A library may give the handle of a request that is complete to another thread before we have recorded it: then
 * there are two of that handle, and each thread takes its own. */
static struct fm_request *find(fm_word handle, uint32_t thread)
{
    struct fm_request *another = NULL;
    if (!fm_request_perhaps(handle))
        return NULL;
    for (unsigned k = 0; k < PROBED_BUCKETS; k++) {
        struct fm_request *at = fm_request_bucket(fm_request_hash(handle), k), *end = at + FM_REQUEST_BUCKET;
        for (; at < end; at++) {
            if (at->handle != handle)
                continue;
            if (FM_LIKELY(at->thread == thread))
                return at;
            another = another ? another : at;
        }
    }
    return another;
}

static struct fm_request *find_free(fm_word handle)
{
    for (unsigned k = 0; k < PROBED_BUCKETS; k++) {
        struct fm_request *at = fm_request_bucket(fm_request_hash(handle), k), *end = at + FM_REQUEST_BUCKET;
        for (; at < end; at++)
            if (at->handle == 0)
                return at;
    }
    return NULL;
}

bool fm_request_add(fm_word handle, const struct fm_request *request)
{
    lock_if_threaded();
    struct fm_request *to = find_free(handle);
    if (to) {
        *to = *request;
        fm_request_mark(to, handle, 1);
    }
    unlock_if_threaded();
    return to != NULL;
}

bool fm_request_take(const struct fm_thread *self, fm_word handle, bool always, struct fm_request *found)
{
    lock_if_threaded();
    struct fm_request *request = find(handle, self->slot);
    if (request) {
        *found = *request;
        if (always || found->kind == FM_REQUEST_RECEIVE || found->kind == FM_REQUEST_RECEIVE_HALF) {
            fm_request_mark(request, handle, -1);
        }
    }
    unlock_if_threaded();
    return request != NULL;
}

bool fm_request_start(const struct fm_call *call, fm_word handle, struct fm_request *found)
{
    lock_if_threaded();
    struct fm_request *request = find(handle, call->self->slot);
    if (request) {
        if (request->kind == FM_REQUEST_PERSISTENT_RECEIVE) {
            request->routine = call->routine;
            request->site_region = call->site_region;
        }
        *found = *request;
    }
    unlock_if_threaded();
    return request && found->kind == FM_REQUEST_PERSISTENT_SEND;
}

static uint32_t peer_of(const struct fm_request *request, const void *status)
{
    if (request->peer != FM_PEER_NONE || !status || fm_status_cancelled(status))
        return request->peer;
    return fm_comm_world_rank(fm_comm_named(request->comm), fm_status_source(status));
}

void fm_request_record(struct fm_thread *self, const struct fm_request *request, const void *status)
{
    uint64_t bytes = status ? fm_status_length(status) : 0;
    fm_rt.segment->untracked_receives += !status;
    struct fm_sample sample = {request->duration_ns, request->count_argument, bytes, 0, bytes, 0};
    struct fm_key key = {peer_of(request, status), request->routine,
                         (uint8_t)(status ? fm_size_bin(bytes) : FM_SIZE_NONE), (uint8_t)self->slot,
                         request->site_region};
    if (request->kind == FM_REQUEST_RECEIVE) {
        sample.messages = status && !fm_status_cancelled(status);
        fm_record_always(self, key, &sample);
        return;
    }
    if (request->kind == FM_REQUEST_RECEIVE_HALF) {
        sample.bytes = 0; /* the payload was that of the send, whose entry it goes to */
        key.size_bin = (uint8_t)fm_size_bin(request->bytes);
    }
    fm_record_message(self, key, &sample);
}

__attribute__((noinline)) static void end_any(struct fm_thread *self, fm_word handle, const void *status)
{
    struct fm_request request;
    if (fm_request_take(self, handle, false, &request) && request.kind != FM_REQUEST_PERSISTENT_SEND)
        fm_request_record(self, &request, status);
}

/* An ordinary receive, found in the first place, is recorded without calling anything. */
void fm_request_end(struct fm_thread *self, fm_word handle, const void *status)
{
    struct fm_request *request = fm_request_bucket(fm_request_hash(handle), 0);
    if (FM_UNLIKELY(request->handle != handle || request->kind != FM_REQUEST_RECEIVE || fm_rt.threaded ||
                    self->shared || request->peer == FM_PEER_NONE || !status || fm_status_cancelled(status))) {
        end_any(self, handle, status);
        return;
    }
    uint64_t bytes = fm_status_bytes(status);
    struct fm_key key = {request->peer, request->routine, (uint8_t)fm_size_bin(bytes), (uint8_t)self->slot,
                         request->site_region};
    struct fm_entry *entry = fm_table_known(key);
    if (FM_UNLIKELY(!entry)) {
        end_any(self, handle, status);
        return;
    }
    struct fm_sample sample = {request->duration_ns, request->count_argument, bytes, 0, bytes, 1};
    fm_request_mark(request, handle, -1);
    self->seg->events++;
    fm_entry_add(entry, &sample);
}
