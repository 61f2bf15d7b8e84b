/* SPDX-License-Identifier: BSD-3-Clause */
/* One MPI call of the program, from its entry to its record.
 *
 * The guard makes a call count once: it holds the stack address of the outermost call, so that what MPI, a tool
 * below us or a binding calls inside is passed on; and a call that was left by longjmp is noticed by the next one,
 * whose frame lies above the guard. */
#ifndef FM_RUNTIME_MPI_CALL_H
#define FM_RUNTIME_MPI_CALL_H

#include "runtime/mpi/abi.h"
#include "runtime/record.h"
#include "runtime/site.h"

struct fm_found_requests {
    struct fm_found_request *items;
    uint32_t n;
};

struct fm_call {
    struct fm_thread *self;
    uint64_t start; /* ticks */
    uint64_t ns;    /* set by fm_call_returned */
    uint64_t site_region;
    uint16_t routine;
    bool is_pmpi; /* called by its PMPI name */
    bool unusual; /* in a user's callback, or by a thread that shares its slot */
    bool fast;    /* its routine is among those of fast_path.h: it is worth remembering */
    /* between fm_before_* and fm_after_* */
    bool follow;        /* some of its requests are followed */
    bool large_scratch; /* the process's one large scratch is ours until the call ends */
    uintptr_t outer;    /* of an unusual call: the guard to restore, not 0 in a callback */
    fm_word statuses;   /* of this call: the program's or ours */
    union {
        struct fm_request *request;     /* of a call with a single one */
        struct fm_found_requests found; /* of a call with many */
        fm_word handle;                 /* a communicator, type or window that is freed */
    };
    _Alignas(8) char status[FM_STATUS_BYTES];
};

FM_INLINE uint64_t fm_site_region(const struct fm_thread *self, uintptr_t site)
{
    return (uint64_t)site << 16 | self->seg->region;
}

/* The call in progress, for a reader after the process's death, whose site is there already; the ticks of its start. */
FM_INLINE uint64_t fm_call_note(struct fm_segment_thread *seg, unsigned routine)
{
    seg->call_routine = routine + 1;
    return seg->call_start = fm_clock_ticks(&fm_rt.clock);
}

FM_INLINE void fm_call_set(struct fm_call *call, struct fm_thread *self, unsigned routine, bool is_pmpi,
                           uint64_t site_region, uint64_t start)
{
    call->self = self;
    call->routine = (uint16_t)routine;
    call->is_pmpi = is_pmpi;
    call->unusual = call->fast = call->follow = call->large_scratch = false;
    call->site_region = site_region;
    call->start = start;
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
    fm_local.guard = 0;
    if (FM_UNLIKELY(call->unusual && call->outer))
        fm_call_resume(call->self, call->outer);
}

/* of_call: the call counts; else it is counted elsewhere, and these are bytes alone. */
FM_INLINE struct fm_entry *fm_record_locked(struct fm_thread *self, struct fm_key key,
                                            const struct fm_event_data *event, bool of_call)
{
    if (FM_UNLIKELY(self->shared))
        fm_lock(&self->lock);
    struct fm_entry *entry = fm_table_find(key);
    bool common = entry->key.thread != key.thread; /* of a full table: other threads write it, too */
    if (FM_UNLIKELY(common))
        fm_lock(&fm_rt.table_lock);
    if (of_call)
        fm_entry_add(entry, event);
    else
        fm_entry_add_bytes(entry, event);
    if (FM_UNLIKELY(common))
        fm_unlock(&fm_rt.table_lock);
    if (FM_UNLIKELY(self->shared))
        fm_unlock(&self->lock);
    return entry;
}

/* Also while measuring is paused: of calls that were made before. */
FM_INLINE struct fm_entry *fm_record_always(struct fm_thread *self, struct fm_key key,
                                            const struct fm_event_data *event)
{
    return fm_record_locked(self, key, event, true);
}

/* The entry that it went to; NULL while measuring is paused. */
FM_INLINE struct fm_entry *fm_record(struct fm_thread *self, struct fm_key key, const struct fm_event_data *event)
{
    return FM_LIKELY(!fm_rt.paused) ? fm_record_locked(self, key, event, true) : NULL;
}

/* Bytes without a call: see fm_entry_add_bytes. */
void fm_record_message(struct fm_thread *self, struct fm_key key, const struct fm_event_data *event);

FM_INLINE void fm_call_record(struct fm_call *call, uint32_t peer, unsigned size_bin, const struct fm_event_data *event)
{
    struct fm_key key = {peer, call->routine, (uint8_t)size_bin, (uint8_t)call->self->slot, call->site_region};
    fm_record(call->self, key, event);
}

/* The end of most hooks: the record, and back to the program. */
FM_INLINE void fm_call_finish(struct fm_call *call, uint32_t peer, unsigned size_bin, const struct fm_event_data *event)
{
    fm_call_record(call, peer, size_bin, event);
    fm_call_leave(call);
}

#endif
