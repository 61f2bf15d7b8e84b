/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts and stops of timers. The fast path only reads the clock and counts. Everything rare is left to a second
 * function that is tail-called, so that the first one needs no stack frame. */
#include "fathom.h"

#include <string.h>

#include "runtime/extremes.h"
#include "runtime/first_entry.h"
#include "runtime/load_modules.h"
#include "runtime/start.h"
#include "runtime/thread_slots.h"
#include "runtime/timers/timer_events.h"
#include "runtime/timers/timer_room.h"

#define FM_COLD __attribute__((noinline, cold))

FM_INLINE struct fm_segment_bins *bins_of(const struct fm_segment_timing *t, unsigned decade)
{
    return &fm_rt.timer_bins[t->bins[decade] - 1];
}

/* ---- slow path ---- */

/* Unlinks a timer from the running ones, wherever it is among them: timers may be stopped in any order, and a signal
 * handler may use them at any moment. A timer that was started inside it continues in the enclosing one. */
static void unlink_timer(struct fm_thread_timers *timers, const struct fm_segment_timing *t,
                         struct fm_segment_timing *outer)
{
    struct fm_segment_timing *inner = timers->innermost;
    if (inner == t) {
        timers->innermost = outer;
        return;
    }
    for (unsigned i = 0; i < FM_TIMERS && inner; i++) {
        struct fm_timer_slot *slot = &timers->slots[inner->timer + 1];
        if (slot->outer == t) {
            slot->outer = outer;
            inner->parent = FM_TIMER_SEVERAL;
            return;
        }
        inner = slot->outer;
    }
}

/* The timer was started in a different parent than the last time. */
static void update_parent(struct fm_segment_timing *t, const struct fm_segment_timing *outer)
{
    uint16_t parent = outer ? (uint16_t)(outer->timer + 1) : 0;
    t->parent = !t->count || t->parent == parent ? parent : FM_TIMER_SEVERAL;
}

/* The timer on which the cost of timers is measured has no part in the segment. */
static void note_first_start(unsigned number)
{
    if (number < fm_rt.segment->n_timers && !fm_timer_common(number)->first.since_ns)
        fm_first_entry_note(&fm_timer_common(number)->first);
}

/* Normal in a process that is not measured, an error otherwise. */
FM_INLINE void no_handle(uintptr_t site)
{
    if (FM_UNLIKELY(atomic_load_explicit(&fm_rt.state, memory_order_relaxed) == FM_RT_ON))
        fm_timer_without_room(0, site);
}

FM_COLD static void start_slow(int handle, uintptr_t site)
{
    struct fm_thread_timers *timers = fm_timers_of_thread();
    struct fm_timer_slot *slot = timers ? fm_timer_slot(timers, handle) : NULL;
    if (!slot) {
        fm_timer_without_room(handle, site);
        return;
    }
    struct fm_segment_timing *t = slot->timing;
    if (t->started) {
        fm_timer_note_misuse(FM_MISUSE_STARTED_TWICE, t->timer, site);
        return;
    }
    if (!t->start_site)
        fm_load_module_list(site);
    unlink_timer(timers, t, slot->outer); /* if a signal handler has intervened */
    slot->outer = timers->innermost;
    update_parent(t, slot->outer);
    note_first_start(t->timer);
    timers->innermost = t;
    t->start_site = site;
    t->mpi_before = fm_local.mpi_ns;
    t->started = fm_clock_ticks(&fm_rt.clock);
}

static void update_quiet_range(struct fm_segment_timing *t)
{
    uint64_t last = t->extremes.second_ns < FM_QUICK_TICKS ? t->extremes.second_ns : FM_QUICK_TICKS - 1;
    bool none = t->count < 2 || t->extremes.min_ns > last;
    t->quiet_from = none ? UINT64_MAX : t->extremes.min_ns;
    t->quiet_span = none ? 0 : last - t->extremes.min_ns;
}

static void count_in_bin(struct fm_segment_timing *t, uint64_t ns)
{
    unsigned decade = fm_decade(ns), digit = fm_first_digit(ns, decade);
    if (!t->bins[decade])
        fm_timer_take_bins(t, decade);
    if (!t->bins[decade])
        t->coarse[decade]++;
    else if (++bins_of(t, decade)->counts[digit] == 0)
        bins_of(t, decade)->high[digit]++;
}

/* Writes the marks of all slices that have ended. The event that ends now belongs to the next one. */
static void write_marks(struct fm_segment_timing *t, uint64_t now)
{
    uint64_t since = now - fm_rt.clock.start.ticks;
    for (; since >> t->slice_shift > FM_TIMER_MARKS; t->slice_shift++) {
        for (unsigned i = 0; i < t->n_marks / 2u; i++)
            t->marks[i] = t->marks[2 * i + 1];
        t->n_marks /= 2;
    }
    for (; t->n_marks < since >> t->slice_shift; t->n_marks++)
        t->marks[t->n_marks] = (struct fm_segment_mark){t->count, t->total_ns};
    t->mark_at = fm_rt.clock.start.ticks + ((t->n_marks + 1ull) << t->slice_shift);
}

FM_COLD static void stop_slow(int handle, uint64_t now, uintptr_t site)
{
    struct fm_thread_timers *timers = fm_timers_of_thread();
    struct fm_timer_slot *slot = timers ? fm_timer_slot(timers, handle) : NULL;
    if (!slot) {
        fm_timer_without_room(handle, site);
        return;
    }
    struct fm_segment_timing *t = slot->timing, *outer = slot->outer;
    if (!t->started) {
        fm_timer_note_misuse(fm_timer_runs(t->timer) ? FM_MISUSE_OTHER_THREAD : FM_MISUSE_NOT_STARTED, t->timer, site);
        return;
    }
    uint64_t ns = fm_clock_to_ns(&fm_rt.clock, now - t->started);
    t->started = 0;
    if (outer)
        outer->children_ns += ns;
    unlink_timer(timers, t, outer);
    if (now >= t->mark_at)
        write_marks(t, now);
    t->count++;
    t->total_ns += ns;
    t->mpi_ns += fm_local.mpi_ns - t->mpi_before;
    count_in_bin(t, ns);
    fm_extremes_note(&t->extremes, ns, t->count);
    update_quiet_range(t);
}

FM_COLD static void stop_coarse(int handle, uintptr_t site)
{
    stop_slow(handle, fm_clock_ticks(&fm_rt.clock), site);
}

/* ---- fast path ---- */

FM_EXPORT void fathom_timer_start(int handle)
{
    uintptr_t site = fm_return_address();
    if (!handle)
        return no_handle(site);
    struct fm_thread_timers *timers = fm_local.timers;
    if (FM_UNLIKELY(!timers || (unsigned)handle > FM_TIMERS || fm_rt.clock.coarse))
        return start_slow(handle, site);
    struct fm_timer_slot slot = timers->slots[handle];
    if (FM_UNLIKELY(!slot.timing || slot.outer != timers->innermost || slot.timing->started))
        return start_slow(handle, site);
    timers->innermost = slot.timing;
    slot.timing->start_site = site;
    slot.timing->mpi_before = fm_local.mpi_ns;
    slot.timing->started = fm_clock_counter();
}

FM_EXPORT void fathom_timer_stop(int handle)
{
    uintptr_t site = fm_return_address();
    if (!handle)
        return no_handle(site);
    struct fm_thread_timers *timers = fm_local.timers;
    if (FM_UNLIKELY(!timers || fm_rt.clock.coarse))
        return stop_coarse(handle, site);
    uint64_t now = fm_clock_counter();
    if (FM_UNLIKELY((unsigned)handle > FM_TIMERS))
        return stop_slow(handle, now, site);
    struct fm_segment_timing *t = timers->slots[handle].timing, *outer = timers->slots[handle].outer;
    if (FM_UNLIKELY(!t || !t->started || timers->innermost != t))
        return stop_slow(handle, now, site);
    uint64_t ns = fm_clock_to_ns(&fm_rt.clock, now - t->started);
    if (FM_UNLIKELY(ns - t->quiet_from > t->quiet_span || now >= t->mark_at))
        return stop_slow(handle, now, site);
    unsigned decade = fm_decade_quick((uint32_t)ns);
    if (FM_UNLIKELY(!t->bins[decade]))
        return stop_slow(handle, now, site);
    uint32_t *count = &bins_of(t, decade)->counts[fm_first_digit_quick((uint32_t)ns, decade)];
    if (FM_UNLIKELY(*count == UINT32_MAX))
        return stop_slow(handle, now, site);
    ++*count;
    t->count++;
    t->total_ns += ns;
    t->mpi_ns += fm_local.mpi_ns - t->mpi_before;
    t->started = 0;
    timers->innermost = outer;
    if (outer)
        outer->children_ns += ns;
}

/* ---- a thread's first timer ---- */

/* Aliases of the two, because the program may interpose the exported names. */
extern FM_HIDDEN __typeof__(fathom_timer_start) start_timer __attribute__((alias("fathom_timer_start")));
extern FM_HIDDEN __typeof__(fathom_timer_stop) stop_timer __attribute__((alias("fathom_timer_stop")));

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The fastest of a few rounds, using the last slot of the thread. */
static void measure_cost(struct fm_segment_header *h, struct fm_segment_timing *scratch)
{
    enum { ROUNDS = 5, EVENTS = 64 };
    uint64_t cost = UINT64_MAX, inside = UINT64_MAX;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t before = scratch->total_ns, start = fm_clock_ticks(&fm_rt.clock);
        for (int i = 0; i < EVENTS; i++) {
            start_timer(FM_TIMERS);
            stop_timer(FM_TIMERS);
        }
        cost = min(cost, fm_clock_to_ns(&fm_rt.clock, fm_clock_ticks(&fm_rt.clock) - start));
        inside = min(inside, scratch->total_ns - before);
    }
    h->timer_cost_ps = cost * 1000 / EVENTS + 1;
    h->timer_inside_ps = min(inside * 1000 / EVENTS, h->timer_cost_ps);
}

/* Measures the cost of an empty start and stop and writes it to the header. Done once, before the first timer has a
 * name. */
static void measure_cost_once(struct fm_thread_timers *timers)
{
    struct fm_segment_header *h = fm_rt.segment;
    fm_lock(&fm_rt.table_lock);
    if (!h->timer_cost_ps && !h->n_timers) {
        struct fm_segment_timing scratch = {.quiet_from = UINT64_MAX, .timer = FM_TIMERS - 1};
        timers->slots[FM_TIMERS].timing = &scratch;
        measure_cost(h, &scratch);
        timers->slots[FM_TIMERS].timing = NULL;
        memset(fm_rt.timer_bins, 0, h->n_timer_bins * sizeof *fm_rt.timer_bins);
        h->n_timer_bins = 0;
    }
    fm_unlock(&fm_rt.table_lock);
}

struct fm_thread_timers *fm_timers_of_thread(void)
{
    if (fm_timers_hold(fm_local.timers))
        return fm_local.timers;
    fm_local.timers = NULL;
    if (atomic_load_explicit(&fm_rt.state, memory_order_acquire) == FM_RT_OFF) /* fm_runtime_start makes system calls */
        return NULL;
    struct fm_thread *self = fm_runtime_start(FM_BY_TIMER) ? fm_thread_attach() : NULL;
    if (!self || !self->seg)
        return NULL;
    fm_local.timers = fm_timers_of(self);
    if (!self->shared)
        measure_cost_once(fm_local.timers);
    return fm_local.timers;
}
