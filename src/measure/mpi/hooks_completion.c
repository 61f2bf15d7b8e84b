/* Completion of requests. A wait itself has no bytes; the receives that it completes are recorded under the routine
 * that posted them (see requests.h). While nothing is followed, a wait costs no more than its own record. */
#include <string.h>

#include "measure/mpi/hooks.h"
#include "measure/mpi/requests.h"

static void finish(struct fm_call *call, int64_t count)
{
    struct fm_sample sample = {.ns = call->ns, .count_argument = count > 0 ? (uint64_t)count : 0};
    fm_call_record(call, FM_PEER_NONE, FM_SIZE_NONE, &sample);
    fm_call_leave(call);
}

static inline bool nothing_followed(void)
{
    return atomic_load_explicit(&fm_requests_followed, memory_order_relaxed) == 0;
}

/* ---- one request ---- */

static inline void before_one(struct fm_call *call, fm_word request, fm_word *status)
{
    if (nothing_followed() || !request)
        return;
    call->handle = fm_handle_at(request, 0);
    call->follow = true;
    fm_own_status(call, status);
}

void fm_before_wait(struct fm_call *call, fm_word request, fm_word *status)
{
    before_one(call, request, status);
}

void fm_after_wait(struct fm_call *call, int result)
{
    if (call->follow)
        fm_request_completed(call->self, call->handle, result == 0 ? (const void *)call->statuses : NULL);
    finish(call, 0);
}

void fm_before_test(struct fm_call *call, fm_word request, fm_word *status)
{
    before_one(call, request, status);
}

void fm_after_test(struct fm_call *call, int result, fm_word flag)
{
    if (call->follow && result == 0 && *(const int *)flag)
        fm_request_completed(call->self, call->handle, (const void *)call->statuses);
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
    uint32_t slot;
    if (call->follow && result == 0 && fm_request_find(call->handle, &request, &slot)) {
        if (request.kind == FM_REQUEST_RECEIVE)
            fm_request_completed(call->self, call->handle, NULL);
        else
            fm_request_remove(slot, call->handle);
    }
    finish(call, 0);
}

/* ---- many requests ---- */

/* The handles are kept, because the call sets them to null. */
static void before_many(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses, bool one_status)
{
    if (nothing_followed() || count <= 0 || count > FM_SCRATCH_REQUESTS || call->self->shared || !requests)
        return;
    for (int64_t i = 0; i < count; i++)
        call->self->handles[i] = fm_handle_at(requests, i);
    call->follow = true;
    if (one_status) {
        fm_own_status(call, statuses);
    } else {
        if (*statuses == fm_abi.statuses_ignore) {
            *statuses = (fm_word)call->self->statuses;
            call->own_statuses = true;
        }
        call->statuses = *statuses;
    }
}

/* With ignored statuses Open MPI returns the error itself, with ours it says "look into the statuses". */
static void mend_result(struct fm_call *call, int result, int64_t n)
{
    if (!call->own_statuses || result != fm_abi.err_in_status || fm_abi.kind != FM_MPI_OPENMPI)
        return;
    for (int64_t i = 0; i < n; i++) {
        int error = fm_status_error(fm_status_at(call->statuses, i));
        if (error != 0) {
            call->replace_result = true;
            call->replaced_result = error;
            return;
        }
    }
}

static void complete_all(struct fm_call *call, int result, int64_t count)
{
    bool each = result == fm_abi.err_in_status;
    for (int64_t i = 0; i < count; i++) {
        const void *status = fm_status_at(call->statuses, i);
        if (result == 0 || (each && fm_status_error(status) == 0))
            fm_request_completed(call->self, call->self->handles[i], status);
    }
}

void fm_before_waitall(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses)
{
    before_many(call, count, requests, statuses, false);
}

void fm_after_waitall(struct fm_call *call, int result, int64_t count)
{
    if (call->follow) {
        complete_all(call, result, count);
        mend_result(call, result, count);
    }
    finish(call, count);
}

void fm_before_testall(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses)
{
    before_many(call, count, requests, statuses, false);
}

void fm_after_testall(struct fm_call *call, int result, int64_t count, fm_word flag)
{
    if (call->follow && *(const int *)flag) {
        complete_all(call, result, count);
        mend_result(call, result, count);
    }
    finish(call, count);
}

void fm_before_waitany(struct fm_call *call, int64_t count, fm_word requests, fm_word *status)
{
    before_many(call, count, requests, status, true);
}

void fm_after_waitany(struct fm_call *call, int result, int64_t count, fm_word index)
{
    int at = *(const int *)index;
    if (call->follow && result == 0 && at >= 0 && at < count)
        fm_request_completed(call->self, call->self->handles[at], (const void *)call->statuses);
    finish(call, count);
}

void fm_before_testany(struct fm_call *call, int64_t count, fm_word requests, fm_word *status)
{
    before_many(call, count, requests, status, true);
}

void fm_after_testany(struct fm_call *call, int result, int64_t count, fm_word index, fm_word flag)
{
    call->follow = call->follow && *(const int *)flag;
    fm_after_waitany(call, result, count, index);
}

void fm_before_waitsome(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses)
{
    before_many(call, count, requests, statuses, false);
}

void fm_after_waitsome(struct fm_call *call, int result, int64_t count, fm_word outcount, fm_word indices)
{
    int64_t n = *(const int *)outcount; /* MPI_UNDEFINED, which is negative, when there was nothing to wait for */
    bool each = result == fm_abi.err_in_status;
    for (int64_t i = 0; call->follow && i < n && i < count; i++) {
        int at = ((const int *)indices)[i];
        const void *status = fm_status_at(call->statuses, i);
        if (at >= 0 && at < count && (result == 0 || (each && fm_status_error(status) == 0)))
            fm_request_completed(call->self, call->self->handles[at], status);
    }
    if (call->follow && n > 0)
        mend_result(call, result, n);
    finish(call, count);
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

static bool find_send(fm_word handle, struct fm_request *request)
{
    uint32_t slot;
    return !nothing_followed() && fm_request_find(handle, request, &slot) &&
           request->kind == FM_REQUEST_PERSISTENT_SEND;
}

void fm_after_start(struct fm_call *call, int result, fm_word request)
{
    struct fm_request send;
    if (result != 0 || !find_send(fm_handle_at(request, 0), &send)) {
        finish(call, 0);
        return;
    }
    struct fm_sample sample = {call->ns, 0, send.bytes, send.bytes, 0, 1};
    fm_call_record(call, send.peer, fm_size_bin(send.bytes), &sample);
    fm_call_leave(call);
}

void fm_after_startall(struct fm_call *call, int result, int64_t count, fm_word requests)
{
    for (int64_t i = 0; result == 0 && i < count; i++) {
        struct fm_request send;
        if (!find_send(fm_handle_at(requests, i), &send))
            continue;
        struct fm_sample sample = {0, 0, send.bytes, send.bytes, 0, 1};
        struct fm_key key = {send.peer, call->routine, (uint8_t)fm_size_bin(send.bytes), (uint8_t)call->self->slot,
                             call->site_region};
        fm_record_message(call->self, key, &sample);
    }
    finish(call, count);
}
