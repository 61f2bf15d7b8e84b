/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/mpi/call.h"

#include "runtime/counters/mpi_calls.h"
#include "runtime/mpi/lifecycle.h"
#include "runtime/mpi/scratch.h"
#include "runtime/start.h"
#include "runtime/thread_slots.h"

uint64_t fm_call_slow_clock(bool enters)
{
    uint64_t before = fm_clock_ticks(&fm_rt.clock);
    if (!enters) {
        fm_counters_leave_call();
        return before;
    }
    fm_counters_enter_call();
    return fm_clock_ticks(&fm_rt.clock);
}

void fm_record_message(struct fm_thread *self, struct fm_key key, const struct fm_event_data *event)
{
    if (!fm_rt.paused)
        fm_record_locked(self, key, event, false);
}

/* ---- nested calls ---- */

static void count_abandoned(struct fm_thread *self)
{
    struct fm_segment_thread *seg = self->seg;
    fm_scratch_abandoned();
    fm_counters_abandon_call();
    fm_rt.segment->abandoned_calls++;
    if (seg->call_routine == 0 || self->shared) /* a shared slot may describe another thread's call */
        return;
    struct fm_call call = {
        .self = self, .routine = (uint16_t)(seg->call_routine - 1), .site_region = seg->call_site << 16 | seg->region};
    struct fm_event_data nothing = {0};
    fm_call_record(&call, FM_PEER_NONE, FM_SIZE_NONE, &nothing);
    seg->call_routine = 0;
}

static void suspend(struct fm_thread *self)
{
    struct fm_segment_thread *seg = self->seg;
    if (!self->shared)
        self->outer[self->n_outer++] = (struct fm_outer_call){fm_local.guard, seg->call_start, seg->call_site,
                                                              seg->call_routine};
}

void fm_call_resume(struct fm_thread *self, uintptr_t guard)
{
    fm_local.guard = guard;
    if (self->shared || self->n_outer == 0)
        return;
    const struct fm_outer_call *outer = &self->outer[--self->n_outer];
    self->seg->call_start = outer->start;
    self->seg->call_site = outer->site;
    self->seg->call_routine = outer->routine;
}

void fm_call_drop_abandoned(struct fm_thread *self, uintptr_t sp)
{
    while (fm_local.guard && fm_local.guard <= sp) {
        count_abandoned(self);
        fm_call_resume(self, !self->shared && self->n_outer ? self->outer[self->n_outer - 1].guard : 0);
    }
}

/* Whether a call inside another call counts. MPI itself, a language binding or a tool below us calls through PMPI or
 * from the library; such calls do not count. The program's own callbacks (error handlers, reduction operators) call
 * MPI_X from outside the library; those do. */
static bool is_user_callback(bool is_pmpi, struct fm_frame frame)
{
    return !is_pmpi && !fm_site_in_mpi(frame.pc);
}

bool fm_call_enter(struct fm_call *call, unsigned routine, bool is_pmpi, struct fm_frame frame)
{
    struct fm_thread *self = fm_local.self;
    if (!self || !self->seg) {
        if (!fm_lifecycle_may_measure() || !fm_runtime_start(FM_BY_MPI) || !(self = fm_thread_attach()))
            return false;
        fm_local.self = self;
        fm_lifecycle_join_job();
    }
    fm_call_drop_abandoned(self, frame.sp);
    if (fm_local.guard && !is_user_callback(is_pmpi, frame))
        return false;
    uintptr_t site = fm_site_find(self, routine, is_pmpi, frame);
    if (site == FM_SITE_IGNORE)
        return false;
    if (self->n_outer == FM_OUTER_CALLS) /* no program nests this deep: all were abandoned */
        fm_call_drop_abandoned(self, UINTPTR_MAX);
    uintptr_t outer = fm_local.guard;
    if (outer)
        suspend(self);
    fm_local.guard = frame.sp;
    self->seg->call_site = site;
    fm_call_set(call, self, routine, is_pmpi, fm_site_region(self, site), fm_call_note(self->seg, routine));
    call->unusual = outer || self->shared;
    call->outer = outer;
    return true;
}
