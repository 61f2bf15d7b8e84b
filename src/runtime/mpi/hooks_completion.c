/* SPDX-License-Identifier: BSD-3-Clause */
/* Completion of requests. A wait itself has no bytes; the receives that it completes are recorded under the routine
 * that posted them (see requests.h). */
#include <string.h>

#include "runtime/mpi/hooks.h"
#include "runtime/mpi/memo.h"
#include "runtime/mpi/requests.h"
#include "runtime/mpi/scratch.h"

static void finish(struct fm_call *call, int64_t count)
{
    struct fm_event_data event = {.ns = call->ns, .count_argument = count > 0 ? (uint64_t)count : 0};
    fm_call_finish_known(call, FM_PEER_NONE, FM_SIZE_NONE, &event, (struct fm_memo){0}, 0);
}

/* ---- one request ---- */

void fm_before_wait(struct fm_call *call, fm_word request, fm_word *status)
{
    call->request = request ? fm_request_find(call->self, fm_handle_at(request, 0)) : NULL;
    if (call->request)
        fm_own_status(call, status);
}

void fm_after_wait(struct fm_call *call, int result)
{
    if (call->request)
        fm_request_end_any(call->self, call->request, result == 0 ? (const void *)call->statuses : NULL);
    finish(call, 0);
}

void fm_before_test(struct fm_call *call, fm_word request, fm_word *status)
{
    fm_before_wait(call, request, status);
}

void fm_after_test(struct fm_call *call, int result, fm_word request, fm_word flag)
{
    if (call->request && result != 0)
        fm_request_failed(call->self, call->request, fm_handle_at(request, 0));
    else if (call->request && *(const int *)flag)
        fm_request_end_any(call->self, call->request, (const void *)call->statuses);
    else if (call->request)
        fm_request_release(call->request);
    finish(call, 0);
}

void fm_before_request_free(struct fm_call *call, fm_word request)
{
    call->request = request ? fm_request_find(call->self, fm_handle_at(request, 0)) : NULL;
}

/* A receive that is freed before it completes is recorded without a length. */
void fm_after_request_free(struct fm_call *call, int result)
{
    if (call->request && result == 0)
        fm_request_free(call->self, call->request);
    else if (call->request)
        fm_request_release(call->request);
    finish(call, 0);
}

/* ---- many requests ---- */

static void finish_many(struct fm_call *call, int64_t count)
{
    for (uint32_t i = 0; call->follow && i < call->found.n; i++)
        if (call->found.items[i].request)
            fm_request_release(call->found.items[i].request);
    if (FM_UNLIKELY(call->large_scratch))
        fm_scratch_give_back();
    finish(call, count);
}

/* Finds the tracked requests of a call. Returns false if there is no room to keep them. */
static bool before_many(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses, bool one_status)
{
    void *own = call->self->statuses;
    if (count <= 0 || !requests)
        return true;
    call->found = (struct fm_found_requests){call->self->found, 0};
    if ((count > FM_SCRATCH_REQUESTS || call->unusual) && !fm_scratch_take(call, count, &own))
        return false;
    for (int64_t i = 0; i < count; i++) {
        struct fm_request *request = fm_request_find(call->self, fm_handle_at(requests, i));
        if (request)
            call->found.items[call->found.n++] = (struct fm_found_request){request, i};
    }
    call->follow = call->found.n != 0;
    if (one_status && call->follow)
        fm_own_status(call, statuses);
    else if (call->follow && *statuses == fm_abi.statuses_ignore)
        *statuses = (fm_word)own;
    call->statuses = *statuses;
    return true;
}

/* Whether the call has tracked requests and says which of them are complete. */
static bool has_outcome(const struct fm_call *call, int result)
{
    return call->follow && (result == 0 || result == fm_abi.err_in_status);
}

/* Number of statuses that a failed call has set. MPICH stops at the first error in MPI_Waitall, and in a long list sets
 * no status beyond the part with that error. */
static int64_t statuses_set(const struct fm_call *call, int64_t count)
{
    if (fm_abi.kind != FM_MPI_MPICH || call->routine != FM_R_MPI_Waitall)
        return count;
    for (int64_t i = 0; i < count; i++)
        if (fm_status_error(fm_status_at(call->statuses, i)) != 0)
            return i + 1;
    return count;
}

/* Whether a request of a failed call is complete. Its handle is null then, but a persistent request keeps its
 * handle. */
static bool is_complete(const struct fm_found_request *found, fm_word handle, const void *status, bool is_set)
{
    unsigned kind = found->request->kind & FM_REQUEST_KIND;
    if (kind == FM_REQUEST_RECEIVE || kind == FM_REQUEST_RECEIVE_HALF)
        return handle == fm_abi.request_null;
    return is_set && !fm_status_pending(status);
}

/* Ends a completed request; without a length if it failed. */
static void complete(struct fm_call *call, int result, struct fm_found_request *found, const void *status)
{
    fm_request_end_any(call->self, found->request, result == 0 || fm_status_error(status) == 0 ? status : NULL);
    found->request = NULL;
}

/* MPICH does not write the error field of statuses unless there is an error, so our own must not keep those of an
 * earlier call. */
static void clear_own_errors(const struct fm_call *call, int64_t count)
{
    if (call->statuses != (fm_word)call->self->statuses && !(call->large_scratch && fm_scratch_holds(call->statuses)))
        return;
    for (int64_t i = 0; i < count; i++)
        memset((char *)fm_status_at(call->statuses, i) + fm_abi.status_error, 0, sizeof(int));
}

static void complete_all(struct fm_call *call, int result, int64_t count, fm_word requests)
{
    struct fm_found_request *end = call->found.items + call->found.n;
    int64_t set = result == 0 ? count : statuses_set(call, count);
    for (struct fm_found_request *found = call->found.items; found < end; found++) {
        const void *status = fm_status_at(call->statuses, found->index);
        if (result == 0 || is_complete(found, fm_handle_at(requests, found->index), status, found->index < set))
            complete(call, result, found, status);
    }
    if (result != 0)
        clear_own_errors(call, count);
}

/* The tracked request at an index of the program's list, or NULL. */
static struct fm_found_request *found_at(const struct fm_call *call, int index)
{
    uint32_t from = 0, to = call->found.n;
    while (from < to) {
        uint32_t middle = (from + to) / 2;
        struct fm_found_request *found = &call->found.items[middle];
        if (found->index == index)
            return found;
        if (found->index < index)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

/* If there is no room for the requests, they are recorded now, without lengths: afterwards they will be gone. */
void fm_before_waitall(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses)
{
    if (before_many(call, count, requests, statuses, false))
        return;
    for (int64_t i = 0; i < count; i++) {
        struct fm_request *request = fm_request_find(call->self, fm_handle_at(requests, i));
        if (request)
            fm_request_end_any(call->self, request, NULL);
    }
}

void fm_after_waitall(struct fm_call *call, int result, int64_t count, fm_word requests)
{
    if (has_outcome(call, result))
        complete_all(call, result, count, requests);
    finish_many(call, count);
}

void fm_before_testall(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses)
{
    before_many(call, count, requests, statuses, false);
}

void fm_after_testall(struct fm_call *call, int result, int64_t count, fm_word requests, fm_word flag)
{
    if (has_outcome(call, result) && (result != 0 || *(const int *)flag))
        complete_all(call, result, count, requests);
    finish_many(call, count);
}

void fm_before_waitany(struct fm_call *call, int64_t count, fm_word requests, fm_word *status)
{
    before_many(call, count, requests, status, true);
}

void fm_after_waitany(struct fm_call *call, int result, int64_t count, fm_word requests, fm_word index)
{
    /* MPI_UNDEFINED is negative and not a valid index */
    struct fm_found_request *found = call->follow && index ? found_at(call, *(const int *)index) : NULL;
    if (found && result == 0) {
        complete(call, result, found, (const void *)call->statuses);
    } else if (found) {
        fm_request_failed(call->self, found->request, fm_handle_at(requests, found->index));
        found->request = NULL;
    }
    finish_many(call, count);
}

void fm_before_testany(struct fm_call *call, int64_t count, fm_word requests, fm_word *status)
{
    before_many(call, count, requests, status, true);
}

void fm_after_testany(struct fm_call *call, int result, int64_t count, fm_word requests, fm_word index, fm_word flag)
{
    bool none = result == 0 && !*(const int *)flag;
    fm_after_waitany(call, result, count, requests, none ? 0 : index);
}

void fm_before_waitsome(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses)
{
    before_many(call, count, requests, statuses, false);
}

void fm_after_waitsome(struct fm_call *call, int result, int64_t count, fm_word outcount, fm_word indices)
{
    int64_t n = has_outcome(call, result) ? *(const int *)outcount : 0; /* MPI_UNDEFINED is negative */
    for (int64_t i = 0; i < n && i < count; i++) {
        struct fm_found_request *found = found_at(call, ((const int *)indices)[i]);
        if (found && found->request)
            complete(call, result, found, fm_status_at(call->statuses, i));
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

/* Returns the persistent send that is started, or NULL. */
static const struct fm_request *start(const struct fm_call *call, fm_word handle)
{
    struct fm_request *request = fm_request_find(call->self, handle);
    if (request) {
        fm_request_start(call, request);
        fm_request_release(request);
    }
    return request && (request->kind & FM_REQUEST_KIND) == FM_REQUEST_PERSISTENT_SEND ? request : NULL;
}

void fm_after_start(struct fm_call *call, int result, fm_word request)
{
    const struct fm_request *send = result == 0 ? start(call, fm_handle_at(request, 0)) : NULL;
    if (!send) {
        finish(call, 0);
        return;
    }
    struct fm_event_data event = {call->ns, 0, send->bytes, send->bytes, 0, 1};
    fm_call_finish(call, send->peer, fm_size_bin(send->bytes), &event);
}

void fm_after_startall(struct fm_call *call, int result, int64_t count, fm_word requests)
{
    for (int64_t i = 0; result == 0 && i < count; i++) {
        const struct fm_request *send = start(call, fm_handle_at(requests, i));
        if (!send)
            continue;
        struct fm_event_data event = {0, 0, send->bytes, send->bytes, 0, 1};
        struct fm_key key = {send->peer, call->routine, (uint8_t)fm_size_bin(send->bytes), (uint8_t)call->self->slot,
                             call->site_region};
        fm_record_message(call->self, key, &event);
    }
    finish(call, count);
}
