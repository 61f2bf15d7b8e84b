/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication. */
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
