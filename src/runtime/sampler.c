/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "runtime/sampler.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/settings.h"
#include "runtime/interpose/functions.h"
#include "runtime/interpose/loads.h"
#include "runtime/libc/sampling_mask.h"
#include "runtime/libc/transfers.h"
#include "runtime/load_modules.h"
#include "runtime/runtime.h"
#include "runtime/sampler_threads.h"
#include "runtime/site.h"

/* ---- settings ---- */

/* Samples per second; 0: no sampling. "cpu:100" samples by the thread's CPU time instead of wall time. */
static unsigned requested_hz(clockid_t *clock)
{
    const char *text = getenv("FATHOM_SAMPLE");
    unsigned hz = FM_SAMPLING_HZ;
    bool of_cpu = false;
    if (text && *text && !fm_setting_sampling(text, &hz, &of_cpu))
        hz = 0;
    *clock = of_cpu ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    return hz;
}

/* From /proc/self/status. */
struct status {
    bool traced;          /* a debugger would stop the program at each signal, including ours */
    unsigned descriptors; /* size of the descriptor table, limited to MAX_DESCRIPTORS */
};

static struct status read_status(void)
{
    enum { MAX_DESCRIPTORS = 1024 };
    struct status status = {.descriptors = MAX_DESCRIPTORS};
    char text[1024] = "";
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return status;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    const char *tracer = n > 0 ? strstr(text, "\nTracerPid:") : NULL, *size = n > 0 ? strstr(text, "\nFDSize:") : NULL;
    status.traced = tracer && atoi(tracer + strlen("\nTracerPid:")) != 0;
    if (size && atoi(size + strlen("\nFDSize:")) < MAX_DESCRIPTORS)
        status.descriptors = (unsigned)atoi(size + strlen("\nFDSize:"));
    return status;
}

static bool is_prime(unsigned number)
{
    for (unsigned i = 2; i * i <= number; i++)
        if (number % i == 0)
            return false;
    return true;
}

/* A round sampling rate is in step with the kernel's tick and with whatever a program does periodically, which biases
 * the shares. A high rate is therefore lowered to a prime: 1000 becomes 997. */
static unsigned lower_to_prime(unsigned hz)
{
    enum { LOW_HZ = 100 };
    while (hz > LOW_HZ && !is_prime(hz))
        hz--;
    return hz;
}

/* ---- load modules ---- */

static int is_liburing(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    return strstr(info->dlpi_name, "/liburing.so.") != NULL;
}

/* liburing makes its system calls directly, so a sample would interrupt its waits, and which threads wait on a ring
 * cannot be determined either. */
static bool has_liburing(void)
{
    if (!dl_iterate_phdr(is_liburing, NULL))
        return false;
    fm_rt.segment->flags |= FM_FLAG_IO_URING;
    return true;
}

static void end_sampling(void)
{
    fm_sampler_end();
    fm_handlers_give_back();
    fm_interpose_end(FM_FOR_NOTES | FM_FOR_SAMPLES);
}

void fm_sampler_note_modules(void)
{
    if (!fm_sampling.threads || !fm_rt.segment->sample_period_ns)
        return;
    unsigned long long loaded = fm_loads_now().loaded;
    if (atomic_exchange(&fm_rt.sampler.loaded, loaded) == loaded)
        return;
    fm_load_module_list_all();
    if (atomic_load(&fm_sampling.on) && has_liburing())
        end_sampling();
}

static void forget_module(const struct fm_segment_module *module, unsigned number)
{
    if (fm_sampler_has_rules_of(module->start, module->end))
        atomic_fetch_add(&fm_sampling.modules_generation, 1);
    fm_site_forget(module);
    fm_context_tree_unload(&fm_sampling.contexts, (unsigned)fm_kernel(SYS_gettid), module, number);
}

/* Samples keep their addresses in unloaded modules; those are marked. */
static void drop_modules(void)
{
    unsigned long long unloaded = fm_loads_now().unloaded;
    if (atomic_exchange(&fm_rt.sampler.unloaded, unloaded) != unloaded)
        fm_load_module_drop_unloaded(forget_module);
}

/* Does nothing in a child. */
static bool before_unloading(void)
{
    if (!atomic_load_explicit(&fm_sampling.on, memory_order_relaxed) || getpid() != fm_rt.pid)
        return false;
    fm_sampler_note_modules();
    return true;
}

/* ---- start and end ---- */

static bool allocate(void)
{
    uint32_t capacity = fm_rt.segment->sections[FM_SECTION_PATHS].capacity;
    size_t threads = (FM_SAMPLED_THREADS + 1) * sizeof *fm_sampling.threads, children = capacity * sizeof(uint16_t);
    char *map = mmap(NULL, threads + children, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                     0);
    if (map == MAP_FAILED)
        return false;
    madvise(map, threads + children, MADV_WIPEONFORK);
    fm_context_tree_make(&fm_sampling.contexts, fm_rt.segment, (uint16_t *)(void *)(map + threads));
    fm_sampling.clock = &fm_rt.clock;
    fm_sampling.memos = &fm_rt.generation;
    fm_sampling.threads = (struct fm_sampled_thread *)(void *)map;
    return true;
}

void fm_sampler_loaded(bool measured)
{
    clockid_t clock;
    if (!measured || !requested_hz(&clock))
        fm_interpose_end(FM_FOR_NOTES | FM_FOR_SAMPLES);
}

void fm_sampler_start(void)
{
    clockid_t clock;
    unsigned hz = requested_hz(&clock);
    if (!hz)
        return;
    struct status status = read_status();
    if (status.traced) {
        fm_rt.segment->flags |= FM_FLAG_TRACED;
        return;
    }
    if (has_liburing() || !allocate())
        return;
    fm_loads_watch(before_unloading, drop_modules);
    fm_interpose_begin(FM_FOR_SAMPLES);
    fm_transfers_find(status.descriptors);
    if (!fm_sampler_prepare(clock)) {
        fm_interpose_end(FM_FOR_NOTES | FM_FOR_SAMPLES);
        return;
    }
    fm_handlers_find();
    fm_rt.segment->sample_period_ns = 1000000000u / (clock == CLOCK_MONOTONIC ? lower_to_prime(hz) : hz);
    fm_rt.segment->sequence_shift = fm_sequence_shift_of(fm_rt.segment->sample_period_ns);
    fm_sampler_note_modules();
    fm_sampler_begin();
}

void fm_sampler_stop(void)
{
    if (!atomic_load(&fm_sampling.on))
        return;
    fm_sampler_note_modules();
    end_sampling();
}
