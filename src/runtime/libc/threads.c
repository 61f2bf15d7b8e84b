/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that the program creates: each is sampled and counted from its start routine to the end of its last destructor. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "runtime/counting.h"
#include "runtime/interpose/functions.h"
#include "runtime/runtime.h"
#include "runtime/sampler.h"
#include "runtime/stack_bounds.h"

static struct fm_thread_start *claim_start(void)
{
    unsigned from = atomic_load_explicit(&fm_rt.sampler.next_start, memory_order_relaxed);
    for (unsigned i = 0; i < FM_THREAD_STARTS; i++) {
        struct fm_thread_start *start = &fm_rt.sampler.starts[(from + i) % FM_THREAD_STARTS];
        unsigned expected = 0;
        if (atomic_compare_exchange_strong_explicit(&start->taken, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed)) {
            atomic_store_explicit(&fm_rt.sampler.next_start, from + i + 1, memory_order_relaxed);
            return start;
        }
    }
    fm_sampler_thread_passed();
    return NULL;
}

static void release_start(struct fm_thread_start *start)
{
    atomic_store_explicit(&start->taken, 0, memory_order_release);
}

/* ---- the thread has begun ---- */

/* While a thread opens its events, they have the lowest free descriptors for a moment. The program does not see that as
 * long as its call that creates the thread has not returned; afterwards it could be about to open a file that must get
 * the lowest one. The wait has an end: a thread may get no CPU because of one that waits for its creator, or because its
 * creator has a higher real-time priority. Nobody waits a second time then. */
static void wait_until_begun(struct fm_thread_start *start, unsigned before)
{
    enum { PAUSE_NS = 10000000, MAX_PAUSES = 20 };
    const struct timespec pause = {0, PAUSE_NS};
    int i = 0;
    if (!atomic_load(&fm_counting.on) || atomic_load(&fm_rt.sampler.starts_late))
        return;
    for (; i < MAX_PAUSES && atomic_load(&start->begun) == before && fm_syscalls_enter(); i++) {
        fm_kernel(SYS_futex, &start->begun, FUTEX_WAIT_PRIVATE, before, &pause);
        fm_syscalls_leave();
    }
    if (i == MAX_PAUSES)
        atomic_store(&fm_rt.sampler.starts_late, true);
}

static void note_begun(struct fm_thread_start *start)
{
    atomic_fetch_add(&start->begun, 1);
    if (!atomic_load(&fm_counting.on) || !fm_syscalls_enter())
        return;
    fm_wake_all(&start->begun);
    fm_syscalls_leave();
}

/* ---- threads ---- */

/* Returns false in a child. In a process that may be measured later, threads record where their stack is. */
static bool may_be_measured(void)
{
    if (!atomic_load_explicit(&fm_sampling.on, memory_order_relaxed) &&
        !atomic_load_explicit(&fm_counting.on, memory_order_relaxed))
        return atomic_load_explicit(&fm_rt.state, memory_order_relaxed) == FM_RT_IDLE;
    if (getpid() != fm_rt.pid)
        return false;
    fm_sampler_note_modules();
    return true;
}

static void begin(struct fm_thread_start *start, uintptr_t frame)
{
    enum { SMALL_STACK = 128 * 1024 };
    fm_sampling_local.stack_low = start->room ? frame - start->room : 0;
    if (start->room < SMALL_STACK && !atomic_load_explicit(&fm_sampling.on, memory_order_relaxed))
        fm_sampler_note_little_room();
    fm_sampler_thread_begins();
    fm_counting_thread_begins();
    note_begun(start);
    release_start(start);
}

/* The last call is a tail call: no frame of ours remains on the stack. */
static void *begin_thread(void *data)
{
    struct fm_thread_start *start = data;
    void *(*routine)(void *) = start->thread;
    void *argument = start->argument;
    begin(start, (uintptr_t)__builtin_frame_address(0));
    return routine(argument);
}

static int begin_thrd(void *data)
{
    struct fm_thread_start *start = data;
    thrd_start_t routine = start->thrd;
    void *argument = start->argument;
    begin(start, (uintptr_t)__builtin_frame_address(0));
    return routine(argument);
}

int fm_wrapped_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                              void *argument)
{
    struct fm_thread_start *start = may_be_measured() ? claim_start() : NULL;
    if (!start)
        return fm_real.pthread_create(thread, attributes, routine, argument);
    start->thread = routine;
    start->argument = argument;
    start->room = fm_stack_room(attributes);
    unsigned before = atomic_load(&start->begun);
    int result = fm_real.pthread_create(thread, attributes, begin_thread, start);
    if (result != 0)
        release_start(start);
    else
        wait_until_begun(start, before);
    return result;
}

int fm_wrapped_thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    struct fm_thread_start *start = may_be_measured() ? claim_start() : NULL;
    if (!start)
        return fm_real.thrd_create(thread, routine, argument);
    start->thrd = routine;
    start->argument = argument;
    start->room = fm_stack_room(NULL);
    unsigned before = atomic_load(&start->begun);
    int result = fm_real.thrd_create(thread, begin_thrd, start);
    if (result != thrd_success)
        release_start(start);
    else
        wait_until_begun(start, before);
    return result;
}
