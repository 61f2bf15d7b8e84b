/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of the hot path: the constant-rate counter of the processor, read without a system call. If the kernel does
 * not use the counter as its clock source (x86 with an unstable TSC), ticks are CLOCK_MONOTONIC nanoseconds.
 *
 * An x86 does not report the rate of its counter. It is estimated once, from the time that passes while the runtime
 * initialises, and never changed: there is no calibration delay, and all durations of a process have the same unit. The
 * longer the process runs, the better the error of the estimate is known; it is stored next to the durations, and
 * readers correct them. */
#ifndef FM_BASE_CLOCK_H
#define FM_BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The same moment on both clocks. */
struct fm_clock_reading {
    uint64_t ticks, ns; /* the counter, CLOCK_MONOTONIC */
};

/* ns = (ticks * mult) >> 32, with a 128-bit product so that no duration overflows. */
struct fm_clock {
    uint64_t mult;
    bool coarse; /* ticks are CLOCK_MONOTONIC nanoseconds */
    struct fm_clock_reading start;
};
enum { FM_CLOCK_SHIFT = 32 };

/* Selects the clock and reads it. Ticks can be converted after fm_clock_estimate. */
void fm_clock_start(struct fm_clock *clock);
/* Estimates the rate from the time since the start. 100 us give an accuracy of a few parts in ten thousand. */
void fm_clock_estimate(struct fm_clock *clock);
/* By how many parts in 1e9 durations are too short, measured over the time since the start; 0 if unknown.
 * Async-signal-safe. */
int32_t fm_clock_error_ppb(const struct fm_clock *clock);
/* The clock source of the kernel; "" if unknown. */
void fm_clock_kernel_source(char *name, size_t size);

static inline uint64_t fm_clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Ticks of a clock that is not coarse. */
static inline uint64_t fm_clock_counter(void)
{
#if defined __aarch64__
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#elif defined __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return fm_clock_ns(CLOCK_MONOTONIC);
#endif
}

static inline uint64_t fm_clock_ticks(const struct fm_clock *clock)
{
#if defined __x86_64__
    if (__builtin_expect(clock->coarse, 0))
        return fm_clock_ns(CLOCK_MONOTONIC);
#else
    (void)clock;
#endif
    return fm_clock_counter();
}

static inline uint64_t fm_clock_to_ns(const struct fm_clock *clock, uint64_t ticks)
{
    return (uint64_t)(((unsigned __int128)ticks * clock->mult) >> FM_CLOCK_SHIFT);
}

static inline uint64_t fm_clock_from_ns(const struct fm_clock *clock, uint64_t ns)
{
    return (uint64_t)(((unsigned __int128)ns << FM_CLOCK_SHIFT) / clock->mult);
}

#endif
