/* SPDX-License-Identifier: BSD-3-Clause */
/* Point-to-point messages. Bytes are defined in doc/BYTES.md. */
#include "runtime/mpi/hooks.h"
#include "runtime/mpi/memo.h"
#include "runtime/mpi/requests.h"

void fm_after_plain(struct fm_call *call, int result, fm_word comm)
{
    (void)comm;
    struct fm_event_data event = {.ns = call->ns};
    if (result == 0)
        fm_call_finish_known(call, FM_PEER_NONE, FM_SIZE_NONE, &event, (struct fm_memo){0}, 0);
    else
        fm_finish_plain(call, FM_PEER_NONE);
}

void fm_after_count(struct fm_call *call, int result, int64_t count)
{
    (void)result;
    struct fm_event_data event = {.ns = call->ns, .count_argument = count > 0 ? (uint64_t)count : 0};
    fm_call_finish(call, FM_PEER_NONE, FM_SIZE_NONE, &event);
}

static uint64_t as_count(int64_t count)
{
    return count > 0 ? (uint64_t)count : 0;
}

static void finish_send(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest, fm_word comm,
                        uint64_t received)
{
    if (result != 0) {
        fm_finish_plain(call, FM_PEER_NONE);
        return;
    }
    uint64_t bytes = dest >= 0 ? fm_bytes_of(count, type) : 0; /* nothing is sent to MPI_PROC_NULL */
    struct fm_event_data event = {call->ns, as_count(count), bytes, bytes, received, dest >= 0};
    uint32_t peer = fm_comm_world_rank(fm_comm_of(comm), dest);
    struct fm_memo memo = {.comm = comm, .type = type, .partner = dest};
    if (dest >= 0 && fm_memo_counts(&memo, count, fm_type_size(type)))
        fm_call_finish_known(call, peer, fm_size_bin(bytes), &event, memo, fm_memo_salt(dest, (uint32_t)count));
    else
        fm_call_finish(call, peer, fm_size_bin(bytes), &event);
}

void fm_after_send(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest, fm_word comm)
{
    finish_send(call, result, count, type, dest, comm, 0);
}

/* ---- blocking receives ---- */

void fm_before_receive(struct fm_call *call, fm_word *status)
{
    fm_own_status(call, status);
}

void fm_after_receive(struct fm_call *call, int result, int64_t count, int32_t source, fm_word comm)
{
    if (FM_UNLIKELY(result != 0)) {
        fm_finish_plain(call, FM_PEER_NONE);
        return;
    }
    const void *status = (const void *)call->statuses;
    uint64_t bytes = fm_status_length(status);
    int32_t from = source >= 0 ? source : fm_status_source(status);
    struct fm_event_data event = {call->ns, as_count(count), bytes, 0, bytes, from >= 0};
    uint32_t peer = fm_comm_world_rank(fm_comm_of(comm), from);
    struct fm_memo memo = {.comm = comm, .partner = source, .source = from};
    if (from >= 0 && fm_memo_lengths(&memo, bytes))
        fm_call_finish_known(call, peer, fm_size_bin(bytes), &event, memo, fm_memo_salt(source, 0));
    else
        fm_call_finish(call, peer, fm_size_bin(bytes), &event);
}

void fm_before_message_receive(struct fm_call *call, fm_word *status)
{
    fm_own_status(call, status);
}

/* The communicator of a matched message is not known, so neither is the peer. */
void fm_after_message_receive(struct fm_call *call, int result, int64_t count)
{
    if (FM_UNLIKELY(result != 0)) {
        fm_finish_plain(call, FM_PEER_NONE);
        return;
    }
    uint64_t bytes = fm_status_length((const void *)call->statuses);
    struct fm_event_data event = {call->ns, as_count(count), bytes, 0, bytes, 1};
    fm_call_finish(call, FM_PEER_NONE, fm_size_bin(bytes), &event);
}

/* ---- send and receive ---- */

void fm_before_sendrecv(struct fm_call *call, fm_word *status)
{
    fm_own_status(call, status);
}

void fm_before_sendrecv_replace(struct fm_call *call, fm_word *status)
{
    fm_own_status(call, status);
}

void fm_after_sendrecv(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest, fm_word comm)
{
    uint64_t received = result == 0 ? fm_status_length((const void *)call->statuses) : 0;
    finish_send(call, result, count, type, dest, comm, received);
}

void fm_after_sendrecv_replace(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest,
                               fm_word comm)
{
    fm_after_sendrecv(call, result, count, type, dest, comm);
}

/* ---- nonblocking receives ---- */

static bool track(struct fm_call *call, uint8_t kind, int64_t count, uint64_t bytes, int32_t partner, fm_word comm,
                  fm_word request)
{
    fm_word handle = fm_handle_at(request, 0);
    if (fm_rt.paused || handle == fm_abi.request_null)
        return false;
    const struct fm_comm *known = comm ? fm_comm_of(comm) : NULL;
    struct fm_request tracked = {
        .site_region = call->site_region,
        .duration_ns = call->ns,
        .bytes = bytes,
        .peer = known ? fm_comm_world_rank(known, partner) : FM_PEER_NONE,
        .routine = call->routine,
        .kind = kind,
        .thread = (uint8_t)call->self->slot,
        .count_argument = (uint32_t)(as_count(count) < UINT32_MAX ? as_count(count) : UINT32_MAX),
        .comm = known ? fm_comm_name(known) : 0,
    };
    return fm_request_add(call->self, handle, &tracked);
}

/* Creates a memo for the next receive at this call site. Its key is that of the request, with the kind in place of the
 * size bin. */
static void remember_receive(struct fm_call *call, int32_t source, fm_word comm)
{
    struct fm_key key = {fm_comm_world_rank(fm_comm_of(comm), source), call->routine, FM_REQUEST_RECEIVE,
                         (uint8_t)call->self->slot, call->site_region};
    struct fm_memo memo = {.comm = comm, .partner = source, .generation = fm_generation()};
    if (key.peer != FM_PEER_NONE && !fm_rt.careful)
        fm_call_remember(call, &key, NULL, memo, fm_memo_salt(source, 0));
}

/* Recorded when it completes, or at once if it cannot be tracked or its source is MPI_PROC_NULL. */
void fm_after_post_receive(struct fm_call *call, int result, int64_t count, int32_t source, fm_word comm,
                           fm_word request)
{
    bool from_proc_null = source == fm_abi.proc_null;
    if (result == 0 && !from_proc_null && track(call, FM_REQUEST_RECEIVE, count, 0, source, comm, request)) {
        if (source >= 0)
            remember_receive(call, source, comm);
        fm_call_leave(call);
        return;
    }
    struct fm_event_data event = {.ns = call->ns, .count_argument = as_count(count)};
    fm_rt.segment->untracked_receives += result == 0 && !from_proc_null && !fm_rt.paused;
    fm_call_finish(call, FM_PEER_NONE, from_proc_null ? FM_SIZE_ZERO : FM_SIZE_NONE, &event);
}

void fm_after_post_message_receive(struct fm_call *call, int result, int64_t count, fm_word request)
{
    fm_after_post_receive(call, result, count, fm_abi.any_source, 0, request);
}

/* The send half is recorded at the call; the receive half adds its bytes when it completes. MPICH 4.0 does not set the
 * status of these requests (it is that of an older one), so for MPICH the requested size is counted, at the call. */
void fm_after_isendrecv(struct fm_call *call, int result, int64_t scount, fm_word stype, int32_t dest, int64_t rcount,
                        fm_word rtype, int32_t source, fm_word comm, fm_word request)
{
    uint64_t received = 0;
    if (result == 0 && source != fm_abi.proc_null) {
        if (fm_abi.kind == FM_MPI_MPICH)
            received = fm_bytes_of(rcount, rtype);
        else
            track(call, FM_REQUEST_RECEIVE_HALF, 0, fm_bytes_of(scount, stype), dest, comm, request);
    }
    finish_send(call, result, scount, stype, dest, comm, received);
}

void fm_after_isendrecv_replace(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest,
                                int32_t source, fm_word comm, fm_word request)
{
    fm_after_isendrecv(call, result, count, type, dest, count, type, source, comm, request);
}

/* ---- persistent and partitioned requests: the bytes of a send are counted at each start ---- */

static void finish_init(struct fm_call *call, int result, uint8_t kind, int64_t count, uint64_t bytes, int32_t partner,
                        fm_word comm, fm_word request)
{
    if (result == 0 && partner != fm_abi.proc_null && !track(call, kind, count, bytes, partner, comm, request))
        fm_rt.segment->untracked_receives++;
    fm_after_count(call, result, count);
}

void fm_after_send_init(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest, fm_word comm,
                        fm_word request)
{
    uint64_t bytes = result == 0 ? fm_bytes_of(count, type) : 0;
    finish_init(call, result, FM_REQUEST_PERSISTENT_SEND, count, bytes, dest, comm, request);
}

void fm_after_receive_init(struct fm_call *call, int result, int64_t count, int32_t source, fm_word comm,
                           fm_word request)
{
    finish_init(call, result, FM_REQUEST_PERSISTENT_RECEIVE, count, 0, source, comm, request);
}

void fm_after_psend_init(struct fm_call *call, int result, int64_t partitions, int64_t count, fm_word type,
                         int32_t dest, fm_word comm, fm_word request)
{
    fm_after_send_init(call, result, partitions * count, type, dest, comm, request);
}

void fm_after_precv_init(struct fm_call *call, int result, int64_t partitions, int64_t count, int32_t source,
                         fm_word comm, fm_word request)
{
    fm_after_receive_init(call, result, partitions * count, source, comm, request);
}
