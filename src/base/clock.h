/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of the hot path: the processor's constant-rate counter, read without a system call. Where the kernel does not
 * keep its own time by the counter (x86 whose TSC is not steady) ticks are CLOCK_MONOTONIC nanoseconds.
 *
 * The rate of an x86's counter is not written anywhere. It is estimated once, from the time that passes while a process
 * is being prepared, and never changed; so nobody waits for it, and all durations of a process are in the same unit. How
 * far the estimate was off is known the better the longer the process runs: it is kept beside the durations, and their
 * reader corrects them. */
#ifndef FM_BASE_CLOCK_H
#define FM_BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* One moment on both clocks. */
struct fm_clock_reading {
    uint64_t ticks, ns; /* the counter, CLOCK_MONOTONIC */
};

/* ns = (ticks * mult) >> 32: a 128-bit product, so that no call is too long for it. */
struct fm_clock {
    uint64_t mult;
    bool coarse; /* ticks are nanoseconds of CLOCK_MONOTONIC */
    struct fm_clock_reading start;
};
enum { FM_CLOCK_SHIFT = 32 };

/* Chooses the clock and reads it; durations are known after the estimate. */
void fm_clock_start(struct fm_clock *clock);
/* Of the rate, from the time since the start. A hundred microseconds make it good to some parts in ten thousand. */
void fm_clock_estimate(struct fm_clock *clock);
/* By how many parts in 1e9 durations are too short, as far as the time since the start tells; 0: not known. May be called
 * in a signal handler. */
int32_t fm_clock_error_ppb(const struct fm_clock *clock);
/* What the kernel keeps its time by; "" = it does not say. */
void fm_clock_kernel_source(char *name, size_t size);

static inline uint64_t fm_clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The ticks of a clock that is not coarse. */
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

#endif
