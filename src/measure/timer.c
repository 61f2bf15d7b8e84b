/* Timers: their names, and the room for what threads measure with them. */
#include "measure/timer.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "measure/site.h"
#include "profile/timer_text.h"

static struct fm_segment_timer *timer_of(unsigned number)
{
    return (struct fm_segment_timer *)fm_section(fm_rt.segment, FM_SECTION_TIMERS) + number;
}

static struct fm_segment_timing *timing_of(unsigned number)
{
    return (struct fm_segment_timing *)fm_section(fm_rt.segment, FM_SECTION_TIMINGS) + number;
}

/* ---- names ---- */

static bool has_name(unsigned number, const char *name)
{
    return strncmp(timer_of(number)->name, name, sizeof timer_of(0)->name - 1) == 0;
}

static int find(const char *name)
{
    unsigned n = __atomic_load_n(&fm_rt.segment->n_timers, __ATOMIC_ACQUIRE);
    for (unsigned i = 0; i < n; i++)
        if (has_name(i, name))
            return (int)i + 1;
    return 0;
}

static int find_or_add(const char *name)
{
    struct fm_segment_header *h = fm_rt.segment;
    int found = find(name);
    if (found)
        return found;
    fm_lock(&fm_rt.table_lock);
    if (!(found = find(name)) && h->n_timers < h->sections[FM_SECTION_TIMERS].capacity) {
        struct fm_segment_timer *timer = timer_of(h->n_timers);
        strncpy(timer->name, name, sizeof timer->name - 1);
        __atomic_store_n(&h->n_timers, h->n_timers + 1, __ATOMIC_RELEASE);
        found = (int)h->n_timers;
    }
    fm_unlock(&fm_rt.table_lock);
    return found;
}

int fm_timer_get(int handle, const char *name, uintptr_t site)
{
    if (!fm_timers_of_thread() || !name || !*name)
        return 0;
    if (handle > 0 && (unsigned)handle <= fm_rt.segment->n_timers && has_name((unsigned)handle - 1, name))
        return handle;
    int found = find_or_add(name);
    if (!found)
        __atomic_add_fetch(&fm_rt.segment->refused_timers, 1, __ATOMIC_RELAXED);
    if (handle && found)
        fm_timer_misused(FM_MISUSE_OTHER_HANDLE, (unsigned)found - 1, site);
    return found;
}

/* ---- room ---- */

struct fm_thread_timers *fm_timers_of_thread(void)
{
    if (FM_LIKELY(fm_local.timers != NULL))
        return fm_local.timers;
    if (atomic_load_explicit(&fm_rt.state, memory_order_acquire) == FM_RT_OFF) /* starting costs system calls */
        return NULL;
    struct fm_thread *self = fm_runtime_start(FM_BY_TIMER) ? fm_thread_attach() : NULL;
    if (!self || !self->seg || self->shared)
        return NULL;
    fm_local.timers = &self->timers;
    fm_timer_measure_cost(fm_local.timers);
    return fm_local.timers;
}

/* Slices begin as about a millisecond. */
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
        timing->quiet_from = UINT64_MAX; /* the first events are never quiet */
        __atomic_store_n(&h->n_timings, h->n_timings + 1, __ATOMIC_RELEASE);
    }
    fm_unlock(&fm_rt.table_lock);
    return timing;
}

struct fm_timer_slot *fm_timer_slot(struct fm_thread_timers *timers, int handle)
{
    struct fm_segment_header *h = fm_rt.segment;
    unsigned number = (unsigned)handle - 1;
    if (number >= FM_TIMERS)
        return NULL;
    struct fm_timer_slot *slot = &timers->slots[handle];
    if (slot->timing)
        return slot;
    if (number >= h->n_timers)
        return NULL;
    const struct fm_thread *self = (const void *)((const char *)timers - offsetof(struct fm_thread, timers));
    for (uint32_t i = 0; i < h->n_timings; i++) /* of a thread that had this slot before */
        if (timing_of(i)->timer == number && timing_of(i)->thread == self->slot)
            slot->timing = timing_of(i);
    if (!slot->timing)
        slot->timing = add_timing(number, (unsigned)self->slot);
    return slot->timing ? slot : NULL;
}

void fm_timer_refused(int handle)
{
    struct fm_segment_header *h = fm_rt.segment;
    if (atomic_load(&fm_rt.state) == FM_RT_ON && (unsigned)handle - 1 < h->n_timers)
        __atomic_add_fetch(&h->refused_timers, 1, __ATOMIC_RELAXED);
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

/* ---- wrong use ---- */

void fm_timer_misused(enum fm_timer_misuse kind, unsigned number, uintptr_t site)
{
    struct fm_segment_timer *timer = timer_of(number);
    __atomic_add_fetch(&timer->misuse[kind], 1, __ATOMIC_RELAXED);
    fm_site_register(site);
    __atomic_store_n(&timer->misuse_site[kind], site, __ATOMIC_RELAXED);
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
    for (struct fm_segment_timing *t = timers->innermost; t;) {
        struct fm_timer_slot *slot = &timers->slots[t->timer + 1];
        fm_timer_misused(FM_MISUSE_NEVER_STOPPED, t->timer, t->start_site);
        t->started = 0;
        t = slot->outer;
        slot->outer = NULL;
    }
    timers->innermost = NULL;
}

unsigned fm_timer_tick(void)
{
    const char *tick = getenv("FATHOM_TICK");
    int exponent = tick ? fm_timer_exponent(tick) : 0;
    return exponent > 0 ? (unsigned)exponent : 0;
}
