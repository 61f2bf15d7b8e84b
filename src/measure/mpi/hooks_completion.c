/* Completion of requests. A wait itself has no bytes; the receives that it completes are recorded under the routine
 * that posted them (see requests.h). While nothing is followed, a wait costs no more than its own record. */
#include <string.h>

#include "measure/mpi/hooks.h"
#include "measure/mpi/requests.h"

FM_INLINE void finish(struct fm_call *call, int64_t count)
{
    struct fm_sample sample = {.ns = call->ns, .count_argument = count > 0 ? (uint64_t)count : 0};
    fm_call_finish(call, FM_PEER_NONE, FM_SIZE_NONE, &sample);
}

/* ---- one request ---- */

__attribute__((noinline)) static void end_one(struct fm_call *call, const void *status)
{
    fm_request_end(call->self, call->handle, status);
    finish(call, 0);
}

void fm_after_wait(struct fm_call *call, int result)
{
    if (call->follow)
        end_one(call, result == 0 ? (const void *)call->statuses : NULL);
    else
        finish(call, 0);
}

void fm_after_test(struct fm_call *call, int result, fm_word flag)
{
    if (call->follow && result == 0 && *(const int *)flag)
        end_one(call, (const void *)call->statuses);
    else
        finish(call, 0);
}

void fm_before_request_free(struct fm_call *call, fm_word request)
{
    if (request)
        call->handle = fm_handle_at(request, 0);
    call->follow = request != 0;
}

/* A receive that is given up is recorded without its length. */
void fm_after_request_free(struct fm_call *call, int result)
{
    struct fm_request request;
    if (call->follow && result == 0 && fm_request_take(call->self, call->handle, true, &request) &&
        request.kind == FM_REQUEST_RECEIVE)
        fm_request_record(call->self, &request, NULL);
    finish(call, 0);
}

/* ---- many requests ---- */

/* For calls with more requests than a thread's own scratch holds, and for threads that share a slot: one for the
 * process, for one call at a time. Its owner is known by the address of its guard. */
enum { LARGE = 16384 };
static struct {
    uintptr_t owner;
    uintptr_t handles[LARGE];
    _Alignas(8) char statuses[LARGE][FM_STATUS_BYTES];
} large;

__attribute__((noinline)) static bool take_large_scratch(struct fm_call *call, int64_t count, void **statuses)
{
    uintptr_t nobody = 0;
    if (count > LARGE || !__atomic_compare_exchange_n(&large.owner, &nobody, (uintptr_t)&fm_guard, false,
                                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return false;
    call->large_scratch = true;
    call->handles = large.handles;
    *statuses = large.statuses;
    return true;
}

FM_INLINE bool take_scratch(struct fm_call *call, int64_t count, void **statuses)
{
    struct fm_thread *self = call->self;
    if (FM_UNLIKELY(count > FM_SCRATCH_REQUESTS || self->shared))
        return take_large_scratch(call, count, statuses);
    call->handles = self->handles;
    *statuses = self->statuses;
    return true;
}

void fm_scratch_abandoned(void)
{
    if (__atomic_load_n(&large.owner, __ATOMIC_RELAXED) == (uintptr_t)&fm_guard)
        __atomic_store_n(&large.owner, 0, __ATOMIC_RELEASE);
}

FM_INLINE void finish_many(struct fm_call *call, int64_t count)
{
    if (FM_UNLIKELY(call->large_scratch))
        __atomic_store_n(&large.owner, 0, __ATOMIC_RELEASE);
    finish(call, count);
}

FM_INLINE void keep_handles(fm_word *to, fm_word requests, int64_t count)
{
    if (fm_abi.handle_bytes == sizeof *to) {
        for (int64_t i = 0; i < count; i++)
            to[i] = ((const fm_word *)requests)[i];
        return;
    }
    for (int64_t i = 0; i < count; i++)
        to[i] = ((const uint32_t *)requests)[i];
}

/* The handles are kept, because the call sets them to null. false: there is no room for them. */
FM_INLINE bool before_many(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses, bool one_status)
{
    void *own;
    if (!fm_requests_any() || count <= 0 || !requests)
        return true;
    if (!take_scratch(call, count, &own))
        return false;
    keep_handles(call->handles, requests, count);
    call->follow = true;
    if (one_status) {
        fm_own_status(call, statuses);
        return true;
    }
    if (*statuses == fm_abi.statuses_ignore)
        *statuses = (fm_word)own;
    call->statuses = *statuses;
    return true;
}

/* Whether the call told anything of its requests. */
static bool has_answer(const struct fm_call *call, int result)
{
    return call->follow && (result == 0 || result == fm_abi.err_in_status);
}

/* One of the requests of a call that gave an answer: done, failed (then without a length) or still pending. */
FM_INLINE void complete(struct fm_call *call, int result, fm_word handle, const void *status)
{
    if (result == 0 || !fm_status_pending(status))
        fm_request_completed(call->self, handle, result == 0 || fm_status_error(status) == 0 ? status : NULL);
}

FM_INLINE void complete_all(struct fm_call *call, int result, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        complete(call, result, call->handles[i], fm_status_at(call->statuses, i));
}

__attribute__((noinline)) static void end_without_lengths(const struct fm_call *call, int64_t count, fm_word requests)
{
    for (int64_t i = 0; i < count; i++)
        fm_request_completed(call->self, fm_handle_at(requests, i), NULL);
}

/* Without room for the handles, the requests, which will be gone afterwards, are recorded now, without lengths. */
void fm_before_waitall(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses)
{
    if (FM_UNLIKELY(!before_many(call, count, requests, statuses, false)))
        end_without_lengths(call, count, requests);
}

void fm_after_waitall(struct fm_call *call, int result, int64_t count)
{
    if (has_answer(call, result))
        complete_all(call, result, count);
    finish_many(call, count);
}

void fm_before_testall(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses)
{
    before_many(call, count, requests, statuses, false);
}

void fm_after_testall(struct fm_call *call, int result, int64_t count, fm_word flag)
{
    if (has_answer(call, result) && (result != 0 || *(const int *)flag))
        complete_all(call, result, count);
    finish_many(call, count);
}

void fm_before_waitany(struct fm_call *call, int64_t count, fm_word requests, fm_word *status)
{
    before_many(call, count, requests, status, true);
}

void fm_after_waitany(struct fm_call *call, int result, int64_t count, fm_word index)
{
    int at = call->follow && result == 0 ? *(const int *)index : -1; /* MPI_UNDEFINED is negative */
    if (at >= 0 && at < count)
        fm_request_completed(call->self, call->handles[at], (const void *)call->statuses);
    finish_many(call, count);
}

void fm_before_testany(struct fm_call *call, int64_t count, fm_word requests, fm_word *status)
{
    before_many(call, count, requests, status, true);
}

void fm_after_testany(struct fm_call *call, int result, int64_t count, fm_word index, fm_word flag)
{
    call->follow = call->follow && result == 0 && *(const int *)flag;
    fm_after_waitany(call, result, count, index);
}

void fm_before_waitsome(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses)
{
    before_many(call, count, requests, statuses, false);
}

void fm_after_waitsome(struct fm_call *call, int result, int64_t count, fm_word outcount, fm_word indices)
{
    int64_t n = has_answer(call, result) ? *(const int *)outcount : 0; /* MPI_UNDEFINED is negative */
    for (int64_t i = 0; i < n && i < count; i++) {
        int at = ((const int *)indices)[i];
        if (at >= 0 && at < count)
            complete(call, result, call->handles[at], fm_status_at(call->statuses, i));
    }
    finish_many(call, count);
}

void fm_before_testsome(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses)
{
    fm_before_waitsome(call, count, requests, statuses);
}

void fm_after_testsome(struct fm_call *call, int result, int64_t count, fm_word outcount, fm_word indices)
{
    fm_after_waitsome(call, result, count, outcount, indices);
}

/* ---- starting persistent requests ---- */

static bool find_send(const struct fm_call *call, fm_word handle, struct fm_request *request)
{
    return fm_requests_any() && fm_request_start(call, handle, request);
}

void fm_after_start(struct fm_call *call, int result, fm_word request)
{
    struct fm_request send;
    if (result != 0 || !find_send(call, fm_handle_at(request, 0), &send)) {
        finish(call, 0);
        return;
    }
    struct fm_sample sample = {call->ns, 0, send.bytes, send.bytes, 0, 1};
    fm_call_finish(call, send.peer, fm_size_bin(send.bytes), &sample);
}

void fm_after_startall(struct fm_call *call, int result, int64_t count, fm_word requests)
{
    for (int64_t i = 0; result == 0 && i < count; i++) {
        struct fm_request send;
        if (!find_send(call, fm_handle_at(requests, i), &send))
            continue;
        struct fm_sample sample = {0, 0, send.bytes, send.bytes, 0, 1};
        struct fm_key key = {send.peer, call->routine, (uint8_t)fm_size_bin(send.bytes), (uint8_t)call->self->slot,
                             call->site_region};
        fm_record_message(call->self, key, &sample);
    }
    finish(call, count);
}
