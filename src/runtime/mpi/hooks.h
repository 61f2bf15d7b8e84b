/* SPDX-License-Identifier: BSD-3-Clause */
/* Hooks that the generated wrappers call, one pair per kind of routine (see README.md in this folder). fm_before_<kind>
 * runs before the real call and may replace arguments; fm_after_<kind> records the call and ends it. `result` is the
 * return value of the real call; after an error only the duration is known. */
#ifndef FM_RUNTIME_MPI_HOOKS_H
#define FM_RUNTIME_MPI_HOOKS_H

#include <stddef.h>

#include "runtime/mpi/call.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/requests.h"

#define FM_COLD __attribute__((noinline, cold))

/* An array of counts: int, or MPI_Count in the large-count routines. */
struct fm_counts {
    const void *items;
    bool wide;
};

void fm_after_plain(struct fm_call *call, int result, fm_word comm);
void fm_after_count(struct fm_call *call, int result, int64_t count);

/* hooks_message.c */
void fm_after_send(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest, fm_word comm);
void fm_before_receive(struct fm_call *call, fm_word *status);
void fm_after_receive(struct fm_call *call, int result, int64_t count, int32_t source, fm_word comm);
void fm_before_message_receive(struct fm_call *call, fm_word *status);
void fm_after_message_receive(struct fm_call *call, int result, int64_t count);
void fm_before_sendrecv(struct fm_call *call, fm_word *status);
void fm_after_sendrecv(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest, fm_word comm);
void fm_before_sendrecv_replace(struct fm_call *call, fm_word *status);
void fm_after_sendrecv_replace(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest,
                               fm_word comm);
void fm_after_isendrecv(struct fm_call *call, int result, int64_t scount, fm_word stype, int32_t dest, int64_t rcount,
                        fm_word rtype, int32_t source, fm_word comm, fm_word request);
void fm_after_isendrecv_replace(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest,
                                int32_t source, fm_word comm, fm_word request);
void fm_after_post_receive(struct fm_call *call, int result, int64_t count, int32_t source, fm_word comm,
                           fm_word request);
void fm_after_post_message_receive(struct fm_call *call, int result, int64_t count, fm_word request);
void fm_after_send_init(struct fm_call *call, int result, int64_t count, fm_word type, int32_t dest, fm_word comm,
                        fm_word request);
void fm_after_receive_init(struct fm_call *call, int result, int64_t count, int32_t source, fm_word comm,
                           fm_word request);
void fm_after_psend_init(struct fm_call *call, int result, int64_t partitions, int64_t count, fm_word type,
                         int32_t dest, fm_word comm, fm_word request);
void fm_after_precv_init(struct fm_call *call, int result, int64_t partitions, int64_t count, int32_t source,
                         fm_word comm, fm_word request);

/* hooks_completion.c */
void fm_before_wait(struct fm_call *call, fm_word request, fm_word *status);
void fm_after_wait(struct fm_call *call, int result);
void fm_before_test(struct fm_call *call, fm_word request, fm_word *status);
void fm_after_test(struct fm_call *call, int result, fm_word request, fm_word flag);
void fm_before_waitall(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses);
void fm_after_waitall(struct fm_call *call, int result, int64_t count, fm_word requests);
void fm_before_testall(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses);
void fm_after_testall(struct fm_call *call, int result, int64_t count, fm_word requests, fm_word flag);
void fm_before_waitany(struct fm_call *call, int64_t count, fm_word requests, fm_word *status);
void fm_after_waitany(struct fm_call *call, int result, int64_t count, fm_word requests, fm_word index);
void fm_before_testany(struct fm_call *call, int64_t count, fm_word requests, fm_word *status);
void fm_after_testany(struct fm_call *call, int result, int64_t count, fm_word requests, fm_word index, fm_word flag);
void fm_before_waitsome(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses);
void fm_after_waitsome(struct fm_call *call, int result, int64_t count, fm_word outcount, fm_word indices);
void fm_before_testsome(struct fm_call *call, int64_t count, fm_word requests, fm_word *statuses);
void fm_after_testsome(struct fm_call *call, int result, int64_t count, fm_word outcount, fm_word indices);
void fm_before_request_free(struct fm_call *call, fm_word request);
void fm_after_request_free(struct fm_call *call, int result);
void fm_after_start(struct fm_call *call, int result, fm_word request);
void fm_after_startall(struct fm_call *call, int result, int64_t count, fm_word requests);

/* hooks_collective.c */
void fm_after_barrier(struct fm_call *call, int result, fm_word comm);
void fm_after_bcast(struct fm_call *call, int result, int64_t count, fm_word type, int32_t root, fm_word comm);
void fm_after_reduce(struct fm_call *call, int result, fm_word sendbuf, fm_word recvbuf, int64_t count, fm_word type,
                     int32_t root, fm_word comm);
void fm_after_allreduce(struct fm_call *call, int result, fm_word sendbuf, fm_word recvbuf, int64_t count, fm_word type,
                        fm_word comm);
void fm_after_gather(struct fm_call *call, int result, fm_word sendbuf, int64_t scount, fm_word stype, int64_t rcount,
                     fm_word rtype, int32_t root, fm_word comm);
void fm_after_gatherv(struct fm_call *call, int result, fm_word sendbuf, int64_t scount, fm_word stype,
                      struct fm_counts rcounts, fm_word rtype, int32_t root, fm_word comm);
void fm_after_scatter(struct fm_call *call, int result, fm_word recvbuf, int64_t scount, fm_word stype, int64_t rcount,
                      fm_word rtype, int32_t root, fm_word comm);
void fm_after_scatterv(struct fm_call *call, int result, fm_word recvbuf, struct fm_counts scounts, fm_word stype,
                       int64_t rcount, fm_word rtype, int32_t root, fm_word comm);
void fm_after_allgather(struct fm_call *call, int result, fm_word sendbuf, int64_t scount, fm_word stype,
                        int64_t rcount, fm_word rtype, fm_word comm);
void fm_after_allgatherv(struct fm_call *call, int result, fm_word sendbuf, int64_t scount, fm_word stype,
                         struct fm_counts rcounts, fm_word rtype, fm_word comm);
void fm_after_alltoall(struct fm_call *call, int result, fm_word sendbuf, int64_t scount, fm_word stype, int64_t rcount,
                       fm_word rtype, fm_word comm);
void fm_after_alltoallv(struct fm_call *call, int result, fm_word sendbuf, struct fm_counts scounts, fm_word stype,
                        struct fm_counts rcounts, fm_word rtype, fm_word comm);
void fm_after_alltoallw(struct fm_call *call, int result, fm_word sendbuf, struct fm_counts scounts, fm_word stypes,
                        struct fm_counts rcounts, fm_word rtypes, fm_word comm);
void fm_after_reduce_scatter(struct fm_call *call, int result, struct fm_counts rcounts, fm_word type, fm_word comm);
void fm_after_reduce_scatter_block(struct fm_call *call, int result, int64_t rcount, fm_word type, fm_word comm);
void fm_after_neighbor_allgather(struct fm_call *call, int result, int64_t scount, fm_word stype, int64_t rcount,
                                 fm_word rtype, fm_word comm);
void fm_after_neighbor_allgatherv(struct fm_call *call, int result, int64_t scount, fm_word stype,
                                  struct fm_counts rcounts, fm_word rtype, fm_word comm);
void fm_after_neighbor_alltoall(struct fm_call *call, int result, int64_t scount, fm_word stype, int64_t rcount,
                                fm_word rtype, fm_word comm);
void fm_after_neighbor_alltoallv(struct fm_call *call, int result, struct fm_counts scounts, fm_word stype,
                                 struct fm_counts rcounts, fm_word rtype, fm_word comm);
void fm_after_neighbor_alltoallw(struct fm_call *call, int result, struct fm_counts scounts, fm_word stypes,
                                 struct fm_counts rcounts, fm_word rtypes, fm_word comm);

/* hooks_memory.c: one-sided communication and files */
void fm_after_rma_put(struct fm_call *call, int result, int64_t count, fm_word type, int32_t target, fm_word win);
void fm_after_rma_get(struct fm_call *call, int result, int64_t count, fm_word type, int32_t target, fm_word win);
void fm_after_rma_update(struct fm_call *call, int result, int64_t count, fm_word type, int32_t target, fm_word win);

/* hooks_file.c */
void fm_after_file_open(struct fm_call *call, int result, fm_word comm, fm_word filename, fm_word newfile);
void fm_before_file_close(struct fm_call *call, fm_word file);
void fm_after_file_close(struct fm_call *call, int result);
void fm_before_file_read(struct fm_call *call, fm_word *status);
void fm_after_file_read(struct fm_call *call, int result, int64_t count, fm_word type, fm_word file);
void fm_after_file_write(struct fm_call *call, int result, int64_t count, fm_word type, fm_word file);
void fm_after_file_other(struct fm_call *call, int result, fm_word file);

/* hooks_grid.c */
void fm_after_cart_create(struct fm_call *call, int result, fm_word comm, int32_t ndims, fm_word dims, fm_word newcomm);

/* hooks_lifecycle.c */
void fm_before_comm_free(struct fm_call *call, fm_word comm);
void fm_after_comm_free(struct fm_call *call, int result);
void fm_before_type_free(struct fm_call *call, fm_word type);
void fm_after_type_free(struct fm_call *call, int result);
void fm_before_win_free(struct fm_call *call, fm_word win);
void fm_after_win_free(struct fm_call *call, int result);
void fm_after_init(struct fm_call *call, int result);
fm_word fm_missed_init(fm_word result); /* for a call that was not entered */
void fm_after_init_thread(struct fm_call *call, int result, fm_word provided);
void fm_before_finalize(struct fm_call *call);
void fm_after_finalize(struct fm_call *call, int result);
void fm_after_session_finalize(struct fm_call *call, int result);
void fm_before_abort(struct fm_call *call, int32_t code);
void fm_after_abort(struct fm_call *call, int result);

/* ---- shared by the hooks ---- */

static inline uint64_t fm_bytes_of(int64_t count, fm_word type)
{
    return count > 0 ? (uint64_t)count * fm_type_size(type) : 0;
}

/* Only the duration is known: an error, or a routine without data. */
static inline void fm_finish_plain(struct fm_call *call, uint32_t peer)
{
    struct fm_event_data event = {.ns = call->ns};
    fm_call_finish(call, peer, FM_SIZE_NONE, &event);
}

/* Substitutes our own status for MPI_STATUS_IGNORE, so that lengths are known. */
static inline void fm_own_status(struct fm_call *call, fm_word *status)
{
    if (status && *status == fm_abi.status_ignore)
        *status = (fm_word)call->status;
    call->statuses = status ? *status : 0;
}

#endif
