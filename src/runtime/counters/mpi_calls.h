/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits the counts between the program and MPI: every event is read before an MPI call and after it, in user space.
 * Inlined where calls are frequent. Calls from callbacks inside MPI belong to the outer call. */
#ifndef FM_RUNTIME_COUNTERS_MPI_CALLS_H
#define FM_RUNTIME_COUNTERS_MPI_CALLS_H

#include "runtime/counters/page.h"
#include "runtime/counters/state.h"

FM_INLINE void fm_counters_enter_call(void)
{
    struct fm_counted_thread *self = fm_counted;
    if (!self || !self->split || self->seg->inside++)
        return;
    struct fm_segment_count *count = self->seg->counts;
    for (uint32_t i = 0, n = self->split; i < n; i++, count++)
        count->start = self->before[i] + fm_page_read(self->pages[i]);
}

FM_INLINE void fm_counters_leave_call(void)
{
    struct fm_counted_thread *self = fm_counted;
    if (!self || !self->split || !self->seg->inside || --self->seg->inside)
        return;
    struct fm_segment_count *count = self->seg->counts;
    for (uint32_t i = 0, n = self->split; i < n; i++, count++) {
        uint64_t total = self->before[i] + fm_page_read(self->pages[i]);
        count->mpi += total - count->start;
        count->total = total;
    }
}

/* A call was left by longjmp: what it counted belongs to the program. */
FM_INLINE void fm_counters_abandon_call(void)
{
    struct fm_counted_thread *self = fm_counted;
    if (self && self->split && self->seg->inside)
        self->seg->inside--;
}

#endif
