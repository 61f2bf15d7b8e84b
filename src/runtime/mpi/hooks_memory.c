/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication and MPI-IO. */
#include "runtime/mpi/hooks.h"

static void finish_rma(struct fm_call *call, int result, int64_t count, fm_word type, int32_t target, fm_word win,
                       bool sends, bool receives)
{
    if (result != 0) {
        fm_finish_plain(call, FM_PEER_NONE);
        return;
    }
    uint64_t bytes = target >= 0 ? fm_bytes_of(count, type) : 0;
    struct fm_event_data event = {
        call->ns, count > 0 ? (uint64_t)count : 0, bytes, sends ? bytes : 0, receives ? bytes : 0, target >= 0};
    fm_call_finish(call, fm_comm_world_rank(fm_comm_of_window(win), target), fm_size_bin(bytes), &event);
}

void fm_after_rma_put(struct fm_call *call, int result, int64_t count, fm_word type, int32_t target, fm_word win)
{
    finish_rma(call, result, count, type, target, win, true, false);
}

void fm_after_rma_get(struct fm_call *call, int result, int64_t count, fm_word type, int32_t target, fm_word win)
{
    finish_rma(call, result, count, type, target, win, false, true);
}

void fm_after_rma_update(struct fm_call *call, int result, int64_t count, fm_word type, int32_t target, fm_word win)
{
    finish_rma(call, result, count, type, target, win, true, true);
}

void fm_before_file_read(struct fm_call *call, fm_word *status)
{
    fm_own_status(call, status);
}

/* A read may be short, so its length is taken from the status; without a status (nonblocking) the requested size is
 * counted. */
void fm_after_file_read(struct fm_call *call, int result, int64_t count, fm_word type)
{
    uint64_t bytes = result != 0      ? 0
                     : call->statuses ? fm_status_outcome((const void *)call->statuses).bytes
                                      : fm_bytes_of(count, type);
    struct fm_event_data event = {call->ns, count > 0 ? (uint64_t)count : 0, bytes, 0, bytes, 0};
    fm_call_finish(call, FM_PEER_NONE, result == 0 ? fm_size_bin(bytes) : FM_SIZE_NONE, &event);
}

void fm_after_file_write(struct fm_call *call, int result, int64_t count, fm_word type)
{
    uint64_t bytes = result == 0 ? fm_bytes_of(count, type) : 0;
    struct fm_event_data event = {call->ns, count > 0 ? (uint64_t)count : 0, bytes, bytes, 0, 0};
    fm_call_finish(call, FM_PEER_NONE, result == 0 ? fm_size_bin(bytes) : FM_SIZE_NONE, &event);
}
