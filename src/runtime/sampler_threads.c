/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/sampler_threads.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/interpose/functions.h"
#include "runtime/libc/sampling_mask.h"
#include "runtime/runtime.h"
#include "runtime/sampler.h"
#include "runtime/signal/cfi.h"
#include "runtime/signal/thread_status.h"
#include "runtime/stack_bounds.h"
#include "runtime/tasks.h"

/* ---- timers ---- */

static bool make_timer(struct fm_sampled_thread *thread)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = fm_sampling.signal};
    uint64_t period = fm_rt.segment->sample_period_ns * thread->stride;
    struct timespec every = {(time_t)(period / 1000000000u), (long)(period % 1000000000u)};
    struct itimerspec when = {every, every};
    clockid_t clock = fm_rt.sampler.clock;
    if (clock == CLOCK_THREAD_CPUTIME_ID) /* the CPU clock of that thread, not of the caller */
        clock = (clockid_t)(~(unsigned)thread->tid << 3 | 6);
    event.sigev_value.sival_ptr = thread;
    event._sigev_un._tid = thread->tid;
    if (fm_kernel(SYS_timer_create, clock, &event, &thread->timer) != 0) {
        thread->timer = -1;
        return false;
    }
    return fm_kernel(SYS_timer_settime, thread->timer, 0, &when, NULL) == 0;
}

static void delete_timer(struct fm_sampled_thread *thread)
{
    if (thread->timer >= 0)
        fm_kernel(SYS_timer_delete, thread->timer);
    thread->timer = -1;
}

/* If there are many threads per processor, each is sampled less often and a sample counts for several periods: waking
 * hundreds of idle threads would slow down the others. */
static uint32_t stride_of(uint32_t place)
{
    enum { THREADS_PER_PROCESSOR = 4 };
    return 1 + place / (THREADS_PER_PROCESSOR * fm_rt.sampler.n_processors);
}

static struct fm_sampled_thread *claim_record(int32_t tid)
{
    for (uint32_t i = 0; i < FM_SAMPLED_THREADS; i++) {
        struct fm_sampled_thread *thread = &fm_sampling.threads[i];
        uint32_t expected = 0;
        if (__atomic_load_n(&thread->taken, __ATOMIC_RELAXED) ||
            !__atomic_compare_exchange_n(&thread->taken, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        __atomic_store_n(&fm_rt.sampler.n_places, fm_rt.sampler.n_places > i ? fm_rt.sampler.n_places : i + 1,
                         __ATOMIC_RELAXED);
        thread->tid = tid;
        thread->found = thread->paused = 0;
        thread->stride = stride_of(i);
        thread->samples_before = thread->samples;
        thread->timer = -1;
        thread->seg = NULL;
        thread->stack_low = tid == fm_rt.pid ? fm_rt.sampler.first_stack.low : 0;
        thread->stack_end = tid == fm_rt.pid ? fm_rt.sampler.first_stack.end : 0;
        thread->memory.n = 0;
        return thread;
    }
    return NULL;
}

static void release(struct fm_sampled_thread *thread)
{
    delete_timer(thread);
    fm_context_tree_come_back(&fm_sampling.contexts, (unsigned)thread->tid);
    __atomic_add_fetch(&fm_rt.segment->samples_lost, thread->pending, __ATOMIC_RELAXED);
    thread->pending = 0;
    __atomic_store_n(&thread->taken, 0, __ATOMIC_RELEASE);
}

/* ---- the signal ---- */

/* The program's signals are not blocked while a sample is taken: a signal for the whole process would otherwise go to a
 * different thread than without us. Only the signals with which libc cancels threads are blocked. libc removes those
 * from every mask, so the mask is set in the kernel's struct: handler, flags, restorer, mask. */
static bool install_handler(int signal)
{
    enum { LIBC_FIRST = 32, LIBC_SECOND };
    struct sigaction action = {.sa_sigaction = fm_sample_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    uint64_t words[4];
    sigemptyset(&action.sa_mask);
    if (fm_real.sigaction(signal, &action, NULL) != 0)
        return false;
    if (fm_kernel(SYS_rt_sigaction, signal, NULL, words, sizeof *words) == 0) {
        words[3] = fm_signal_bit(LIBC_FIRST) | fm_signal_bit(LIBC_SECOND);
        fm_kernel(SYS_rt_sigaction, signal, words, NULL, sizeof *words);
    }
    return true;
}

/* Restores the default action. Ignoring the signal first discards pending ones, which would terminate the process. */
static void restore_default(int signal)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    fm_real.sigaction(signal, &action, NULL);
    action.sa_handler = SIG_DFL;
    fm_real.sigaction(signal, &action, NULL);
}

static bool is_free(int signal)
{
    struct sigaction action;
    return !(atomic_load(&fm_rt.sampler.avoided) >> (signal - 1) & 1) &&
           fm_real.sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_DFL;
}

/* Returns a signal that is neither one of the first nor of the last real-time signals, which others use, or 0 if none
 * is free. Prefers one above those that the program uses: of two pending signals the kernel delivers the lower one
 * first, and its action decides whether a system call is interrupted. */
static int free_signal(void)
{
    enum { PREFERRED = 59, LOWEST = 36, HIGHEST = 63 };
    for (int signal = PREFERRED; signal <= HIGHEST; signal++)
        if (is_free(signal))
            return signal;
    for (int signal = PREFERRED - 1; signal >= LOWEST; signal--)
        if (is_free(signal))
            return signal;
    return 0;
}

static bool claim_signal(void)
{
    int signal = free_signal();
    if (!signal || !install_handler(signal))
        return false;
    fm_sampling.signal = signal;
    return true;
}

/* The caller holds the lock. */
static void for_each_thread(void (*act)(struct fm_sampled_thread *))
{
    for (uint32_t i = 0; i < fm_rt.sampler.n_places; i++)
        if (__atomic_load_n(&fm_sampling.threads[i].taken, __ATOMIC_ACQUIRE))
            act(&fm_sampling.threads[i]);
}

static void start_timer(struct fm_sampled_thread *thread)
{
    if (!thread->paused && !make_timer(thread))
        fm_sampler_thread_passed();
}

void fm_sampler_yield_signal(int signal)
{
    fm_sampler_avoid(1ull << (signal - 1));
    fm_lock(&fm_rt.sampler.lock);
    if (atomic_load(&fm_sampling.on) && fm_sampling.signal == signal) {
        for_each_thread(delete_timer);
        restore_default(signal);
        if (claim_signal()) {
            for_each_thread(start_timer);
        } else {
            atomic_store(&fm_sampling.on, 0);
            for_each_thread(release); /* none blocks a signal that now belongs to the program */
        }
    }
    fm_unlock(&fm_rt.sampler.lock);
}

void fm_sampler_avoid(uint64_t signals)
{
    atomic_fetch_or(&fm_rt.sampler.avoided, signals);
}

/* ---- threads ---- */

static int32_t own_tid(void)
{
    return (int32_t)fm_kernel(SYS_gettid);
}

/* Allocates the stack for signal handlers. An overflow hits a guard, not the memory of others. */
static bool make_signal_stack(struct fm_sampled_thread *thread)
{
    enum { GUARD = 65536 }; /* the largest page size */
    if (thread->signal_stack)
        return true;
    long map = fm_kernel(SYS_mmap, NULL, GUARD + FM_ALTSTACK_BYTES, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (map < 0)
        return false;
    fm_kernel(SYS_mprotect, map, GUARD, PROT_NONE);
    thread->signal_stack = (char *)map + GUARD;
    return true;
}

/* The caller holds the lock. Returns false if the thread cannot be sampled. */
static bool start_thread(struct fm_sampled_thread *self)
{
    if (!make_signal_stack(self) || !fm_altstack_begin(self->signal_stack))
        return false;
    if (!self->stack_end)
        fm_sample_find_stack(self);
    self->seg = fm_local.self && !fm_local.self->shared ? fm_local.self->seg : NULL;
    fm_sampling_local.self = self;
    if (self->timer < 0)
        start_timer(self);
    return true;
}

void fm_sampler_pause(bool pause)
{
    struct fm_sampled_thread *self = fm_sampling_local.self;
    if (!self || !self->taken || self->paused == pause || getpid() != fm_rt.pid)
        return;
    fm_lock(&fm_rt.sampler.lock);
    self->paused = pause;
    if (pause)
        delete_timer(self);
    else if (atomic_load(&fm_sampling.on))
        start_timer(self);
    fm_unlock(&fm_rt.sampler.lock);
}

/* Does not use libc: its functions may be replaced by the program, or by our wrappers, which would take the lock that
 * the caller holds. */
static long read_file(const char *name, char *text, size_t size)
{
    long fd = fm_kernel(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? -1 : fm_kernel(SYS_read, fd, text, size - 1);
    if (fd >= 0)
        fm_kernel(SYS_close, fd);
    if (n >= 0)
        text[n] = '\0';
    return n;
}

/* Returns true if a signal cannot break what the thread is doing. It may be in a call that it made before we began to
 * hold samples back during such calls. Safe are: running, or waiting for another thread without a timeout. */
static bool is_safe_to_interrupt(int32_t tid)
{
    char name[64], text[128] = "", *at = text;
    snprintf(name, sizeof name, "/proc/self/task/%d/syscall", tid);
    long n = read_file(name, text, sizeof text);
    if (n <= 0 || strncmp(text, "running", 7) == 0)
        return n > 0;
    bool futex = strtol(at, &at, 10) == SYS_futex;
    for (int i = 0; i < 3; i++)
        strtoull(at, &at, 16);
    return futex && strtoull(at, NULL, 16) == 0;
}

/* These threads are sampled as soon as they wait in libc. */
void fm_sampler_note_little_room(void)
{
    unsigned n = atomic_fetch_add(&fm_rt.sampler.n_small_stacks, 1);
    if (n < FM_SMALL_STACKS)
        __atomic_store_n(&fm_rt.sampler.small_stacks[n], own_tid(), __ATOMIC_RELEASE);
}

static bool has_small_stack(int32_t tid)
{
    unsigned n = atomic_load(&fm_rt.sampler.n_small_stacks);
    for (unsigned i = 0; i < n && i < FM_SMALL_STACKS; i++)
        if (__atomic_load_n(&fm_rt.sampler.small_stacks[i], __ATOMIC_ACQUIRE) == tid)
            return true;
    return n > FM_SMALL_STACKS;
}

static void adopt_thread(int32_t tid)
{
    if (!fm_rt.sampler.n_adopted++)
        fm_stacks_find();
    struct fm_sampled_thread *thread = claim_record(tid);
    if (!thread) {
        fm_sampler_thread_passed();
        return;
    }
    thread->found = 1;
    if (make_signal_stack(thread) && !has_small_stack(tid) && is_safe_to_interrupt(tid))
        start_timer(thread);
}

/* Threads that existed before sampling began, such as those started by libraries. */
static void adopt_existing_threads(void)
{
    fm_lock(&fm_rt.sampler.lock);
    fm_tasks_visit_others(adopt_thread);
    fm_unlock(&fm_rt.sampler.lock);
}

/* A thread that existed before gets its timer when it waits again. The program may be in a signal handler, so nothing
 * is allocated. */
struct fm_sampled_thread *fm_sampler_find_self(void)
{
    struct fm_sampled_thread *self = fm_sampling.threads, *unsampled = self + FM_SAMPLED_THREADS;
    int32_t tid = own_tid();
    if (getpid() != fm_rt.pid) /* a child: the lock may have been held at the fork */
        return unsampled;
    fm_lock(&fm_rt.sampler.lock);
    const struct fm_sampled_thread *end = self + fm_rt.sampler.n_places;
    while (self < end && (!self->taken || self->tid != tid))
        self++;
    if (self == end || !start_thread(self))
        fm_sampling_local.self = self = unsampled;
    fm_unlock(&fm_rt.sampler.lock);
    return self;
}

/* The end of such threads is not reported to us. */
static void release_if_ended(struct fm_sampled_thread *thread)
{
    if (thread->found && fm_kernel(SYS_tgkill, fm_rt.pid, thread->tid, 0) == -ESRCH)
        release(thread);
}

void fm_sampler_thread_begins(void)
{
    if (!atomic_load(&fm_sampling.on) || fm_sampling_local.self)
        return;
    fm_lock(&fm_rt.sampler.lock);
    for_each_thread(release_if_ended);
    struct fm_sampled_thread *self = atomic_load(&fm_sampling.on) ? claim_record(own_tid()) : NULL;
    if (self && !start_thread(self)) {
        release(self);
        self = NULL;
    }
    if (!self)
        fm_sampler_thread_passed();
    fm_unlock(&fm_rt.sampler.lock);
    if (self && fm_rt.sampler.has_end_key)
        pthread_setspecific(fm_rt.sampler.end_key, self);
}

void fm_sampler_thread_passed(void)
{
    if (atomic_load(&fm_sampling.on))
        __atomic_add_fetch(&fm_rt.segment->unsampled_threads, 1, __ATOMIC_RELAXED);
}

/* Threads that block all or nearly all signals do not get ours. If a thread blocks only few, it is in a wait during
 * which we block the signal ourselves. */
static void note_blocked_signal(struct fm_sampled_thread *thread, uint64_t blocked)
{
    enum { FEW = 32 };
    if (thread->timer >= 0 && thread->samples == thread->samples_before && __builtin_popcountll(blocked) > FEW)
        fm_sampler_thread_passed();
}

/* The caller holds the lock and therefore has all signals blocked: its own mask is that from before the lock. */
static void note_if_signal_blocked(struct fm_sampled_thread *thread)
{
    uint64_t blocked = fm_rt.sampler.lock.signals;
    if (thread->samples == thread->samples_before &&
        (thread->tid == own_tid() || fm_thread_blocks(thread->tid, &blocked)))
        note_blocked_signal(thread, blocked);
}

static void end_thread(void *data)
{
    struct fm_sampled_thread *self = data;
    if (self != fm_sampling_local.self || !self->taken) /* in a child all are free, and the lock may be held */
        return;
    note_blocked_signal(self, fm_change_mask(SIG_BLOCK, NULL));
    fm_lock(&fm_rt.sampler.lock);
    fm_sampling_local.self = NULL;
    if (atomic_load(&fm_sampling.on))
        release(self);
    fm_altstack_end();
    fm_unlock(&fm_rt.sampler.lock);
}

/* ---- all threads ---- */

/* Includes threads that have ended: their unwind rules are reused by the next thread with the same record. */
bool fm_sampler_has_rules_of(uintptr_t start, uintptr_t end)
{
    uint32_t n = __atomic_load_n(&fm_rt.sampler.n_places, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n; i++)
        if (fm_rules_are_of(&fm_sampling.threads[i].rules, start, end))
            return true;
    return false;
}

/* Binds the functions that the handler calls before the first sample: the loader must not run in a handler, nor use
 * kilobytes of the small stack of a thread that waits in libc. */
static void bind_functions(void)
{
    volatile size_t nothing = 0;
    volatile uintptr_t sink;
    struct fm_cfi_module module;
    struct timespec now;
    ucontext_t context;
    char buffer[64] = "";
    __asm__ volatile("" : : "r"(buffer) : "memory"); /* keeps the compiler from removing `buffer` */
    clock_gettime(CLOCK_MONOTONIC, &now);
    getcontext(&context);
    memset(buffer, 0, nothing);
    memmove(buffer, buffer + nothing, nothing);
    memcpy(buffer + nothing, buffer, nothing);
    __asm__ volatile("" : : "r"(buffer) : "memory");
    sink = getauxval(AT_PAGESZ);
    sink = (uintptr_t)pthread_self();
    sink = (uintptr_t)&errno;
    sink = (uintptr_t)getpid();
    sink = fm_cfi_find_module((uintptr_t)bind_functions, &module);
    (void)sink;
}

static uint32_t count_processors(void)
{
    uint64_t processors[128];
    uint32_t n = 0;
    long bytes = fm_kernel(SYS_sched_getaffinity, 0, sizeof processors, processors);
    for (long i = 0; i < bytes / (long)sizeof *processors; i++)
        n += (uint32_t)__builtin_popcountll(processors[i]);
    return n ? n : 1;
}

bool fm_sampler_prepare(clockid_t clock)
{
    bind_functions();
    fm_rt.sampler.clock = clock;
    fm_rt.sampler.n_processors = count_processors();
    fm_rt.sampler.first_stack = fm_first_stack();
    if (!claim_signal())
        return false;
    fm_rt.sampler.has_end_key = pthread_key_create(&fm_rt.sampler.end_key, end_thread) == 0;
    return true;
}

void fm_sampler_begin(void)
{
    atomic_store(&fm_sampling.on, 1);
    fm_sampler_thread_begins();
    adopt_existing_threads();
}

void fm_sampler_end(void)
{
    fm_lock(&fm_rt.sampler.lock);
    if (atomic_load(&fm_sampling.on))
        for_each_thread(note_if_signal_blocked);
    if (atomic_exchange(&fm_sampling.on, 0)) {
        for_each_thread(release);
        restore_default(fm_sampling.signal);
    }
    fm_unlock(&fm_rt.sampler.lock);
    fm_altstack_end();
    fm_sampling_local.self = NULL;
}

void fm_sampler_forget(void)
{
    if (atomic_exchange(&fm_sampling.on, 0))
        restore_default(fm_sampling.signal);
    fm_altstack_end();
    fm_sampling_local.self = NULL;
}
