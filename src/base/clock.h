/* The clock of the hot path: the processor's constant-rate counter, read without a system call.
 * Where the counter cannot be trusted (x86 without an invariant TSC) ticks are CLOCK_MONOTONIC nanoseconds. */
#ifndef FM_BASE_CLOCK_H
#define FM_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* ns = (ticks * mult) >> 32: a 128-bit product, so that no call is too long for it. */
struct fm_clock {
    uint64_t mult;
    bool coarse; /* ticks are nanoseconds of CLOCK_MONOTONIC */
};
enum { FM_CLOCK_SHIFT = 32 };

void fm_clock_calibrate(struct fm_clock *clock);

static inline uint64_t fm_clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t fm_clock_ticks(const struct fm_clock *clock)
{
#if defined __aarch64__
    (void)clock;
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#elif defined __x86_64__
    if (__builtin_expect(clock->coarse, 0))
        return fm_clock_ns(CLOCK_MONOTONIC);
    return __builtin_ia32_rdtsc();
#else
    (void)clock;
    return fm_clock_ns(CLOCK_MONOTONIC);
#endif
}

static inline uint64_t fm_clock_to_ns(const struct fm_clock *clock, uint64_t ticks)
{
    return (uint64_t)(((unsigned __int128)ticks * clock->mult) >> FM_CLOCK_SHIFT);
}

#endif
