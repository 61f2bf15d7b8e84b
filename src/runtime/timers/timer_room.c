/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/timers/timer_room.h"

#include <stddef.h>

#include "runtime/load_modules.h"

struct fm_segment_timer *fm_timer_common(unsigned number)
{
    return (struct fm_segment_timer *)fm_section(fm_rt.segment, FM_SECTION_TIMERS) + number;
}

static struct fm_segment_timing *timing_of(unsigned number)
{
    return (struct fm_segment_timing *)fm_section(fm_rt.segment, FM_SECTION_TIMINGS) + number;
}

/* ---- slots ---- */

static const struct fm_thread *thread_of(const struct fm_thread_timers *timers)
{
    return (const void *)((const char *)timers - offsetof(struct fm_thread, timers));
}

bool fm_timers_hold(const struct fm_thread_timers *timers)
{
    return timers && (timers == &fm_rt.timers.no_room || thread_of(timers)->seg); /* seg is NULL in a child */
}

struct fm_thread_timers *fm_timers_of(struct fm_thread *thread)
{
    return thread->shared ? &fm_rt.timers.no_room : &thread->timers;
}

/* Slices are initially about one millisecond long. */
enum { FIRST_SLICE_SHIFT = 20 };

static struct fm_segment_timing *add_timing(unsigned timer, unsigned thread)
{
    struct fm_segment_header *h = fm_rt.segment;
    struct fm_segment_timing *timing = NULL;
    fm_lock(&fm_rt.table_lock);
    if (h->n_timings < h->sections[FM_SECTION_TIMINGS].capacity) {
        timing = timing_of(h->n_timings);
        timing->timer = (uint16_t)timer;
        timing->thread = (uint8_t)thread;
        timing->slice_shift = FIRST_SLICE_SHIFT;
        timing->quiet_from = UINT64_MAX; /* the first events always take the slow path */
        __atomic_store_n(&h->n_timings, h->n_timings + 1, __ATOMIC_RELEASE);
    }
    fm_unlock(&fm_rt.table_lock);
    return timing;
}

struct fm_timer_slot *fm_timer_slot(struct fm_thread_timers *timers, int handle)
{
    struct fm_segment_header *h = fm_rt.segment;
    unsigned number = (unsigned)handle - 1;
    if (number >= FM_TIMERS || timers == &fm_rt.timers.no_room)
        return NULL;
    struct fm_timer_slot *slot = &timers->slots[handle];
    if (slot->timing)
        return slot;
    if (number >= h->n_timers || slot->outer == &fm_rt.timers.no_outer) /* refused before */
        return NULL;
    const struct fm_thread *self = thread_of(timers);
    for (uint32_t i = 0; i < h->n_timings; i++) /* left by an earlier thread in this slot */
        if (timing_of(i)->timer == number && timing_of(i)->thread == self->slot)
            slot->timing = timing_of(i);
    if (!slot->timing)
        slot->timing = add_timing(number, (unsigned)self->slot);
    slot->outer = &fm_rt.timers.no_outer; /* the next start sets the real one */
    return slot->timing ? slot : NULL;
}

void fm_timer_take_bins(struct fm_segment_timing *timing, unsigned decade)
{
    struct fm_segment_header *h = fm_rt.segment;
    uint32_t capacity = h->sections[FM_SECTION_TIMER_BINS].capacity;
    uint32_t block = __atomic_load_n(&h->n_timer_bins, __ATOMIC_RELAXED);
    while (block < capacity &&
           !__atomic_compare_exchange_n(&h->n_timer_bins, &block, block + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    if (block < capacity)
        timing->bins[decade] = (uint16_t)(block + 1);
}

/* ---- misuse ---- */

/* Listing the module takes system calls, so it is done only if the call site changes. */
static void note_site(uint64_t *last, uintptr_t site)
{
    if (__atomic_load_n(last, __ATOMIC_RELAXED) == site)
        return;
    fm_load_module_list(site);
    __atomic_store_n(last, site, __ATOMIC_RELAXED);
}

void fm_timer_note_misuse(enum fm_timer_misuse kind, unsigned number, uintptr_t site)
{
    struct fm_segment_timer *timer = fm_timer_common(number);
    __atomic_add_fetch(&timer->misuse[kind], 1, __ATOMIC_RELAXED);
    note_site(&timer->misuse_site[kind], site);
}

void fm_timer_without_room(int handle, uintptr_t site)
{
    struct fm_segment_header *h = fm_rt.segment;
    if (atomic_load(&fm_rt.state) != FM_RT_ON)
        return;
    if ((unsigned)handle - 1 < h->n_timers || handle == FM_TIMER_REFUSED) {
        __atomic_add_fetch(&h->refused_timers, 1, __ATOMIC_RELAXED);
        return;
    }
    __atomic_add_fetch(&h->no_timers, 1, __ATOMIC_RELAXED);
    note_site(&h->no_timer_site, site);
}

bool fm_timer_runs(unsigned number)
{
    uint32_t n = __atomic_load_n(&fm_rt.segment->n_timings, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++)
        if (timing_of(i)->timer == number && __atomic_load_n(&timing_of(i)->started, __ATOMIC_RELAXED))
            return true;
    return false;
}

void fm_timers_end(struct fm_thread_timers *timers)
{
    for (unsigned i = 1; i <= FM_TIMERS; i++) {
        struct fm_segment_timing *t = timers->slots[i].timing;
        if (!t)
            continue;
        timers->slots[i].outer = &fm_rt.timers.no_outer; /* the next thread in this slot may start it elsewhere */
        if (!t->started)
            continue;
        fm_timer_note_misuse(FM_MISUSE_NEVER_STOPPED, t->timer, t->start_site);
        t->started = 0;
    }
    timers->innermost = NULL;
}
