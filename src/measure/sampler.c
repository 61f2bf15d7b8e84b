#define _GNU_SOURCE
#include "measure/sampler.h"

#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/libc/functions.h"
#include "measure/libc/transfers.h"
#include "measure/runtime.h"
#include "measure/sampler_threads.h"
#include "measure/site.h"

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

/* A debugger stops the program at each signal, also at ours. */
static bool is_traced(void)
{
    char text[1024] = "";
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    const char *tracer = n > 0 ? strstr(text, "\nTracerPid:") : NULL;
    return tracer && atoi(tracer + strlen("\nTracerPid:")) != 0;
}

static bool is_prime(unsigned number)
{
    for (unsigned i = 2; i * i <= number; i++)
        if (number % i == 0)
            return false;
    return true;
}

/* A round number of samples a second is in step with the kernel's tick, and with whatever a program does every so many
 * ms, and then shares are wrong: a large one becomes the prime below it, 1000 becomes 997. */
static unsigned out_of_step(unsigned hz)
{
    enum { FEW = 100 };
    while (hz > FEW && !is_prime(hz))
        hz--;
    return hz;
}

/* ---- load modules ---- */

/* How many have been loaded and unloaded since the process began. */
struct changes {
    unsigned long long loaded, unloaded;
};

static int read_changes(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(struct changes *)data = (struct changes){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

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
    static atomic_ullong noted;
    struct changes now = {0};
    if (!fm_sampling.threads || !fm_rt.segment->sample_period_ns)
        return;
    dl_iterate_phdr(read_changes, &now);
    if (atomic_exchange(&noted, now.loaded) != now.loaded)
        dl_iterate_phdr(note_module, NULL);
}

static void forget_module(const struct fm_segment_module *module, unsigned number)
{
    atomic_fetch_add(&fm_sampling.modules_generation, 1);
    fm_contexts_unload(&fm_sampling.contexts, (unsigned)syscall(SYS_gettid), module, number);
}

void fm_sampler_drop_modules(void)
{
    static atomic_ullong dropped;
    struct changes now = {0};
    dl_iterate_phdr(read_changes, &now);
    if (atomic_exchange(&dropped, now.unloaded) != now.unloaded)
        fm_site_drop(forget_module);
}

/* ---- start and end ---- */

static bool make_room(void)
{
    uint32_t capacity = fm_rt.segment->sections[FM_SECTION_PATHS].capacity;
    size_t threads = (FM_SAMPLED_THREADS + 1) * sizeof *fm_sampling.threads,
           bits = (capacity + 63u) / 64 * sizeof(uint64_t);
    char *map = mmap(NULL, threads + bits, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    madvise(map, threads + bits, MADV_WIPEONFORK);
    fm_contexts_make(&fm_sampling.contexts, fm_rt.segment, (uint64_t *)(void *)(map + threads));
    fm_sampling.threads = (struct fm_sampled *)(void *)map;
    return true;
}

void fm_sampler_loaded(bool measured)
{
    clockid_t clock;
    if (!measured || !wanted_hz(&clock))
        fm_libc_pass();
}

void fm_sampler_start(void)
{
    clockid_t clock;
    unsigned hz = wanted_hz(&clock);
    if (!hz)
        return;
    if (is_traced()) {
        fm_rt.segment->flags |= FM_FLAG_TRACED;
        return;
    }
    if (!make_room())
        return;
    fm_libc_wrap();
    fm_transfers_find();
    if (!fm_sampler_prepare(clock)) {
        fm_libc_pass();
        return;
    }
    fm_rt.segment->sample_period_ns = 1000000000u / (clock == CLOCK_MONOTONIC ? out_of_step(hz) : hz);
    fm_rt.segment->sequence_shift = fm_sequence_shift_of(fm_rt.segment->sample_period_ns);
    fm_sampler_note_modules();
    fm_sampler_begin();
}

void fm_sampler_stop(void)
{
    if (!atomic_load(&fm_sampling.on))
        return;
    fm_sampler_note_modules();
    fm_sampler_end();
    fm_libc_pass();
}
