#include "measure/timer.h"

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

static struct fm_thread *this_thread(void)
{
    struct fm_thread *self = fm_local.timing;
    if (FM_LIKELY(self && self->seg))
        return self;
    if (atomic_load_explicit(&fm_rt.state, memory_order_acquire) == FM_RT_OFF) /* starting costs system calls */
        return NULL;
    self = fm_runtime_start(FM_BY_TIMER) ? fm_thread_attach() : NULL;
    return fm_local.timing = self && !self->shared ? self : NULL;
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

static void count_misuse(enum fm_timer_misuse kind, unsigned number, uintptr_t site)
{
    struct fm_segment_timer *timer = timer_of(number);
    __atomic_add_fetch(&timer->misuse[kind], 1, __ATOMIC_RELAXED);
    fm_site_register(site);
    __atomic_store_n(&timer->misuse_site[kind], site, __ATOMIC_RELAXED);
}

int fm_timer_get(int handle, const char *name, uintptr_t site)
{
    if (!this_thread() || !name || !*name)
        return 0;
    if (handle > 0 && (unsigned)handle <= fm_rt.segment->n_timers && has_name((unsigned)handle - 1, name))
        return handle;
    int found = find_or_add(name);
    if (handle && found)
        count_misuse(FM_MISUSE_OTHER_HANDLE, (unsigned)found - 1, site);
    return found;
}

/* ---- events ---- */

/* The rare part of a stop: one of the first two events, or a new minimum, maximum or second maximum. */
__attribute__((noinline)) static void note_extreme(struct fm_segment_timing *t, uint64_t ns)
{
    uint64_t event = t->count;
    if (ns < t->min_ns || event == 1) {
        t->min_ns = ns;
        t->min_event = event;
    }
    if (ns > t->max_ns || event == 1) {
        t->second_ns = t->max_ns;
        t->second_event = t->max_event;
        t->max_ns = ns;
        t->max_event = event;
    } else if (ns > t->second_ns || event == 2) {
        t->second_ns = ns;
        t->second_event = event;
    }
}

/* A block of counts for a power of ten; where there is none left the events are counted without their first digit. */
__attribute__((noinline)) static void take_bins(struct fm_segment_timing *t, unsigned decade)
{
    struct fm_segment_header *h = fm_rt.segment;
    uint32_t capacity = h->sections[FM_SECTION_TIMER_BINS].capacity;
    uint32_t block = __atomic_load_n(&h->n_timer_bins, __ATOMIC_RELAXED);
    while (block < capacity &&
           !__atomic_compare_exchange_n(&h->n_timer_bins, &block, block + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    if (block < capacity)
        t->bins[decade] = (uint16_t)(block + 1);
}

FM_INLINE void count_in_bin(struct fm_segment_timing *t, uint64_t ns)
{
    unsigned decade = fm_decade(ns);
    if (FM_UNLIKELY(!t->bins[decade]))
        take_bins(t, decade);
    if (FM_UNLIKELY(!t->bins[decade])) {
        t->coarse[decade]++;
        return;
    }
    fm_rt.timer_bins[t->bins[decade] - 1].counts[fm_first_digit(ns, decade)]++;
}

/* Each two slices become one, which is twice as long. */
__attribute__((noinline)) static void widen_slices(struct fm_segment_timing *t)
{
    for (unsigned i = 0; i < FM_TIMER_SLICES; i++) {
        bool there = 2 * i < FM_TIMER_SLICES;
        t->slice_events[i] = there ? t->slice_events[2 * i] + t->slice_events[2 * i + 1] : 0;
        t->slice_ns[i] = there ? t->slice_ns[2 * i] + t->slice_ns[2 * i + 1] : 0;
    }
    t->slice_shift++;
}

FM_INLINE void count_in_slice(struct fm_segment_timing *t, uint64_t now, uint64_t ns)
{
    uint64_t since = now - fm_rt.started_ticks;
    while (FM_UNLIKELY(since >> t->slice_shift >= FM_TIMER_SLICES) && t->slice_shift < 63)
        widen_slices(t);
    t->slice_events[since >> t->slice_shift]++;
    t->slice_ns[since >> t->slice_shift] += ns;
}

/* Slices begin as about a millisecond. */
enum { FIRST_SLICE_SHIFT = 20 };

/* This thread's part of a timer, made when it is needed; NULL: no room. */
__attribute__((noinline)) static struct fm_segment_timing *make_timing(struct fm_thread *self, unsigned timer)
{
    struct fm_segment_header *h = fm_rt.segment;
    struct fm_segment_timing *timing = NULL;
    for (uint32_t i = 0; i < h->n_timings; i++) /* of a thread that had this slot before */
        if (timing_of(i)->timer == timer && timing_of(i)->thread == self->slot)
            timing = timing_of(i);
    fm_lock(&fm_rt.table_lock);
    if (!timing && h->n_timings < h->sections[FM_SECTION_TIMINGS].capacity) {
        timing = timing_of(h->n_timings);
        timing->timer = (uint16_t)timer;
        timing->thread = (uint8_t)self->slot;
        timing->slice_shift = FIRST_SLICE_SHIFT;
        __atomic_store_n(&h->n_timings, h->n_timings + 1, __ATOMIC_RELEASE);
    }
    fm_unlock(&fm_rt.table_lock);
    if (timing)
        self->timings[timer] = timing;
    else
        __atomic_add_fetch(&h->refused_timers, 1, __ATOMIC_RELAXED);
    return timing;
}

/* The thread's part of a timer, or NULL; *self is its thread. */
FM_INLINE struct fm_segment_timing *timing_for(int handle, struct fm_thread **self)
{
    unsigned timer = (unsigned)handle - 1;
    *self = fm_local.timing;
    if (FM_UNLIKELY(timer >= FM_TIMERS))
        return NULL;
    if (FM_LIKELY(*self && (*self)->timings[timer]))
        return (*self)->timings[timer];
    *self = this_thread();
    return *self && timer < fm_rt.segment->n_timers ? make_timing(*self, timer) : NULL;
}

/* It was started in another timer than the last time. */
__attribute__((noinline)) static void note_parent(struct fm_segment_timing *t, const struct fm_segment_timing *outer)
{
    uint16_t parent = outer ? (uint16_t)(outer->timer + 1) : 0;
    t->parent = !t->count || t->parent == parent ? parent : FM_TIMER_SEVERAL;
}

void fm_timer_start(int handle, uintptr_t site)
{
    struct fm_thread *self;
    struct fm_segment_timing *t = timing_for(handle, &self);
    if (FM_UNLIKELY(!t))
        return;
    if (FM_UNLIKELY(t->started)) {
        count_misuse(FM_MISUSE_STARTED_TWICE, t->timer, site);
        return;
    }
    struct fm_segment_timing **outer = &self->outer_timings[handle - 1];
    if (FM_UNLIKELY(*outer != self->timing)) {
        *outer = self->timing;
        note_parent(t, *outer);
    }
    self->timing = t;
    t->start_site = site;
    t->started = fm_clock_ticks(&fm_rt.clock);
}

void fm_timer_stop(int handle, uintptr_t site)
{
    uint64_t now = fm_clock_ticks(&fm_rt.clock);
    struct fm_thread *self;
    struct fm_segment_timing *t = timing_for(handle, &self);
    if (FM_UNLIKELY(!t))
        return;
    if (FM_UNLIKELY(!t->started)) {
        count_misuse(FM_MISUSE_NOT_STARTED, t->timer, site);
        return;
    }
    struct fm_segment_timing *outer = self->outer_timings[handle - 1];
    uint64_t ns = fm_clock_to_ns(&fm_rt.clock, now - t->started);
    t->started = 0;
    if (outer)
        outer->children_ns += ns;
    if (FM_LIKELY(self->timing == t))
        self->timing = outer;
    uint64_t event = ++t->count;
    t->total_ns += ns;
    count_in_bin(t, ns);
    count_in_slice(t, now, ns);
    if (FM_UNLIKELY(ns - t->min_ns > t->second_ns - t->min_ns || event <= 2))
        note_extreme(t, ns);
}

unsigned fm_timer_tick(void)
{
    const char *tick = getenv("FATHOM_TICK");
    int exponent = tick ? fm_timer_exponent(tick) : 0;
    return exponent > 0 ? (unsigned)exponent : 0;
}
