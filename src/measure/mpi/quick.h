/* Ordinary calls of frequent routines, from entry to record inside their wrapper: nothing is called but MPI, and what
 * must be kept meanwhile is a few words. As soon as anything is out of the ordinary the call is handed over, as a
 * struct fm_call, to the hook of its kind (hooks.h), which knows every case. */
#ifndef FM_MEASURE_MPI_QUICK_H
#define FM_MEASURE_MPI_QUICK_H

#include "measure/mpi/hooks.h"

struct fm_quick {
    struct fm_local *local;
    struct fm_thread *self; /* kept: in a child that is forked in a callback, local has none */
    uint64_t start;         /* ticks */
    uint64_t site_region;
    struct fm_request *request;
};

/* false, and nothing has begun: fm_call_enter decides. (A forked child, whose slot is empty, knows no site, nor do
 * threads that share a slot.) */
FM_INLINE bool fm_quick_begin(struct fm_quick *quick, unsigned routine, struct fm_frame frame)
{
    struct fm_local *local = &fm_local;
    __asm__("" : "+r"(local)); /* found once: it is cheaper to keep than the two parts of its address */
    struct fm_thread *self = local->self;
    if (FM_UNLIKELY(!self || local->guard))
        return false;
    uintptr_t site;
    if (FM_UNLIKELY(!fm_site_quick(self, frame, &site)))
        return false;
    local->guard = frame.sp;
    quick->local = local;
    quick->self = self;
    quick->site_region = fm_site_region(self, site);
    quick->start = fm_call_note(self, routine, site);
    return true;
}

FM_INLINE uint64_t fm_quick_ns(const struct fm_quick *quick)
{
    return fm_clock_to_ns(&fm_rt.clock, fm_clock_ticks(&fm_rt.clock) - quick->start);
}

/* The call as the hooks know it. */
FM_INLINE void fm_quick_hand_over(const struct fm_quick *quick, unsigned routine, bool is_pmpi, uint64_t ns,
                                  struct fm_call *call)
{
    fm_call_set(call, quick->self, routine, is_pmpi, quick->site_region, quick->start);
    call->ns = ns;
}

/* false: the key is new, or measuring is paused. */
FM_INLINE bool fm_quick_finish(const struct fm_quick *quick, unsigned routine, uint32_t peer, unsigned size_bin,
                               const struct fm_sample *sample)
{
    struct fm_thread *self = quick->self;
    struct fm_key key = {peer, (uint16_t)routine, 0, (uint8_t)self->slot, quick->site_region};
    struct fm_entry *entry = fm_table_known(fm_key_words(&key), size_bin);
    if (FM_UNLIKELY(!entry))
        return false;
    self->seg->call_routine = 0;
    quick->local->guard = 0;
    fm_entry_add(entry, sample);
    return true;
}

/* ---- without data ---- */

FM_INLINE void fm_quick_after_plain(const struct fm_quick *quick, unsigned routine, bool is_pmpi, int result,
                                    fm_word comm)
{
    struct fm_sample sample = {.ns = fm_quick_ns(quick)};
    if (FM_LIKELY(fm_quick_finish(quick, routine, FM_PEER_NONE, FM_SIZE_NONE, &sample)))
        return;
    struct fm_call call;
    fm_quick_hand_over(quick, routine, is_pmpi, sample.ns, &call);
    fm_after_plain(&call, result, comm);
}

/* ---- messages ---- */

/* Puts our status in the place of an ignored one, so that the length is known. */
FM_INLINE void fm_quick_before_receive(const struct fm_quick *quick, fm_word *status, void *own)
{
    (void)quick;
    if (*status == fm_abi.status_ignore)
        *status = (fm_word)own;
}

/* To a partner of known rank, with a datatype of known size. */
FM_INLINE bool fm_quick_sent(const struct fm_quick *quick, unsigned routine, uint64_t ns, int result, int64_t count,
                             fm_word type, int32_t dest, fm_word comm, uint64_t received)
{
    const struct fm_comm *known;
    const struct fm_type *sized;
    if (FM_UNLIKELY(!fm_both_known(comm, &known, type, &sized) || !known->identity || (dest | count) < 0 ||
                    result != 0))
        return false;
    uint64_t bytes = (uint64_t)count * sized->bytes;
    struct fm_sample sample = {ns, (uint64_t)count, bytes, bytes, received, 1};
    return fm_quick_finish(quick, routine, (uint32_t)dest, fm_size_bin(bytes), &sample);
}

FM_INLINE void fm_quick_after_send(const struct fm_quick *quick, unsigned routine, bool is_pmpi, int result,
                                   int64_t count, fm_word type, int32_t dest, fm_word comm)
{
    uint64_t ns = fm_quick_ns(quick);
    if (FM_LIKELY(fm_quick_sent(quick, routine, ns, result, count, type, dest, comm, 0)))
        return;
    struct fm_call call;
    fm_quick_hand_over(quick, routine, is_pmpi, ns, &call);
    fm_after_send(&call, result, count, type, dest, comm);
}

FM_INLINE void fm_quick_before_sendrecv(const struct fm_quick *quick, fm_word *status, void *own)
{
    fm_quick_before_receive(quick, status, own);
}

FM_INLINE void fm_quick_after_sendrecv(const struct fm_quick *quick, unsigned routine, bool is_pmpi, int result,
                                       int64_t count, fm_word type, int32_t dest, fm_word comm, fm_word status)
{
    uint64_t ns = fm_quick_ns(quick);
    if (FM_LIKELY(result == 0) && FM_LIKELY(fm_quick_sent(quick, routine, ns, result, count, type, dest, comm,
                                                          fm_status_length((const void *)status))))
        return;
    struct fm_call call;
    fm_quick_hand_over(quick, routine, is_pmpi, ns, &call);
    call.statuses = status;
    fm_after_sendrecv(&call, result, count, type, dest, comm);
}

FM_INLINE void fm_quick_after_receive(const struct fm_quick *quick, unsigned routine, bool is_pmpi, int result,
                                      int64_t count, int32_t source, fm_word comm, fm_word status)
{
    uint64_t ns = fm_quick_ns(quick);
    const struct fm_comm *known;
    if (FM_LIKELY(result == 0 && fm_comm_known(comm, &known) && known->identity && count >= 0)) {
        int32_t from = source >= 0 ? source : fm_status_source((const void *)status);
        struct fm_outcome outcome = fm_status_outcome((const void *)status);
        struct fm_sample sample = {ns, (uint64_t)count, outcome.bytes, 0, outcome.bytes, 1};
        if (FM_LIKELY(from >= 0 && !outcome.cancelled) &&
            FM_LIKELY(fm_quick_finish(quick, routine, (uint32_t)from, fm_size_bin(outcome.bytes), &sample)))
            return;
    }
    struct fm_call call;
    fm_quick_hand_over(quick, routine, is_pmpi, ns, &call);
    call.statuses = status;
    fm_after_receive(&call, result, count, source, comm);
}

/* Followed in its first place, if that is free. */
FM_INLINE void fm_quick_after_post_receive(const struct fm_quick *quick, unsigned routine, bool is_pmpi, int result,
                                           int64_t count, int32_t source, fm_word comm, fm_word request)
{
    uint64_t ns = fm_quick_ns(quick);
    struct fm_thread *self = quick->self;
    const struct fm_comm *known;
    fm_word handle = result == 0 ? fm_handle_at(request, 0) : fm_abi.request_null;
    struct fm_request *to = fm_request_bucket(handle, 0);
    if (FM_LIKELY(handle != fm_abi.request_null && fm_comm_known(comm, &known) && known->identity &&
                  (source | count) >= 0 && count <= INT32_MAX && !to->handle && !fm_rt.careful)) {
        to->site_region = quick->site_region;
        to->duration_ns = ns;
        to->peer = (uint32_t)source;
        to->routine = (uint16_t)routine;
        to->kind = FM_REQUEST_RECEIVE;
        to->thread = (uint8_t)self->slot;
        to->count_argument = (uint32_t)count;
        to->claimed = 0;
        fm_request_mark(to, handle);
        self->seg->call_routine = 0;
        quick->local->guard = 0;
        return;
    }
    struct fm_call call;
    fm_quick_hand_over(quick, routine, is_pmpi, ns, &call);
    fm_after_post_receive(&call, result, count, source, comm, request);
}

/* ---- completion ---- */

FM_INLINE void fm_quick_before_wait(struct fm_quick *quick, fm_word request, fm_word *status, void *own)
{
    quick->request = NULL;
    if (!request || !(quick->request = fm_request_find(quick->self, fm_handle_at(request, 0))))
        return;
    if (*status == fm_abi.status_ignore)
        *status = (fm_word)own;
}

FM_INLINE void fm_quick_after_wait(const struct fm_quick *quick, unsigned routine, bool is_pmpi, int result,
                                   fm_word status)
{
    struct fm_sample sample = {.ns = fm_quick_ns(quick)};
    if (quick->request && FM_LIKELY(result == 0))
        fm_request_end(quick->self, quick->request, (const void *)status);
    else if (quick->request)
        fm_request_end_any(quick->self, quick->request, NULL);
    if (FM_LIKELY(fm_quick_finish(quick, routine, FM_PEER_NONE, FM_SIZE_NONE, &sample)))
        return;
    struct fm_call call;
    fm_quick_hand_over(quick, routine, is_pmpi, sample.ns, &call);
    fm_after_count(&call, result, 0);
}

FM_INLINE void fm_quick_before_test(struct fm_quick *quick, fm_word request, fm_word *status, void *own)
{
    fm_quick_before_wait(quick, request, status, own);
}

FM_INLINE void fm_quick_after_test(struct fm_quick *quick, unsigned routine, bool is_pmpi, int result, fm_word request,
                                   fm_word flag, fm_word status)
{
    if (quick->request && FM_UNLIKELY(result != 0)) {
        fm_request_failed(quick->self, quick->request, fm_handle_at(request, 0));
        quick->request = NULL;
    } else if (quick->request && !*(const int *)flag) {
        fm_request_release(quick->request);
        quick->request = NULL;
    }
    fm_quick_after_wait(quick, routine, is_pmpi, result, status);
}

FM_INLINE bool fm_quick_find(struct fm_quick *quick, int64_t count, fm_word requests, bool wide)
{
    struct fm_thread *self = quick->self;
    const uint64_t slot = self->slot;
    struct fm_found *to = self->found;
    for (int64_t i = 0; i < count; i++) {
        fm_word handle = wide ? ((const fm_word *)requests)[i] : ((const uint32_t *)requests)[i];
        struct fm_request *request = fm_request_bucket(handle, 0);
        if (request->handle != handle)
            continue;
        if (FM_UNLIKELY(request->thread != slot || !handle))
            return false;
        to->request = request;
        to++->index = i;
    }
    self->n_found = (uint32_t)(to - self->found);
    return true;
}

/* The followed ones among its requests, if all are where they are looked for first; else false. */
FM_INLINE bool fm_quick_before_waitall(struct fm_quick *quick, int64_t count, fm_word requests, fm_word *statuses)
{
    if (FM_UNLIKELY((uint64_t)count > FM_SCRATCH_REQUESTS || !requests || fm_rt.requests_displaced))
        return false;
    bool fine = fm_abi.handle_bytes == sizeof(fm_word) ? fm_quick_find(quick, count, requests, true)
                                                       : fm_quick_find(quick, count, requests, false);
    if (FM_LIKELY(fine) && quick->self->n_found && *statuses == fm_abi.statuses_ignore)
        *statuses = (fm_word)quick->self->statuses;
    return fine;
}

FM_INLINE void fm_quick_after_waitall(const struct fm_quick *quick, unsigned routine, bool is_pmpi, int result,
                                      int64_t count, fm_word requests, fm_word statuses)
{
    struct fm_thread *self = quick->self;
    struct fm_sample sample = {.ns = fm_quick_ns(quick), .count_argument = count > 0 ? (uint64_t)count : 0};
    if (FM_LIKELY(result == 0)) {
        const struct fm_found *found = self->found, *end = found + quick->self->n_found;
        for (; found < end; found++)
            fm_request_end(self, found->request, fm_status_at(statuses, found->index));
        if (FM_LIKELY(fm_quick_finish(quick, routine, FM_PEER_NONE, FM_SIZE_NONE, &sample)))
            return;
    }
    struct fm_call call;
    fm_quick_hand_over(quick, routine, is_pmpi, sample.ns, &call);
    call.found = (struct fm_found_list){self->found, quick->self->n_found};
    call.follow = result != 0 && quick->self->n_found;
    call.statuses = statuses;
    fm_after_waitall(&call, result, count, requests);
}

/* ---- collectives ---- */

FM_INLINE void fm_quick_after_barrier(const struct fm_quick *quick, unsigned routine, bool is_pmpi, int result,
                                      fm_word comm)
{
    const struct fm_comm *known;
    struct fm_sample sample = {.ns = fm_quick_ns(quick)};
    if (FM_LIKELY(result == 0 && fm_comm_known(comm, &known)) &&
        FM_LIKELY(fm_quick_finish(quick, routine, (uint32_t)known->size, FM_SIZE_NONE, &sample)))
        return;
    struct fm_call call;
    fm_quick_hand_over(quick, routine, is_pmpi, sample.ns, &call);
    fm_after_barrier(&call, result, comm);
}

FM_INLINE void fm_quick_after_allreduce(const struct fm_quick *quick, unsigned routine, bool is_pmpi, int result,
                                        int64_t count, fm_word type, fm_word comm)
{
    const struct fm_comm *known;
    const struct fm_type *sized;
    uint64_t ns = fm_quick_ns(quick);
    if (FM_LIKELY(fm_both_known(comm, &known, type, &sized) && count >= 0 && result == 0)) {
        uint64_t bytes = (uint64_t)count * sized->bytes;
        struct fm_sample sample = {ns, (uint64_t)count, bytes, bytes, bytes, 0};
        if (FM_LIKELY(fm_quick_finish(quick, routine, (uint32_t)known->size, fm_size_bin(bytes), &sample)))
            return;
    }
    struct fm_call call;
    fm_quick_hand_over(quick, routine, is_pmpi, ns, &call);
    fm_after_allreduce(&call, result, count, type, comm);
}

#endif
