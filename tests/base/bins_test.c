#include "base/bins.h"

#include "tap.h"

static void test_durations(void)
{
    tap_ok(fm_duration_bin(0) == 0 && fm_duration_bin(31) == 0 && fm_duration_bin(32) == 1,
           "the first bin ends at 32 ns");
    tap_ok(fm_duration_bin(47) == 1 && fm_duration_bin(48) == 2 && fm_duration_bin(63) == 2 && fm_duration_bin(64) == 3,
           "two bins per power of two");
    tap_ok(fm_duration_bin(UINT64_MAX) == FM_DURATION_BINS - 1, "the last bin is open");
    bool inside = true, rising = true;
    for (unsigned bin = 0; bin < FM_DURATION_BINS; bin++) {
        uint64_t from = fm_duration_bin_from(bin);
        inside &= fm_duration_bin(from) == bin && (!bin || fm_duration_bin(from - 1) == bin - 1);
        rising &= !bin || from > fm_duration_bin_from(bin - 1);
    }
    tap_ok(inside && rising, "bins begin where they say");
}

static void test_sizes(void)
{
    tap_ok(fm_size_bin(0) == FM_SIZE_ZERO && fm_size_bin(1) == 2 && fm_size_bin(UINT64_MAX) == FM_SIZE_BINS - 1,
           "zero bytes have their own bin");
    bool inside = true;
    for (unsigned bin = 2; bin < FM_SIZE_BINS; bin++)
        inside &= fm_size_bin(fm_size_bin_from(bin)) == bin && fm_size_bin(fm_size_bin_to(bin)) == bin &&
                  (bin == 2 || fm_size_bin_from(bin) == fm_size_bin_to(bin - 1) + 1);
    tap_ok(inside, "bins of sizes meet without gaps");
}

int main(void)
{
    test_durations();
    test_sizes();
    return tap_done();
}
