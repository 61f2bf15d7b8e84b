/* One MPI call of the program, from its entry to its record.
 *
 * The guard makes a call count once: it holds the stack address of the outermost call, so that what MPI, a tool
 * below us or a binding calls inside is passed on; and a call that was left by longjmp is noticed by the next one,
 * whose frame lies above the guard. */
#ifndef FM_MEASURE_MPI_CALL_H
#define FM_MEASURE_MPI_CALL_H

#include "measure/mpi/abi.h"
#include "measure/record.h"
#include "measure/site.h"

struct fm_call {
    struct fm_thread *self;
    uint64_t start; /* ticks */
    uint64_t ns;    /* set by fm_call_returned */
    uint64_t site_region;
    /* eight bytes that are set at once */
    uint16_t routine;
    bool is_pmpi; /* called by its PMPI name */
    bool unusual; /* in a user's callback, or by a thread that shares its slot */
    /* between fm_before_* and fm_after_* */
    bool follow;        /* some of the requests may be followed */
    bool large_scratch; /* the process's one large scratch is ours until the call ends */
    bool unused[2];
    uintptr_t outer;  /* of an unusual call: the guard to restore, not 0 in a callback */
    fm_word statuses; /* of this call: the program's or ours */
    fm_word handle;   /* of a single request, as it was before the call */
    fm_word *handles; /* of many */
    _Alignas(8) char status[FM_STATUS_BYTES];
};

FM_INLINE void fm_call_begin(struct fm_call *call, struct fm_thread *self, unsigned routine, bool is_pmpi,
                             uintptr_t site)
{
    call->self = self;
    call->routine = (uint16_t)routine;
    call->is_pmpi = is_pmpi;
    call->unusual = call->follow = call->large_scratch = call->unused[0] = call->unused[1] = false;
    call->site_region = (uint64_t)site << 16 | self->seg->region;
    self->seg->call_site = site;
    self->seg->call_routine = routine + 1;
    call->start = fm_clock_ticks(&fm_rt.clock);
    self->seg->call_start = call->start;
}

/* Begins a call if nothing is unusual, without calling anything; else false, and fm_call_enter decides. (A forked
 * child, whose slot is empty, knows no site, nor do threads that share a slot.) */
FM_INLINE bool fm_call_enter_quick(struct fm_call *call, unsigned routine, bool is_pmpi, struct fm_frame frame)
{
    struct fm_thread *self = fm_self;
    if (FM_UNLIKELY(!self || fm_guard))
        return false;
    uintptr_t site;
    if (FM_UNLIKELY(!fm_site_quick(self, frame, &site)))
        return false;
    fm_guard = frame.sp;
    fm_call_begin(call, self, routine, is_pmpi, site);
    return true;
}

/* Begins any call: also first ones, nested ones and those after a longjmp; false: pass it on uncounted. */
bool fm_call_enter(struct fm_call *call, unsigned routine, bool is_pmpi, struct fm_frame frame);

FM_INLINE void fm_call_returned(struct fm_call *call)
{
    call->ns = fm_clock_to_ns(&fm_rt.clock, fm_clock_ticks(&fm_rt.clock) - call->start);
}

/* Back from a user's callback in the call that it was called from. */
void fm_call_resume(struct fm_thread *self, uintptr_t guard);
/* Calls that were left by longjmp: those whose frames lie below `sp`. They are counted, without a duration. */
void fm_call_drop_abandoned(struct fm_thread *self, uintptr_t sp);

/* The call is over: fm_call_finish does it, with the record. */
FM_INLINE void fm_call_leave(struct fm_call *call)
{
    call->self->seg->call_routine = 0;
    fm_guard = 0;
    if (FM_UNLIKELY(call->unusual && call->outer))
        fm_call_resume(call->self, call->outer);
}

/* Also while measuring is paused: of calls that were made before. */
FM_INLINE void fm_record_always(struct fm_thread *self, struct fm_key key, const struct fm_sample *sample)
{
    if (FM_UNLIKELY(self->shared))
        fm_lock(&self->lock);
    fm_entry_add(fm_table_lookup(key), sample);
    self->seg->events++;
    if (FM_UNLIKELY(self->shared))
        fm_unlock(&self->lock);
}

FM_INLINE void fm_record(struct fm_thread *self, struct fm_key key, const struct fm_sample *sample)
{
    if (FM_LIKELY(!fm_rt.paused))
        fm_record_always(self, key, sample);
}

/* Bytes without a call: see fm_entry_add_bytes. */
void fm_record_message(struct fm_thread *self, struct fm_key key, const struct fm_sample *sample);

FM_INLINE void fm_call_record(struct fm_call *call, uint32_t peer, unsigned size_bin, const struct fm_sample *sample)
{
    struct fm_key key = {peer, call->routine, (uint8_t)size_bin, (uint8_t)call->self->slot, call->site_region};
    fm_record(call->self, key, sample);
}

/* The end of most hooks: the record, and back to the program. For an ordinary call nothing is called on the way, so
 * that a hook whose own look-ups call nothing either needs no frame. */
void fm_call_finish_unusual(struct fm_call *call, uint32_t peer, unsigned size_bin, uint64_t count_argument,
                            uint64_t bytes, uint64_t bytes_sent, uint64_t bytes_received, uint32_t messages);

FM_INLINE void fm_call_finish(struct fm_call *call, uint32_t peer, unsigned size_bin, const struct fm_sample *sample)
{
    struct fm_thread *self = call->self;
    struct fm_key key = {peer, call->routine, (uint8_t)size_bin, (uint8_t)self->slot, call->site_region};
    struct fm_entry *entry = fm_table_known(key);
    if (FM_UNLIKELY(!entry || fm_rt.paused || call->unusual)) {
        fm_call_finish_unusual(call, peer, size_bin, sample->count_argument, sample->bytes, sample->bytes_sent,
                               sample->bytes_received, sample->messages);
        return;
    }
    self->seg->events++;
    self->seg->call_routine = 0;
    fm_guard = 0;
    fm_entry_add(entry, sample);
}

#endif
