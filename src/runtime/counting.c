/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/counting.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/settings.h"
#include "runtime/counters/open.h"
#include "runtime/counters/read.h"
#include "runtime/interpose/functions.h"
#include "runtime/runtime.h"
#include "runtime/tasks.h"

/* ---- what is counted ---- */

static bool find_named(const struct fm_perf_events *events, const char *name)
{
    for (size_t i = 0; i < events->n; i++)
        if (strcmp(events->list[i].name, name) == 0)
            return true;
    return false;
}

/* Not every processor can count the misses of its last-level cache apart. On x86 the generic event is the same or
 * close. */
static void add_cache_misses(struct fm_perf_events *events)
{
    struct fm_perf_events other;
    struct fm_perf_event dropped;
    size_t length;
    if (find_named(events, "LLC-load-misses") || events->n == FM_COUNTERS ||
        fm_perf_events_parse("cache-misses", &other, &length) || fm_counters_probe(&other, &dropped))
        return;
    events->list[events->n++] = other.list[0];
}

/* The defaults of this machine. Returns 0 or an error number. */
static int choose_default(struct fm_perf_events *events)
{
    struct fm_perf_event dropped;
    if (fm_counters_probe(events, &dropped) == 0) {
        add_cache_misses(events);
        return 0;
    }
    fm_perf_events_software(events);
    return fm_counters_probe(events, &dropped);
}

/* The first that is not counted is remembered. */
static void note_unknown(const char *name, size_t length)
{
    if (!fm_rt.segment->text_unknown_counter)
        fm_rt.segment->text_unknown_counter = fm_text_add(name, length);
}

/* Those that the user asked for. Returns 0 or an error number. */
static int choose_given(struct fm_perf_events *events)
{
    struct fm_perf_event dropped = {.name = ""};
    int error = fm_counters_probe(events, &dropped);
    if (*dropped.name && !error)
        note_unknown(dropped.name, strlen(dropped.name));
    return error;
}

/* The names given without `fathom run`, which knows only the generic ones. */
static bool read_names(const char *names, struct fm_perf_events *events)
{
    size_t length;
    const char *unknown = fm_perf_events_parse(names, events, &length);
    if (unknown)
        note_unknown(unknown, length);
    return events->n > 0;
}

/* Returns false if nothing is to be counted. */
static bool read_settings(struct fm_perf_events *events)
{
    const char *names = getenv("FATHOM_COUNTERS"), *resolved = getenv("FATHOM_EVENTS");
    bool on = true;
    if (names && *names && fm_setting_switch(names, &on) && !on)
        return false;
    if (resolved && *resolved)
        return fm_perf_events_read(resolved, events);
    if (names && *names && !fm_setting_switch(names, &on))
        return read_names(names, events);
    fm_perf_events_hardware(events);
    return true;
}

/* Events that the processor counts come first: only those can be read in user space. One that was given twice is counted
 * once. */
static void sort_events(struct fm_perf_events *events)
{
    struct fm_perf_events sorted = {.by_default = events->by_default};
    for (int software = 0; software < 2; software++)
        for (size_t i = 0; i < events->n; i++)
            if (fm_perf_event_is_software(&events->list[i]) == software && !find_named(&sorted, events->list[i].name))
                sorted.list[sorted.n++] = events->list[i];
    *events = sorted;
}

static uint32_t add_names(const struct fm_perf_events *events)
{
    char text[FM_COUNTERS * (FM_EVENT_NAME + 1) + 1];
    size_t used = 0;
    for (size_t i = 0; i < events->n; i++) {
        text[used++] = fm_perf_event_is_software(&events->list[i]) ? 's' : 'h';
        memcpy(text + used, events->list[i].name, strlen(events->list[i].name) + 1);
        used += strlen(events->list[i].name) + 1;
    }
    return fm_text_add(text, used); /* which ends with an empty string */
}

/* ---- threads ---- */

static bool make_busy(struct fm_counted_thread *thread, uint32_t from)
{
    return __atomic_load_n(&thread->place, __ATOMIC_RELAXED) == from &&
           __atomic_compare_exchange_n(&thread->place, &from, FM_PLACE_BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static void set_place(struct fm_counted_thread *thread, enum fm_counted_place place)
{
    __atomic_store_n(&thread->place, place, __ATOMIC_RELEASE);
}

/* A place that was free, busy now. */
static struct fm_counted_thread *claim(int32_t tid)
{
    uint32_t capacity = fm_rt.segment->sections[FM_SECTION_COUNTERS].capacity;
    struct fm_segment_counters *all = fm_section(fm_rt.segment, FM_SECTION_COUNTERS);
    for (uint32_t i = 0; i < capacity && i < FM_COUNTED_THREADS; i++) {
        struct fm_counted_thread *thread = &fm_counting.threads[i];
        if (!make_busy(thread, FM_PLACE_FREE))
            continue;
        thread->tid = tid;
        thread->seg = &all[i];
        thread->seg->inside = 0;
        for (uint32_t k = 0; k < FM_COUNTERS; k++) {
            thread->before[k] = all[i].counts[k].total;
            thread->enabled_before[k] = all[i].counts[k].enabled_ns;
            thread->running_before[k] = all[i].counts[k].running_ns;
        }
        return thread;
    }
    return NULL;
}

static void release(struct fm_counted_thread *thread)
{
    fm_counters_close(thread);
    set_place(thread, FM_PLACE_FREE);
}

static void raise_to(uint32_t *value, uint32_t least)
{
    uint32_t now = __atomic_load_n(value, __ATOMIC_RELAXED);
    while (now < least && !__atomic_compare_exchange_n(value, &now, least, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        ;
}

/* Returns NULL if it cannot be counted. tid: 0 for the calling thread. */
static struct fm_counted_thread *begin(int32_t tid, int *error)
{
    struct fm_counted_thread *thread = claim(tid ? tid : (int32_t)fm_kernel(SYS_gettid));
    *error = thread ? fm_counters_open(thread, tid) : EAGAIN;
    if (thread && *error) {
        release(thread);
        thread = NULL;
    }
    if (!thread) {
        __atomic_add_fetch(&fm_rt.segment->uncounted_threads, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    uint32_t places = (uint32_t)(thread - fm_counting.threads) + 1;
    thread->seg->tid = (uint64_t)thread->tid;
    raise_to(&fm_counting.n_places, places);
    raise_to(&fm_rt.segment->n_counters, places);
    set_place(thread, FM_PLACE_TAKEN);
    return thread;
}

static void adopt(int32_t tid)
{
    int error;
    begin(tid, &error);
}

/* The counters of a thread that existed before. */
static struct fm_counted_thread *find(int32_t tid)
{
    for (uint32_t i = 0; i < fm_counting.n_places; i++)
        if (__atomic_load_n(&fm_counting.threads[i].place, __ATOMIC_ACQUIRE) && fm_counting.threads[i].tid == tid)
            return &fm_counting.threads[i];
    return NULL;
}

/* One whose events are being opened, or are closed already, is not used by its thread. */
static void keep(struct fm_counted_thread *self)
{
    if (!self || __atomic_load_n(&self->place, __ATOMIC_ACQUIRE) != FM_PLACE_TAKEN)
        return;
    fm_counted = self;
    if (fm_rt.counting.has_end_key)
        pthread_setspecific(fm_rt.counting.end_key, self);
}

/* Opening and closing the events of a thread takes about 100 us. A program may start a thread for each of many short
 * tasks: those for which there is no time left are not counted. */
static bool is_affordable(void)
{
    enum { FREE_NS = 50000000, PART_OF_RUN = 256 };
    uint64_t elapsed = fm_clock_ns(CLOCK_MONOTONIC) - fm_rt.clock.start.ns;
    return atomic_load(&fm_rt.counting.spent_ns) < FREE_NS + elapsed / PART_OF_RUN;
}

static void begin_new(void)
{
    int error;
    if (!is_affordable()) {
        __atomic_add_fetch(&fm_rt.segment->uncounted_threads, 1, __ATOMIC_RELAXED);
        return;
    }
    uint64_t start = fm_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    keep(begin(0, &error));
    atomic_fetch_add(&fm_rt.counting.spent_ns, fm_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start);
}

void fm_counting_thread_begins(void)
{
    if (!atomic_load(&fm_counting.on) || fm_counted || fm_syscalls_forbidden() || getpid() != fm_rt.pid)
        return;
    struct fm_counted_thread *self = find((int32_t)fm_kernel(SYS_gettid));
    if (self)
        keep(self);
    else
        begin_new();
}

/* In a child all places are free; at the end of the process they are busy. */
static void end_thread(void *data)
{
    struct fm_counted_thread *self = data;
    if (self != fm_counted)
        return;
    fm_counted = NULL;
    if (!atomic_load(&fm_counting.on) || fm_syscalls_forbidden() || !make_busy(self, FM_PLACE_TAKEN))
        return;
    uint64_t start = fm_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    fm_counters_update(self, true);
    release(self);
    atomic_fetch_add(&fm_rt.counting.spent_ns, fm_clock_ns(CLOCK_THREAD_CPUTIME_ID) - start);
}

/* ---- start and end ---- */

static bool allocate(void)
{
    size_t bytes = FM_COUNTED_THREADS * sizeof *fm_counting.threads;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    madvise(map, bytes, MADV_WIPEONFORK);
    fm_counting.threads = map;
    fm_counting.page_bytes = (uint32_t)sysconf(_SC_PAGESIZE);
    return true;
}

/* If the processor has too few counters for all events at once, the last ones are left out. */
static void begin_with_room(struct fm_perf_events *events, int *error)
{
    keep(begin(0, error));
    for (; !fm_counted && (*error == EINVAL || *error == ENOSPC) && events->n > 1; keep(begin(0, error))) {
        const char *name = events->list[--events->n].name;
        note_unknown(name, strlen(name));
    }
    fm_rt.segment->uncounted_threads = 0;
}

void fm_counting_start(void)
{
    struct fm_perf_events *events = &fm_counting.events;
    if (!read_settings(events))
        return;
    int error = events->by_default ? choose_default(events) : choose_given(events);
    sort_events(events);
    fm_rt.segment->counters_error = (uint32_t)error;
    if (error || !events->n || !allocate())
        return;
    fm_rt.counting.has_end_key = pthread_key_create(&fm_rt.counting.end_key, end_thread) == 0;
    begin_with_room(events, &error);
    fm_rt.segment->counters_error = (uint32_t)error;
    if (!fm_counted)
        return;
    fm_rt.segment->text_counters = add_names(events);
    fm_rt.slow_clock |= fm_counted->split > 0;
    fm_rt.split = fm_counted->split > 0;
    atomic_store(&fm_counting.on, 1);
    fm_interpose_begin(FM_FOR_COUNTERS);
    fm_tasks_visit_others(adopt);
}

void fm_counting_stop(void)
{
    if (!atomic_exchange(&fm_counting.on, 0))
        return;
    fm_interpose_end(FM_FOR_COUNTERS);
    for (uint32_t i = 0; i < fm_counting.n_places; i++) {
        struct fm_counted_thread *thread = &fm_counting.threads[i];
        if (!make_busy(thread, FM_PLACE_TAKEN))
            continue;
        if (thread == fm_counted)
            fm_counters_update(thread, true);
        else
            fm_counters_update_other(thread, true);
        thread->split = 0; /* its place stays busy and its pages mapped: the thread may be reading them */
    }
    fm_counters_close_inherited();
}

void fm_counting_forget(void)
{
    fm_counted = NULL;
    if (atomic_exchange(&fm_counting.on, 0) && !fm_syscalls_forbidden())
        fm_counters_close_inherited();
}
