#include "base/clock.h"

#if defined __x86_64__
#include <cpuid.h>

/* Bit 8 of leaf 0x80000007: the counter runs at one rate in every power state. */
static bool tsc_is_invariant(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
}

/* Against CLOCK_MONOTONIC for a millisecond; each end is the tightest of a few readings. */
static uint64_t tsc_mult(void)
{
    uint64_t ticks[2] = {0, 0}, ns[2] = {0, 0};
    for (int end = 0; end < 2; end++) {
        uint64_t best = UINT64_MAX;
        for (int i = 0; i < 8; i++) {
            uint64_t before = __builtin_ia32_rdtsc();
            uint64_t now = fm_clock_ns(CLOCK_MONOTONIC);
            uint64_t after = __builtin_ia32_rdtsc();
            if (after - before < best) {
                best = after - before;
                ticks[end] = before + (after - before) / 2;
                ns[end] = now;
            }
        }
        while (end == 0 && fm_clock_ns(CLOCK_MONOTONIC) < ns[0] + 1000000)
            ;
    }
    if (ticks[1] <= ticks[0])
        return 0;
    return (uint64_t)(((unsigned __int128)(ns[1] - ns[0]) << FM_CLOCK_SHIFT) / (ticks[1] - ticks[0]));
}
#endif

void fm_clock_calibrate(struct fm_clock *clock)
{
    clock->coarse = true;
    clock->mult = 1ull << FM_CLOCK_SHIFT;
#if defined __aarch64__
    uint64_t hertz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hertz));
    clock->coarse = false;
    clock->mult = (uint64_t)(((unsigned __int128)1000000000u << FM_CLOCK_SHIFT) / hertz);
#elif defined __x86_64__
    uint64_t mult = tsc_is_invariant() ? tsc_mult() : 0;
    if (mult) {
        clock->coarse = false;
        clock->mult = mult;
    }
#endif
}
