#include "base/clock.h"

#include <string.h>
#include <sys/auxv.h>

#include "tap.h"

/* A moment: CLOCK_MONOTONIC was read between two readings of the counter. */
struct moment {
    uint64_t before, ns, after;
};

static struct moment look(const struct fm_clock *clock)
{
    struct moment best = {0, 0, UINT64_MAX};
    for (int i = 0; i < 8; i++) {
        struct moment now = {.before = fm_clock_ticks(clock)};
        now.ns = fm_clock_ns(CLOCK_MONOTONIC);
        now.after = fm_clock_ticks(clock);
        if (now.after - now.before < best.after - best.before)
            best = now;
    }
    return best;
}

static double exact(const struct fm_clock *clock, uint64_t ticks)
{
    return (double)fm_clock_to_ns(clock, ticks) * (1 + (double)fm_clock_error_ppb(clock) / 1e9);
}

static void pass(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

static void test_rate(void)
{
    struct fm_clock clock;
    fm_clock_start(&clock);
    tap_ok(fm_clock_error_ppb(&clock) == 0, "nothing is known of the rate at the start");
    pass(100000); /* as long as a process takes to be prepared */
    fm_clock_estimate(&clock);
    struct moment first = look(&clock);
    pass(200000000);
    struct moment last = look(&clock);
    double real = (double)(last.ns - first.ns), estimate = (double)fm_clock_to_ns(&clock, last.before - first.before);
    printf("# the estimate is off by %.1f ppm; said to be %.1f ppm\n", (real / estimate - 1) * 1e6,
           fm_clock_error_ppb(&clock) / 1e3);
    tap_ok(estimate > 0.99 * real && estimate < 1.01 * real, "the first estimate is good enough for histograms");
    /* Two readings of the clock's own, about as tight as ours, stand behind the rate. Without a vdso, as in an emulator,
     * they are less so. */
    double blur = 4 * exact(&clock, first.after - first.before) + 4 * exact(&clock, last.after - last.before) +
                  (getauxval(AT_SYSINFO_EHDR) ? 200 : 5000);
    double least = exact(&clock, last.before - first.after), most = exact(&clock, last.after - first.before);
    tap_ok(least - blur <= real && real <= most + blur, "corrected, durations are exact");
}

static void test_changed(void)
{
    struct fm_clock clock;
    fm_clock_start(&clock);
    pass(20000000);
    fm_clock_estimate(&clock);
    clock.mult -= clock.mult / 1000;
    int32_t ppb = fm_clock_error_ppb(&clock);
    tap_ok(clock.coarse || (ppb > 700000 && ppb < 1300000), "an estimate that is 0.1 %% too low is told");
    clock.mult /= 2;
    tap_ok(fm_clock_error_ppb(&clock) == 0, "what cannot be an error of the estimate is no reason to change durations");
}

static void test_coarse(void)
{
    struct fm_clock clock = {.coarse = true, .mult = 1ull << FM_CLOCK_SHIFT};
    fm_clock_estimate(&clock);
    tap_ok(fm_clock_to_ns(&clock, 12345) == 12345 && fm_clock_error_ppb(&clock) == 0,
           "ticks that are nanoseconds stay what they are");
}

/* aarch64 has but one; of an x86 the kernel says whether its counter is steady. */
static void test_choice(void)
{
    struct fm_clock clock;
    char source[32];
    fm_clock_kernel_source(source, sizeof source);
    fm_clock_start(&clock);
#if defined __x86_64__
    tap_ok(clock.coarse == (strcmp(source, "tsc") != 0), "the counter is used where the kernel uses it (%s)", source);
#else
    tap_ok(!clock.coarse, "the counter is used (the kernel: %s)", source);
#endif
}

int main(void)
{
    test_rate();
    test_changed();
    test_coarse();
    test_choice();
    return tap_done();
}
