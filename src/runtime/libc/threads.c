/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that the program creates: each is sampled and counted from its start routine to the end of its last destructor. */
#define _GNU_SOURCE
#include <stdbool.h>

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

static struct fm_thread_start release_start(struct fm_thread_start *start)
{
    struct fm_thread_start copy = {
        .thread = start->thread, .thrd = start->thrd, .argument = start->argument, .room = start->room};
    atomic_store_explicit(&start->taken, 0, memory_order_release);
    return copy;
}

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

static void begin(const struct fm_thread_start *start, uintptr_t frame)
{
    enum { SMALL_STACK = 128 * 1024 };
    fm_sampling_local.stack_low = start->room ? frame - start->room : 0;
    if (start->room < SMALL_STACK && !atomic_load_explicit(&fm_sampling.on, memory_order_relaxed))
        fm_sampler_note_little_room();
    fm_sampler_thread_begins();
    fm_counting_thread_begins();
}

/* The last call is a tail call: no frame of ours remains on the stack. */
static void *begin_thread(void *data)
{
    struct fm_thread_start start = release_start(data);
    begin(&start, (uintptr_t)__builtin_frame_address(0));
    return start.thread(start.argument);
}

static int begin_thrd(void *data)
{
    struct fm_thread_start start = release_start(data);
    begin(&start, (uintptr_t)__builtin_frame_address(0));
    return start.thrd(start.argument);
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
    int result = fm_real.pthread_create(thread, attributes, begin_thread, start);
    if (result != 0)
        release_start(start);
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
    int result = fm_real.thrd_create(thread, begin_thrd, start);
    if (result != thrd_success)
        release_start(start);
    return result;
}
