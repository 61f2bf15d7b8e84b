/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/thread_slots.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/counting.h"
#include "runtime/signal/sample.h"
#include "runtime/timers/timer_room.h"

static void thread_ended(void *data)
{
    struct fm_thread *thread = data;
    fm_timers_end(&thread->timers);
    fm_thread_detach();
    if (!thread->shared)
        __atomic_store_n(&thread->taken, 0, __ATOMIC_RELEASE);
}

static struct fm_thread *claim_slot(void)
{
    uint32_t last = fm_rt.segment->sections[FM_SECTION_THREADS].capacity - 1;
    for (uint32_t i = 0; i < last; i++) {
        uint32_t expected = 0;
        if (__atomic_load_n(&fm_rt.slots.all[i].taken, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&fm_rt.slots.all[i].taken, &expected, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return &fm_rt.slots.all[i];
    }
    fm_rt.slots.all[last].shared = true;
    fm_runtime_threaded();
    return &fm_rt.slots.all[last];
}

/* A thread starts in the current region of the first thread (slot 0). */
static uint32_t first_region(uint32_t slot)
{
    const struct fm_segment_thread *all = fm_section(fm_rt.segment, FM_SECTION_THREADS);
    return slot ? __atomic_load_n(&all[0].region, __ATOMIC_RELAXED) : 0;
}

struct fm_thread *fm_thread_attach(void)
{
    if (atomic_load_explicit(&fm_rt.state, memory_order_acquire) != FM_RT_ON)
        return NULL;
    if (fm_local.attached && fm_local.attached->seg)
        return fm_local.attached;
    if (fm_syscalls_forbidden())
        return NULL;
    if (getpid() != fm_rt.pid) {
        fm_runtime_off();
        return NULL;
    }
    struct fm_thread *thread = claim_slot();
    thread->slot = (uint32_t)(thread - fm_rt.slots.all);
    fm_local.guard = 0;
    thread->seg = (struct fm_segment_thread *)fm_section(fm_rt.segment, FM_SECTION_THREADS) + thread->slot;
    thread->seg->tid = (uint64_t)fm_kernel(SYS_gettid);
    thread->seg->call_routine = 0;
    thread->seg->region_depth = 0;
    for (size_t i = 0; i < FM_REDUCTIONS; i++) /* of the thread that had the slot before */
        thread->reductions[i] = (struct fm_last_reduction){0};
    thread->seg->region = first_region(thread->slot);
    fm_lock(&fm_rt.table_lock);
    if (fm_rt.segment->n_threads <= thread->slot)
        fm_rt.segment->n_threads = thread->slot + 1;
    fm_unlock(&fm_rt.table_lock);
    if (fm_rt.slots.has_end_key)
        pthread_setspecific(fm_rt.slots.end_key, thread);
    fm_local.attached = thread;
    fm_counting_thread_begins();
    if (fm_sampling_local.self && !thread->shared)
        fm_sampling_local.self->seg = thread->seg;
    return thread;
}

bool fm_threads_make(void)
{
    size_t bytes = FM_THREAD_SLOTS * sizeof *fm_rt.slots.all + sizeof *fm_rt.slots.is_parent;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    madvise(map, bytes, MADV_WIPEONFORK);
    fm_rt.slots.all = map;
    fm_rt.slots.is_parent = (uint32_t *)(void *)(fm_rt.slots.all + FM_THREAD_SLOTS);
    *fm_rt.slots.is_parent = 1;
    return true;
}

void fm_threads_watch_exits(void)
{
    fm_rt.slots.has_end_key = pthread_key_create(&fm_rt.slots.end_key, thread_ended) == 0;
}

bool fm_threads_are_own(void)
{
    return *fm_rt.slots.is_parent;
}
