/* SPDX-License-Identifier: BSD-3-Clause */
/* The fast path of ordinary calls of frequent routines, inlined into their wrappers from entry to record: a call that
 * matches a memo of the thread (memo.h) updates the same entry, and nothing is called but MPI. Arguments are compared
 * with the memo before the real call, so that little has to be kept across it. Anything unusual is left to the hook of
 * its kind (hooks.h), which handles every case and creates memos. */
#ifndef FM_RUNTIME_MPI_FAST_PATH_H
#define FM_RUNTIME_MPI_FAST_PATH_H

#include "runtime/mpi/hooks.h"
#include "runtime/mpi/memo.h"
#include "runtime/mpi/succession.h"

struct fm_fast {
    struct fm_segment_thread *seg;
    struct fm_memo *memo;
    struct fm_thread *self;       /* before the call; wrong in a child that was forked meanwhile */
    struct fm_request *request;   /* of a call with one request */
    struct fm_found_request *end; /* end of the requests found, of a call with several */
};

/* Nothing has begun: leaves the call to fm_call_enter. */
FM_INLINE bool fm_fast_decline(void)
{
    fm_local.guard = 0;
    return false;
}

/* Finds the thread's memo of this site, routine and region. From here on the thread is in a call, so that calls made by
 * a signal handler leave memos as they are. Returns false if there is none; nothing has begun then. (A forked child has
 * an empty slot, and threads that share a slot have no memos.) */
FM_INLINE bool fm_fast_begin(struct fm_fast *fast, unsigned slot, struct fm_frame frame, uint32_t salt)
{
    struct fm_thread *self = fm_local.self;
    if (FM_UNLIKELY(!self || fm_local.guard))
        return false;
    struct fm_segment_thread *seg = self->seg;
    if (FM_UNLIKELY(!seg))
        return false;
    fm_local.guard = frame.sp;
    atomic_signal_fence(memory_order_seq_cst);
    uintptr_t site = fm_site_outside_binding(&fm_bindings[slot], frame);
    struct fm_memo *memo = fm_memo_find(self, site, seg->region, salt);
    seg->call_site = site;
    fast->self = self;
    fast->seg = seg;
    fast->memo = memo;
    return FM_LIKELY(memo && memo->key.routine == slot / 2 && fm_memo_holds(memo)) || fm_fast_decline();
}

/* The last step before the real call. */
FM_INLINE void fm_fast_start(const struct fm_fast *fast, unsigned slot)
{
    fast->seg->call_routine = slot / 2 + 1;
    fast->seg->call_start = fm_clock_counter();
}

FM_INLINE uint64_t fm_fast_ns_until(const struct fm_fast *fast, uint64_t end)
{
    uint64_t ns = fm_clock_to_ns(&fm_rt.clock, end - fast->seg->call_start);
    __asm__("" : "+r"(ns)); /* otherwise the full product is kept */
    return ns;
}

FM_INLINE uint64_t fm_fast_ns(const struct fm_fast *fast)
{
    return fm_fast_ns_until(fast, fm_clock_counter());
}

/* Slow paths. They are given copies, so that the originals can stay in registers. */

/* Fills in the call for the hooks. Returns false in a forked child, where there is nothing to do. */
__attribute__((noinline)) bool fm_fast_hand_over(struct fm_fast fast, unsigned slot, uint64_t ns, struct fm_call *call);
/* The call failed, or its memo is not valid any more. */
FM_COLD void fm_fast_finish_rarely(struct fm_fast fast, unsigned slot, int result, struct fm_event_data event);

/* After the real call: it succeeded, and the memo is still valid. */
FM_INLINE bool fm_fast_holds(const struct fm_fast *fast, int result)
{
    return FM_LIKELY(result == 0) && fm_memo_holds(fast->memo);
}

/* Records the call under the key of its memo. */
FM_INLINE void fm_fast_record(const struct fm_fast *fast, const struct fm_event_data *event)
{
    fast->seg->call_routine = 0;
    fm_local.mpi_ns += event->ns;
    fm_entry_add_event(fast->memo->entry, event, true);
}

/* Returns to the program: from here on memos may change. */
FM_INLINE void fm_fast_leave(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    fm_local.guard = 0;
}

FM_INLINE void fm_fast_finish(const struct fm_fast *fast, unsigned slot, int result, const struct fm_event_data *event)
{
    if (FM_UNLIKELY(!fm_fast_holds(fast, result))) {
        fm_fast_finish_rarely(*fast, slot, result, *event);
        return;
    }
    fm_fast_record(fast, event);
    fm_fast_leave();
}

/* ---- routines without data ---- */

FM_INLINE bool fm_fast_enter_plain(struct fm_fast *fast, unsigned slot, struct fm_frame frame)
{
    return fm_fast_begin(fast, slot, frame, 0);
}

FM_INLINE void fm_fast_after_plain(const struct fm_fast *fast, unsigned slot, int result)
{
    struct fm_event_data event = {.ns = fm_fast_ns(fast)};
    fm_fast_finish(fast, slot, result, &event);
}

/* ---- messages ---- */

FM_INLINE bool fm_fast_enter_send(struct fm_fast *fast, unsigned slot, struct fm_frame frame, int64_t count,
                                  fm_word type, int32_t dest, fm_word comm)
{
    if (FM_UNLIKELY(!fm_fast_begin(fast, slot, frame, fm_memo_salt(dest, (uint32_t)count))))
        return false;
    const struct fm_memo *memo = fast->memo;
    return FM_LIKELY(fm_memo_has_handles(memo, comm, type) && memo->partner == dest &&
                     fm_memo_has_count(memo, count)) ||
           fm_fast_decline();
}

FM_INLINE void fm_fast_after_send(const struct fm_fast *fast, unsigned slot, int result, int64_t count)
{
    uint64_t bytes = (uint64_t)count * fast->memo->item_bytes;
    struct fm_event_data event = {fm_fast_ns(fast), (uint64_t)count, bytes, bytes, 0, 1};
    fm_fast_finish(fast, slot, result, &event);
}

/* Substitutes our own status for MPI_STATUS_IGNORE, so that the length is known. */
FM_INLINE void fm_fast_own_status(fm_word *status, void *own)
{
    if (*status == fm_abi.status_ignore)
        *status = (fm_word)own;
}

FM_INLINE bool fm_fast_enter_sendrecv(struct fm_fast *fast, unsigned slot, struct fm_frame frame, int64_t count,
                                      fm_word type, int32_t dest, fm_word comm, fm_word *status, void *own)
{
    if (FM_UNLIKELY(!fm_fast_enter_send(fast, slot, frame, count, type, dest, comm)))
        return false;
    fm_fast_own_status(status, own);
    return true;
}

FM_INLINE void fm_fast_after_sendrecv(const struct fm_fast *fast, unsigned slot, int result, int64_t count,
                                      fm_word status)
{
    uint64_t ns = fm_fast_ns(fast), bytes = (uint64_t)count * fast->memo->item_bytes;
    uint64_t received = FM_LIKELY(result == 0) ? fm_status_outcome((const void *)status).bytes : 0;
    struct fm_event_data event = {ns, (uint64_t)count, bytes, bytes, received, 1};
    fm_fast_finish(fast, slot, result, &event);
}

FM_INLINE bool fm_fast_enter_receive(struct fm_fast *fast, unsigned slot, struct fm_frame frame, int32_t source,
                                     fm_word comm, fm_word *status, void *own)
{
    if (FM_UNLIKELY(!fm_fast_begin(fast, slot, frame, fm_memo_salt(source, 0))))
        return false;
    if (FM_UNLIKELY(!fm_memo_has_handles(fast->memo, comm, 0) || fast->memo->partner != source))
        return fm_fast_decline();
    fm_fast_own_status(status, own);
    return true;
}

/* Fast if the message is from the same rank and in the same size bin as the one before. */
FM_INLINE void fm_fast_after_receive(const struct fm_fast *fast, unsigned slot, int result, int64_t count,
                                     fm_word status)
{
    const struct fm_memo *memo = fast->memo;
    uint64_t ns = fm_fast_ns(fast);
    if (FM_LIKELY(fm_fast_holds(fast, result) && count >= 0)) {
        uint64_t bytes = fm_status_brief((const void *)status, fm_abi.kind);
        struct fm_event_data event = {ns, (uint64_t)count, bytes, 0, bytes, 1};
        if (fm_memo_has_length(memo, bytes) &&
            FM_LIKELY(memo->partner >= 0 || fm_status_source((const void *)status) == memo->source)) {
            fm_fast_record(fast, &event);
            fm_fast_leave();
            return;
        }
    }
    struct fm_call call;
    if (!fm_fast_hand_over(*fast, slot, ns, &call))
        return;
    call.statuses = status;
    fm_after_receive(&call, result, count, memo->partner, memo->comm);
}

FM_INLINE bool fm_fast_enter_post_receive(struct fm_fast *fast, unsigned slot, struct fm_frame frame, int64_t count,
                                          int32_t source, fm_word comm)
{
    if (FM_UNLIKELY(!fm_fast_begin(fast, slot, frame, fm_memo_salt(source, 0))))
        return false;
    return FM_LIKELY(fm_memo_has_handles(fast->memo, comm, 0) && fast->memo->partner == source && count >= 0) ||
           fm_fast_decline();
}

/* The request and its first slot. Returns false if the request is null or the slot is not free. */
FM_INLINE bool fm_fast_place(fm_word request, fm_word *handle, struct fm_request **place)
{
    *handle = fm_handle_at(request, 0);
    *place = fm_request_bucket(*handle, 0);
    return *handle != fm_abi.request_null && !(*place)->handle;
}

FM_INLINE void fm_fast_after_post_receive(const struct fm_fast *fast, unsigned slot, int result, int64_t count,
                                          fm_word request)
{
    const struct fm_memo *memo = fast->memo;
    uint64_t ns = fm_fast_ns(fast);
    struct fm_request *to;
    fm_word handle;
    if (FM_LIKELY(fm_fast_holds(fast, result) && fm_fast_place(request, &handle, &to))) {
        to->site_region = memo->key.site_region;
        to->duration_ns = ns;
        __builtin_memcpy(&to->peer, &memo->key, sizeof(uint64_t)); /* the kind is where a key has the size bin */
        to->count_argument = (uint32_t)count;
        to->claimed = 0;
        to->memo = (uint32_t)((const char *)memo - (const char *)fm_local.self);
        fm_request_mark(to, handle);
        fast->seg->call_routine = 0;
        fm_local.mpi_ns += ns;
        fm_fast_leave();
        return;
    }
    struct fm_call call;
    if (fm_fast_hand_over(*fast, slot, ns, &call))
        fm_after_post_receive(&call, result, count, memo->partner, memo->comm, request);
}

/* ---- completion ---- */

FM_INLINE bool fm_fast_enter_wait(struct fm_fast *fast, unsigned slot, struct fm_frame frame, fm_word request,
                                  fm_word *status, void *own)
{
    if (FM_UNLIKELY(!fm_fast_begin(fast, slot, frame, 0)))
        return false;
    fast->request = request ? fm_request_find(fast->self, fm_handle_at(request, 0)) : NULL;
    if (fast->request)
        fm_fast_own_status(status, own);
    return true;
}

/* As fm_fast_hand_over, for a call with one request. */
FM_INLINE bool fm_fast_hand_over_request(const struct fm_fast *fast, unsigned slot, uint64_t ns, fm_word status,
                                         struct fm_call *call)
{
    if (!fm_fast_hand_over(*fast, slot, ns, call))
        return false;
    call->request = fast->request;
    call->statuses = status;
    return true;
}

FM_INLINE void fm_fast_after_wait(const struct fm_fast *fast, unsigned slot, int result, fm_word status)
{
    struct fm_event_data event = {.ns = fm_fast_ns(fast)};
    if (FM_LIKELY(fm_fast_holds(fast, result))) {
        fm_fast_record(fast, &event);
        if (fast->request)
            fm_request_end(fm_local.self, fast->request, (const void *)status, fm_abi.kind);
        fm_fast_leave();
        return;
    }
    struct fm_call call;
    if (fm_fast_hand_over_request(fast, slot, event.ns, status, &call))
        fm_after_wait(&call, result);
}

FM_INLINE bool fm_fast_enter_test(struct fm_fast *fast, unsigned slot, struct fm_frame frame, fm_word request,
                                  fm_word *status, void *own)
{
    return fm_fast_enter_wait(fast, slot, frame, request, status, own);
}

FM_INLINE void fm_fast_after_test(const struct fm_fast *fast, unsigned slot, int result, fm_word request, fm_word flag,
                                  fm_word status)
{
    struct fm_event_data event = {.ns = fm_fast_ns(fast)};
    if (FM_LIKELY(fm_fast_holds(fast, result))) {
        fm_fast_record(fast, &event);
        if (fast->request && *(const int *)flag)
            fm_request_end(fm_local.self, fast->request, (const void *)status, fm_abi.kind);
        else if (fast->request)
            fm_request_release(fast->request);
        fm_fast_leave();
        return;
    }
    struct fm_call call;
    if (fm_fast_hand_over_request(fast, slot, event.ns, status, &call))
        fm_after_test(&call, result, request, flag);
}

/* Finds the tracked requests in a list, none of which may be displaced. Returns the end of those found, or NULL if a
 * handle is 0, which would match an empty slot. */
FM_INLINE struct fm_found_request *fm_fast_find(struct fm_thread *self, uint32_t count, fm_word requests, bool wide)
{
    struct fm_found_request *to = self->found;
    for (uint32_t i = 0; i < count; i++) {
        fm_word handle = wide ? ((const fm_word *)requests)[i] : ((const uint32_t *)requests)[i];
        struct fm_request *request = fm_request_bucket(handle, 0);
        if (request->handle != handle)
            continue;
        if (FM_UNLIKELY(!handle))
            return NULL;
        to->request = request;
        to++->index = i;
    }
    return to;
}

FM_INLINE bool fm_fast_enter_waitall(struct fm_fast *fast, unsigned slot, struct fm_frame frame, int32_t count,
                                     fm_word requests, fm_word *statuses)
{
    if (FM_UNLIKELY(!fm_fast_begin(fast, slot, frame, 0)))
        return false;
    if (FM_UNLIKELY((uint32_t)count > FM_SCRATCH_REQUESTS || !requests || fm_rt.requests_displaced))
        return fm_fast_decline();
    struct fm_thread *self = fast->self;
    fast->end = fm_abi.handle_bytes == sizeof(fm_word) ? fm_fast_find(self, (uint32_t)count, requests, true)
                                                       : fm_fast_find(self, (uint32_t)count, requests, false);
    if (FM_UNLIKELY(!fast->end))
        return fm_fast_decline();
    if (fast->end != self->found && *statuses == fm_abi.statuses_ignore)
        *statuses = (fm_word)self->statuses;
    return true;
}

FM_INLINE void fm_fast_end_all(const struct fm_found_request *end, fm_word statuses, enum fm_mpi_kind kind)
{
    struct fm_thread *self = fm_local.self;
    const size_t bytes = fm_abi.status_bytes;
    for (const struct fm_found_request *found = self->found; found < end; found++)
        fm_request_end(self, found->request, (const char *)statuses + (size_t)found->index * bytes, kind);
}

FM_INLINE void fm_fast_after_waitall(const struct fm_fast *fast, unsigned slot, int result, int32_t count,
                                     fm_word requests, fm_word statuses)
{
    struct fm_event_data event = {.ns = fm_fast_ns(fast), .count_argument = (uint32_t)count};
    if (FM_LIKELY(fm_fast_holds(fast, result))) {
        fm_fast_record(fast, &event);
        if (fm_abi.kind == FM_MPI_OPENMPI)
            fm_fast_end_all(fast->end, statuses, FM_MPI_OPENMPI);
        else
            fm_fast_end_all(fast->end, statuses, FM_MPI_MPICH);
        fm_fast_leave();
        return;
    }
    struct fm_call call;
    if (!fm_fast_hand_over(*fast, slot, event.ns, &call))
        return;
    call.found = (struct fm_found_requests){call.self->found, (uint32_t)(fast->end - call.self->found)};
    call.follow = call.found.n != 0;
    call.statuses = statuses;
    fm_after_waitall(&call, result, count, requests);
}

/* ---- collectives ---- */

FM_INLINE bool fm_fast_enter_barrier(struct fm_fast *fast, unsigned slot, struct fm_frame frame, fm_word comm)
{
    if (FM_UNLIKELY(!fm_fast_begin(fast, slot, frame, 0)))
        return false;
    return FM_LIKELY(fm_memo_has_handles(fast->memo, comm, 0)) || fm_fast_decline();
}

FM_INLINE void fm_fast_after_barrier(const struct fm_fast *fast, unsigned slot, int result)
{
    fm_fast_after_plain(fast, slot, result);
}

FM_INLINE bool fm_fast_enter_allreduce(struct fm_fast *fast, unsigned slot, struct fm_frame frame, int64_t count,
                                       fm_word type, fm_word comm)
{
    if (FM_UNLIKELY(!fm_fast_begin(fast, slot, frame, fm_memo_salt(0, (uint32_t)count))))
        return false;
    return FM_LIKELY(fm_memo_has_handles(fast->memo, comm, type) && fm_memo_has_count(fast->memo, count)) ||
           fm_fast_decline();
}

/* The reductions of which successive calls are counted (succession.h) are known when a wrapper is compiled; scans and
 * nonblocking reductions are not among them. */
FM_INLINE void fm_fast_start_allreduce(const struct fm_fast *fast, unsigned slot)
{
    const unsigned which = fm_reduction_of(slot / 2);
    if (which < FM_REDUCTIONS)
        fm_reduction_begin(fast->self, which, fast->seg->call_start);
    fm_fast_start(fast, slot);
    if (which < FM_REDUCTIONS)
        fast->self->reductions[which].start = fast->seg->call_start;
}

FM_INLINE void fm_fast_after_allreduce(const struct fm_fast *fast, unsigned slot, int result, int64_t count)
{
    const unsigned which = fm_reduction_of(slot / 2);
    uint64_t bytes = (uint64_t)count * fast->memo->item_bytes, end = fm_clock_counter();
    struct fm_event_data event = {fm_fast_ns_until(fast, end), (uint64_t)count, bytes, bytes, bytes, 0};
    if (FM_UNLIKELY(!fm_fast_holds(fast, result))) {
        fm_fast_finish_rarely(*fast, slot, result, event);
        return;
    }
    if (which < FM_REDUCTIONS)
        fm_reduction_end(fast->self, which, fast->memo, end);
    fm_fast_record(fast, &event);
    fm_fast_leave();
}

#endif
