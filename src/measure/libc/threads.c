/* Threads that the program starts: each is sampled from its first function to the end of its last destructor. */
#define _GNU_SOURCE
#include <stdbool.h>

#include "measure/libc/functions.h"
#include "measure/runtime.h"
#include "measure/sampler.h"

/* What a thread is to run, from its creation until it begins. */
enum { STARTS = 256, SMALL_STACK = 65536 };
static struct start {
    atomic_uint taken;
    void *(*thread)(void *);
    thrd_start_t thrd;
    void *argument;
} starts[STARTS];

static struct start *take_start(void)
{
    static atomic_uint next;
    unsigned from = atomic_load_explicit(&next, memory_order_relaxed);
    for (unsigned i = 0; i < STARTS; i++) {
        struct start *start = &starts[(from + i) % STARTS];
        unsigned expected = 0;
        if (atomic_compare_exchange_strong_explicit(&start->taken, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed)) {
            atomic_store_explicit(&next, from + i + 1, memory_order_relaxed);
            return start;
        }
    }
    fm_sampler_thread_passed();
    return NULL;
}

static struct start leave_start(struct start *start)
{
    struct start copy = {.thread = start->thread, .thrd = start->thrd, .argument = start->argument};
    atomic_store_explicit(&start->taken, 0, memory_order_release);
    return copy;
}

/* Not in a child, and not where a handler with a kernel's frame of some kilobytes might not fit. */
static bool to_be_sampled(const pthread_attr_t *attributes)
{
    size_t bytes = SMALL_STACK;
    if (!atomic_load_explicit(&fm_sampling.on, memory_order_relaxed) || getpid() != fm_rt.pid)
        return false;
    fm_sampler_note_modules();
    if (!attributes || (pthread_attr_getstacksize(attributes, &bytes) == 0 && bytes >= SMALL_STACK))
        return true;
    fm_sampler_thread_passed();
    return false;
}

/* The last call leaves no frame of ours behind. */
static void *begin_thread(void *data)
{
    struct start start = leave_start(data);
    fm_sampler_thread_begins();
    return start.thread(start.argument);
}

static int begin_thrd(void *data)
{
    struct start start = leave_start(data);
    fm_sampler_thread_begins();
    return start.thrd(start.argument);
}

int fm_wrapped_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                              void *argument)
{
    struct start *start = to_be_sampled(attributes) ? take_start() : NULL;
    if (!start)
        return fm_libc.pthread_create(thread, attributes, routine, argument);
    start->thread = routine;
    start->argument = argument;
    int result = fm_libc.pthread_create(thread, attributes, begin_thread, start);
    if (result != 0)
        leave_start(start);
    return result;
}

int fm_wrapped_thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
    struct start *start = to_be_sampled(NULL) ? take_start() : NULL;
    if (!start)
        return fm_libc.thrd_create(thread, routine, argument);
    start->thrd = routine;
    start->argument = argument;
    int result = fm_libc.thrd_create(thread, begin_thrd, start);
    if (result != thrd_success)
        leave_start(start);
    return result;
}
