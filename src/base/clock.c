/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Over a shorter time the rate cannot be measured: the two clocks are not read at exactly the same moment. */
enum { MIN_NS = 1000000 };
/* A larger difference is not an error of the estimate: the machine was suspended, and only one of the clocks
 * noticed. */
enum { MAX_PPB = 10000000 };

void fm_clock_kernel_source(char *name, size_t size)
{
    ssize_t n = -1;
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, name, size - 1);
        close(fd);
    }
    name[n > 0 ? n : 0] = 0;
    name[strcspn(name, "\n")] = 0;
}

/* Whether the counter has a constant rate on all cores and in all power states. On aarch64 the architecture guarantees
 * it; on x86 the kernel checks it, and keeps checking. */
static bool counter_is_steady(void)
{
#if defined __aarch64__
    return true;
#elif defined __x86_64__
    char source[16];
    fm_clock_kernel_source(source, sizeof source);
    return strcmp(source, "tsc") == 0;
#else
    return false;
#endif
}

/* The tightest of several readings: the process may be descheduled between the two clocks. */
static struct fm_clock_reading read_both(const struct fm_clock *clock)
{
    struct fm_clock_reading reading = {0};
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = fm_clock_ticks(clock), ns = fm_clock_ns(CLOCK_MONOTONIC), after = fm_clock_ticks(clock);
        if (after - before < best) {
            best = after - before;
            reading = (struct fm_clock_reading){before + best / 2, ns};
        }
    }
    return reading;
}

/* The frequency that the hardware reports, or 0. */
static uint64_t known_hertz(void)
{
    uint64_t hertz = 0;
#if defined __aarch64__
    __asm__("mrs %0, cntfrq_el0" : "=r"(hertz));
#endif
    return hertz;
}

void fm_clock_start(struct fm_clock *clock)
{
    clock->coarse = !counter_is_steady();
    clock->mult = 1ull << FM_CLOCK_SHIFT;
    clock->start = read_both(clock);
}

void fm_clock_estimate(struct fm_clock *clock)
{
    if (clock->coarse)
        return;
    uint64_t ns = 1000000000u, ticks = known_hertz();
    if (!ticks) {
        struct fm_clock_reading now = read_both(clock);
        ns = now.ns - clock->start.ns;
        ticks = now.ticks - clock->start.ticks;
    }
    if (ticks && ns)
        clock->mult = (uint64_t)(((unsigned __int128)ns << FM_CLOCK_SHIFT) / ticks);
}

int32_t fm_clock_error_ppb(const struct fm_clock *clock)
{
    if (clock->coarse)
        return 0;
    struct fm_clock_reading now = read_both(clock);
    uint64_t real = now.ns - clock->start.ns, estimated = fm_clock_to_ns(clock, now.ticks - clock->start.ticks);
    if (real < MIN_NS || !estimated)
        return 0;
    __int128 ppb = ((__int128)real - estimated) * 1000000000 / estimated;
    return ppb > MAX_PPB || ppb < -MAX_PPB ? 0 : (int32_t)ppb;
}
