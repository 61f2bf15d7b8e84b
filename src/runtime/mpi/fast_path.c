/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/mpi/fast_path.h"

bool fm_fast_hand_over(struct fm_fast fast, unsigned slot, uint64_t ns, struct fm_call *call)
{
    struct fm_thread *self = fm_local.self;
    if (!self || !self->seg) { /* a child that was forked in a callback */
        fm_local.guard = 0;
        return false;
    }
    fm_call_set(call, self, slot / 2, slot % 2, fast.memo->key.site_region, self->seg->call_start);
    call->ns = ns;
    call->outer = 0;
    call->fast = true;
    return true;
}

void fm_fast_finish_rarely(struct fm_fast fast, unsigned slot, int result, struct fm_event_data event)
{
    struct fm_call call;
    const unsigned which = fm_reduction_of(slot / 2);
    if (!fm_fast_hand_over(fast, slot, event.ns, &call))
        return;
    if (which < FM_REDUCTIONS && result == 0 && fm_memo_means_the_same(fast.memo))
        fm_reduction_end(call.self, which, fast.memo, fm_clock_counter());
    else if (which < FM_REDUCTIONS)
        call.self->reductions[which].memo = &fm_no_memo;
    if (result != 0) {
        fm_finish_plain(&call, FM_PEER_NONE);
        return;
    }
    fm_record(call.self, fast.memo->key, &event);
    fm_call_leave(&call);
}
