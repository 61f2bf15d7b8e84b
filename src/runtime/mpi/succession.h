/* SPDX-License-Identifier: BSD-3-Clause */
/* Successive reductions: blocking reductions of the same routine on the same communicator (and root) with no other MPI
 * call of the thread between them. For each pair of call sites the segment has the number of times, the time between
 * the calls, and whether the second one sends what the first has received (struct fm_segment_succession).
 *
 * Every call, of whatever routine, stores its start in the thread's slot of the segment. If that is still the start of
 * the last reduction when the next one begins, no other call was between them. So other routines need not do anything.
 *
 * A pair that is known is counted on the fast path: the memo of the second call has the distance of its item from the
 * first one. Buffers are compared only off the fast path, which at least the first two calls of a site take, and all
 * calls after one of the samples, once a second (memo.h). Calls in callbacks and of threads that share a slot are left
 * out. */
#ifndef FM_RUNTIME_MPI_SUCCESSION_H
#define FM_RUNTIME_MPI_SUCCESSION_H

#include "runtime/mpi/call.h"

/* A gap below this is too short for work on an array. */
enum { FM_SHORT_GAP_NS = 2000 };

extern FM_HIDDEN const struct fm_memo fm_no_memo;

/* The place of a routine in fm_thread.reductions; FM_REDUCTIONS if it is none of them. */
FM_INLINE unsigned fm_reduction_of(unsigned routine)
{
    return routine == FM_R_MPI_Allreduce || routine == FM_R_MPI_Allreduce_c ? FM_ALLREDUCE
           : routine == FM_R_MPI_Reduce || routine == FM_R_MPI_Reduce_c     ? FM_REDUCE
                                                                            : FM_REDUCTIONS;
}

/* The item at a distance from the first one, which is never read and has no call sites. */
FM_INLINE struct fm_segment_succession *fm_succession_at(int32_t distance)
{
    return (void *)((char *)fm_rt.successions + distance);
}

FM_INLINE void fm_succession_count(struct fm_segment_succession *succession, uint64_t gap)
{
    succession->count++;
    succession->gap_ticks += gap;
    succession->short_gaps += gap < fm_rt.short_gap_ticks;
}

/* Finds or adds the item of the last reduction and this one. Returns its distance, or 0 if there is no space. */
__attribute__((noinline)) int32_t fm_succession_find(struct fm_thread *self, unsigned which, const struct fm_key *key);

/* Before a reduction: call_start is that of the thread's last call. */
FM_INLINE void fm_reduction_begin(struct fm_thread *self, unsigned which, uint64_t call_start)
{
    struct fm_last_reduction *last = &self->reductions[which];
    if (FM_UNLIKELY(last->start != call_start))
        last->memo = &fm_no_memo;
}

/* After a reduction with a memo: counts it as successor of the last one, if it is, and becomes the last one. */
FM_INLINE void fm_reduction_end(struct fm_thread *self, unsigned which, struct fm_memo *memo, uint64_t end)
{
    struct fm_last_reduction *last = &self->reductions[which];
    if (last->memo->comm == memo->comm) {
        if (FM_UNLIKELY(fm_succession_at(memo->partner)->first != last->memo->key.site_region))
            memo->partner = fm_succession_find(self, which, &memo->key);
        fm_succession_count(fm_succession_at(memo->partner), last->start - last->end);
    }
    last->memo = memo;
    last->end = end;
}

/* Off the fast path: fm_call_enter for these routines and others of their kinds, and what follows the call. */
bool fm_reduction_enter(struct fm_call *call, unsigned routine, bool is_pmpi, struct fm_frame frame);
struct fm_reduction_arguments {
    fm_word comm;
    int32_t root;
    struct fm_buffer sent, received;
};
/* arguments: NULL after an error. Returns the distance of the item that it was counted in, 0 if in none. */
int32_t fm_reduction_returned(struct fm_call *call, const struct fm_reduction_arguments *arguments);

#endif
