#include "measure/mpi/call.h"

#include "measure/mpi/life.h"

void fm_record_message(struct fm_thread *self, struct fm_key key, const struct fm_sample *sample)
{
    if (fm_rt.paused)
        return;
    if (self->shared)
        fm_lock(&self->lock);
    fm_entry_add_bytes(fm_table_lookup(key), sample);
    if (self->shared)
        fm_unlock(&self->lock);
}

/* A call was left by longjmp from an error handler: it is counted, without a duration. */
static void count_abandoned(struct fm_thread *self)
{
    struct fm_segment_thread *seg = self->seg;
    if (seg->call_routine == 0)
        return;
    struct fm_call call = {.self = self,
                           .routine = (uint16_t)(seg->call_routine - 1),
                           .site_region = seg->call_site << 16 | seg->region};
    struct fm_sample nothing = {0};
    fm_call_record(&call, FM_PEER_NONE, FM_SIZE_NONE, &nothing);
    seg->call_routine = 0;
    fm_rt.segment->abandoned_calls++;
}

/* Inside another call: MPI itself, a binding, or a tool below us calls through PMPI or from the library. The
 * program's own callbacks (error handlers, reduction operators) call MPI_X from outside it: those count. */
static bool is_users_callback(bool is_pmpi, struct fm_frame frame)
{
    return !is_pmpi && !fm_site_in_mpi(frame.pc);
}

bool fm_call_enter_slow(struct fm_call *call, unsigned routine, bool is_pmpi, struct fm_frame frame)
{
    struct fm_thread *self = fm_self;
    if (!self) {
        if (!fm_life_may_measure() || !fm_runtime_start(true) || !(self = fm_thread_attach()))
            return false;
        fm_life_join_job();
    }
    uintptr_t outer = 0;
    if (fm_guard > frame.sp) {
        if (!is_users_callback(is_pmpi, frame))
            return false;
        outer = fm_guard;
    } else if (fm_guard) {
        count_abandoned(self);
    }
    uintptr_t site = fm_site_of(self, routine, frame);
    if (site == FM_SITE_IGNORE)
        return false;
    fm_guard = frame.sp;
    call->outer = outer;
    fm_call_begin(call, self, routine, is_pmpi, site);
    return true;
}
