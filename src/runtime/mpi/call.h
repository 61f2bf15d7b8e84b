/* SPDX-License-Identifier: BSD-3-Clause */
/* One MPI call of the program, from entry to record.
 *
 * The guard makes sure that a call is counted once. It holds the stack address of the outermost call: calls that MPI, a
 * tool below us or a binding makes inside it are passed through. A call that was left by longjmp is detected by the
 * next one, whose frame is above the guard. */
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
    bool is_pmpi;            /* called by its PMPI name */
    bool unusual;            /* in a user callback, or by a thread that shares its slot */
    bool fast;               /* its routine has a fast path (fast_path.h): worth a memo */
    fm_function *counted[2]; /* of such a routine, MPI_X and PMPI_X: see fm_call_table */
    /* between fm_before_* and fm_after_* */
    bool follow;        /* some of its requests are tracked */
    bool large_scratch; /* owns the large scratch of the process until the call ends */
    uintptr_t outer;    /* of an unusual call: the guard to restore; not 0 in a callback */
    fm_word statuses;   /* the program's or our own */
    union {
        struct fm_request *request;     /* of a call with one request */
        struct fm_found_requests found; /* of a call with several requests */
        fm_word handle;                 /* the communicator, type or window that is freed */
    };
    _Alignas(8) char status[FM_STATUS_BYTES];
};

FM_INLINE uint64_t fm_site_region(const struct fm_thread *self, uintptr_t site)
{
    return (uint64_t)site << 16 | self->seg->region;
}

/* The clock before and after the real routine. Also reads the counters that are split between the program and MPI. */
uint64_t fm_call_slow_clock(bool enters);
FM_INLINE uint64_t fm_call_clock(bool enters)
{
    return FM_UNLIKELY(fm_rt.slow_clock) ? fm_call_slow_clock(enters) : fm_clock_counter();
}

/* Marks the call as in progress, for a reader after the process has died; its call site is already set. Returns the
 * start time in ticks. */
FM_INLINE uint64_t fm_call_note(struct fm_segment_thread *seg, unsigned routine)
{
    seg->call_routine = routine + 1;
    return seg->call_start = fm_call_clock(true);
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

/* Begins any call, including first ones, nested ones and those after a longjmp. Returns false if the call is to be
 * passed through uncounted. */
bool fm_call_enter(struct fm_call *call, unsigned routine, bool is_pmpi, struct fm_frame frame);

FM_INLINE void fm_call_returned(struct fm_call *call)
{
    call->ns = fm_clock_to_ns(&fm_rt.clock, fm_call_clock(false) - call->start);
}

/* Returns from a user callback to the call that invoked it. */
void fm_call_resume(struct fm_thread *self, uintptr_t guard);
/* Drops calls that were left by longjmp: those whose frames are below `sp`. They are counted, without a duration. */
void fm_call_drop_abandoned(struct fm_thread *self, uintptr_t sp);

/* Ends the call. fm_call_finish does this after recording it. */
FM_INLINE void fm_call_leave(struct fm_call *call)
{
    call->self->seg->call_routine = 0;
    fm_local.guard = 0;
    if (FM_UNLIKELY(call->unusual && call->outer))
        fm_call_resume(call->self, call->outer);
    else
        fm_local.mpi_ns += call->ns;
}

/* If `of_call` is false, the call itself is counted elsewhere and only bytes are added. */
FM_INLINE struct fm_entry *fm_record_locked(struct fm_thread *self, struct fm_key key,
                                            const struct fm_event_data *event, bool of_call)
{
    if (FM_UNLIKELY(self->shared))
        fm_lock(&self->lock);
    struct fm_entry *entry = fm_table_find(key);
    bool common = entry->key.thread != key.thread; /* table full: an entry that other threads write, too */
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

/* Records even while measuring is paused: for calls that were made before. */
FM_INLINE struct fm_entry *fm_record_always(struct fm_thread *self, struct fm_key key,
                                            const struct fm_event_data *event)
{
    return fm_record_locked(self, key, event, true);
}

/* Returns the entry that was updated, or NULL while measuring is paused. */
FM_INLINE struct fm_entry *fm_record(struct fm_thread *self, struct fm_key key, const struct fm_event_data *event)
{
    return FM_LIKELY(!fm_rt.paused) ? fm_record_locked(self, key, event, true) : NULL;
}

/* Adds bytes without counting a call: see fm_entry_add_bytes. */
void fm_record_message(struct fm_thread *self, struct fm_key key, const struct fm_event_data *event);

FM_INLINE void fm_call_record(struct fm_call *call, uint32_t peer, unsigned size_bin, const struct fm_event_data *event)
{
    struct fm_key key = {peer, call->routine, (uint8_t)size_bin, (uint8_t)call->self->slot, call->site_region};
    fm_record(call->self, key, event);
}

/* The end of most hooks: records the call and ends it. */
FM_INLINE void fm_call_finish(struct fm_call *call, uint32_t peer, unsigned size_bin, const struct fm_event_data *event)
{
    fm_call_record(call, peer, size_bin, event);
    fm_call_leave(call);
}

#endif
