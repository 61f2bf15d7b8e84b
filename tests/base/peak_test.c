#include "base/peak.h"

#include "tap.h"

static uint32_t peak(uint32_t bytes, bool fma)
{
    return fm_vectors_peak((struct fm_vectors){bytes, fma});
}

int main(void)
{
    tap_ok(peak(16, false) == 4 && peak(32, false) == 8 && peak(32, true) == 16 && peak(64, true) == 32,
           "x86-64: SSE2, AVX, AVX2 with FMA, AVX-512");
    tap_ok(peak(16, true) == 8 && peak(32, true) == 16 && peak(256, true) == 128,
           "aarch64: ASIMD, SVE of 256 and 2048 bits");
    tap_ok(peak(0, true) == 0, "unknown vectors have no peak");
    uint32_t here = fm_vectors_here().bytes;
    tap_ok(here >= 16 && here <= 256 && here % 16 == 0, "this processor has vectors");
    return tap_done();
}
