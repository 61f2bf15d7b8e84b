#include "measure/mpi/requests.h"

#include "measure/mpi/handles.h"

enum { PROBED_BUCKETS = 4 };

atomic_uint fm_requests_followed;
static atomic_uint lock;

static void lock_if_threaded(void)
{
    if (fm_rt.threaded)
        fm_lock(&lock);
}

static void unlock_if_threaded(void)
{
    if (fm_rt.threaded)
        fm_unlock(&lock);
}

static struct fm_request *table(void)
{
    return fm_section(fm_rt.segment, FM_SECTION_REQUESTS);
}

/* First slot of the k-th bucket to look at for a handle. */
static uint32_t bucket(fm_word handle, unsigned k)
{
    uint32_t buckets = fm_rt.segment->sections[FM_SECTION_REQUESTS].capacity / FM_REQUEST_BUCKET;
    return (((uint32_t)(handle * 0x9e3779b97f4a7c15u >> 32) + k) & (buckets - 1)) * FM_REQUEST_BUCKET;
}

/* A library may give the handle of a request that is complete to another thread before we have recorded it: then
 * there are two of that handle, and each thread takes its own. */
static int64_t slot_of(fm_word handle, uint32_t thread)
{
    int64_t another = -1;
    for (unsigned k = 0; k < PROBED_BUCKETS; k++) {
        uint32_t first = bucket(handle, k);
        for (uint32_t i = first; i < first + FM_REQUEST_BUCKET; i++) {
            if (table()[i].handle != handle)
                continue;
            if (table()[i].thread == thread)
                return i;
            another = another < 0 ? i : another;
        }
    }
    return another;
}

static int64_t free_slot(fm_word handle)
{
    for (unsigned k = 0; k < PROBED_BUCKETS; k++) {
        uint32_t first = bucket(handle, k);
        for (uint32_t i = first; i < first + FM_REQUEST_BUCKET; i++)
            if (table()[i].handle == 0)
                return i;
    }
    return -1;
}

bool fm_request_add(const struct fm_request *request)
{
    lock_if_threaded();
    int64_t slot = free_slot((fm_word)request->handle);
    if (slot >= 0) {
        struct fm_request *to = &table()[slot];
        struct fm_request filled = *request;
        filled.handle = 0;
        *to = filled;
        __atomic_store_n(&to->handle, request->handle, __ATOMIC_RELEASE);
        atomic_fetch_add_explicit(&fm_requests_followed, 1, memory_order_relaxed);
    }
    unlock_if_threaded();
    return slot >= 0;
}

bool fm_request_take(const struct fm_thread *self, fm_word handle, bool always, struct fm_request *found)
{
    lock_if_threaded();
    int64_t at = slot_of(handle, self->slot);
    if (at >= 0) {
        *found = table()[at];
        if (always || found->kind == FM_REQUEST_RECEIVE || found->kind == FM_REQUEST_RECEIVE_HALF) {
            __atomic_store_n(&table()[at].handle, 0, __ATOMIC_RELEASE);
            atomic_fetch_sub_explicit(&fm_requests_followed, 1, memory_order_relaxed);
        }
    }
    unlock_if_threaded();
    return at >= 0;
}

bool fm_request_start(const struct fm_call *call, fm_word handle, struct fm_request *found)
{
    lock_if_threaded();
    int64_t at = slot_of(handle, call->self->slot);
    if (at >= 0) {
        struct fm_request *request = &table()[at];
        if (request->kind == FM_REQUEST_PERSISTENT_RECEIVE) {
            request->routine = call->routine;
            request->site_region = call->site_region;
        }
        *found = *request;
    }
    unlock_if_threaded();
    return at >= 0 && found->kind == FM_REQUEST_PERSISTENT_SEND;
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

void fm_request_completed(struct fm_thread *self, fm_word handle, const void *status)
{
    struct fm_request request;
    if (fm_request_take(self, handle, false, &request) && request.kind != FM_REQUEST_PERSISTENT_SEND)
        fm_request_record(self, &request, status);
}
