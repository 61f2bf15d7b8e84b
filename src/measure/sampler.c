#define _GNU_SOURCE
#include "measure/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/runtime.h"
#include "measure/site.h"

extern void *__libc_stack_end; /* the loader's: where the first thread's stack begins */

static pthread_key_t end_key;
static bool has_end_key;
static clockid_t sampling_clock;

/* ---- what was asked for ---- */

/* Samples a second; 0: none. "cpu:100" counts the time that a thread computes, not the time that passes. */
static unsigned wanted_hz(clockid_t *clock)
{
    const char *text = getenv("FATHOM_SAMPLE");
    *clock = CLOCK_MONOTONIC;
    if (!text || !*text)
        return FM_SAMPLING_HZ;
    if (strncmp(text, "cpu:", 4) == 0) {
        *clock = CLOCK_THREAD_CPUTIME_ID;
        text += 4;
    }
    char *end;
    unsigned long hz = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end)
        return 0;
    return hz > FM_SAMPLING_MAX_HZ ? FM_SAMPLING_MAX_HZ : (unsigned)hz;
}

/* ---- timers ---- */

static bool make_timer(struct fm_sampled *thread)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = FM_SAMPLING_SIGNAL};
    uint64_t period = fm_rt.segment->sample_period_ns;
    struct timespec every = {(time_t)(period / 1000000000u), (long)(period % 1000000000u)};
    struct itimerspec when = {every, every};
    clockid_t clock = sampling_clock;
    if (clock == CLOCK_THREAD_CPUTIME_ID) /* of that thread, whoever asks */
        clock = (clockid_t)(~(unsigned)thread->tid << 3 | 6);
    event.sigev_value.sival_ptr = thread;
    event._sigev_un._tid = thread->tid;
    if (syscall(SYS_timer_create, clock, &event, &thread->timer) != 0) {
        thread->timer = -1;
        return false;
    }
    return syscall(SYS_timer_settime, thread->timer, 0, &when, NULL) == 0;
}

static struct fm_sampled *take_thread(int32_t tid)
{
    for (uint32_t i = 0; i < FM_SAMPLED_THREADS; i++) {
        struct fm_sampled *thread = &fm_sampling.threads[i];
        uint32_t expected = 0;
        if (__atomic_load_n(&thread->taken, __ATOMIC_RELAXED) ||
            !__atomic_compare_exchange_n(&thread->taken, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            continue;
        thread->tid = tid;
        thread->timer = -1;
        thread->seg = NULL;
        thread->stack_end = thread->stack_seen = 0;
        thread->memory.n = 0;
        return thread;
    }
    return NULL;
}

static void release(struct fm_sampled *thread)
{
    if (thread->timer >= 0)
        syscall(SYS_timer_delete, thread->timer);
    thread->timer = -1;
    __atomic_add_fetch(&fm_rt.segment->samples_lost, thread->pending, __ATOMIC_RELAXED);
    thread->pending = 0;
    __atomic_store_n(&thread->taken, 0, __ATOMIC_RELEASE);
}

/* ---- threads ---- */

static int32_t own_tid(void)
{
    return (int32_t)syscall(SYS_gettid);
}

void fm_sampler_thread_begins(void)
{
    if (!atomic_load(&fm_sampling.on) || fm_sampled_self)
        return;
    struct fm_sampled *self = take_thread(own_tid());
    if (!self) {
        __atomic_add_fetch(&fm_rt.segment->unsampled_threads, 1, __ATOMIC_RELAXED);
        return;
    }
    uintptr_t end = self->tid == fm_rt.pid ? (uintptr_t)__libc_stack_end : (uintptr_t)pthread_self();
    self->stack_end = self->stack_seen = end;
    self->seg = fm_local.self && !fm_local.self->shared ? fm_local.self->seg : NULL;
    fm_sampled_self = self;
    if (has_end_key)
        pthread_setspecific(end_key, self);
    if (!make_timer(self))
        __atomic_add_fetch(&fm_rt.segment->unsampled_threads, 1, __ATOMIC_RELAXED);
}

static void end_thread(void *data)
{
    struct fm_sampled *self = data;
    if (self != fm_sampled_self || !atomic_load(&fm_sampling.on))
        return;
    fm_sampled_self = NULL;
    release(self);
}

void fm_sampler_thread_ends(void)
{
    if (fm_sampled_self)
        end_thread(fm_sampled_self);
}

/* Threads that were there before us, as libraries start them. */
static void find_other_threads(void)
{
    struct {
        uint64_t inode;
        int64_t offset;
        uint16_t length;
        uint8_t type;
        char name[];
    } * entry;
    _Alignas(8) char entries[2048];
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long bytes; fd >= 0 && (bytes = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < bytes; at += entry->length) {
            entry = (void *)(entries + at);
            int32_t tid = atoi(entry->name);
            struct fm_sampled *thread = tid > 0 && tid != own_tid() ? take_thread(tid) : NULL;
            if (thread && !make_timer(thread))
                release(thread);
        }
    }
    if (fd >= 0)
        close(fd);
}

/* ---- load modules ---- */

static int note_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
            fm_site_register(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
            return 0;
        }
    return 0;
}

void fm_sampler_note_modules(void)
{
    if (fm_sampling.threads && fm_rt.segment->sample_period_ns)
        dl_iterate_phdr(note_module, NULL);
}

/* ---- start and end ---- */

static bool make_room(void)
{
    uint32_t capacity = fm_rt.segment->sections[FM_SECTION_PATHS].capacity;
    size_t threads = FM_SAMPLED_THREADS * sizeof *fm_sampling.threads, bits = (capacity + 63u) / 64 * sizeof(uint64_t);
    char *map = mmap(NULL, threads + bits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    madvise(map, threads + bits, MADV_WIPEONFORK);
    fm_contexts_make(&fm_sampling.contexts, fm_rt.segment, (uint64_t *)(void *)(map + threads));
    fm_sampling.threads = (struct fm_sampled *)(void *)map;
    return true;
}

void fm_sampler_start(void)
{
    struct sigaction action = {.sa_sigaction = fm_sample_signal, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    unsigned hz = wanted_hz(&sampling_clock);
    if (!hz || !make_room())
        return;
    fm_rt.segment->sample_period_ns = 1000000000u / hz;
    fm_sampler_note_modules();
    if (sigaction(FM_SAMPLING_SIGNAL, &action, &fm_sampling.program) != 0)
        return;
    has_end_key = pthread_key_create(&end_key, end_thread) == 0;
    atomic_store(&fm_sampling.on, 1);
    fm_sampler_thread_begins();
    find_other_threads();
}

void fm_sampler_stop(void)
{
    if (!atomic_exchange(&fm_sampling.on, 0))
        return;
    fm_sampler_note_modules();
    for (uint32_t i = 0; i < FM_SAMPLED_THREADS; i++)
        if (__atomic_load_n(&fm_sampling.threads[i].taken, __ATOMIC_ACQUIRE))
            release(&fm_sampling.threads[i]);
    fm_sampled_self = NULL;
}

void fm_sampler_forget(void)
{
    atomic_store(&fm_sampling.on, 0);
    fm_sampled_self = NULL;
}
