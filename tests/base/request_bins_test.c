#include "base/request_bins.h"

#include "tap.h"

int main(void)
{
    bool own = true, adjacent = true;
    for (unsigned i = 0; i < FM_REQUEST_BINS; i++) {
        own &= fm_request_bin(fm_request_bin_from(i)) == i && fm_request_bin(fm_request_bin_to(i)) == i;
        adjacent &= i == 0 || fm_request_bin_to(i - 1) + 1 == fm_request_bin_from(i);
    }
    tap_ok(own, "both ends of a bin are in it");
    tap_ok(adjacent, "bins are adjacent");
    tap_ok(fm_request_bin_from(0) == 1 && fm_request_bin_from(2) == 1024 && fm_request_bin_from(3) == 4096 &&
               fm_request_bin_from(FM_REQUEST_BINS - 1) == 16 << 20,
           "their bounds are those that are documented");
    return tap_done();
}
