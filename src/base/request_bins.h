/* SPDX-License-Identifier: BSD-3-Clause */
/* The bins of the sizes of file requests: below 128 B, below 1 KiB, then a factor of four each up to 16 MiB and more. */
#ifndef FM_BASE_REQUEST_BINS_H
#define FM_BASE_REQUEST_BINS_H

#include <stdint.h>

enum { FM_REQUEST_BINS = 10 };

/* Bytes must not be 0. By their number of bits: a table is faster than comparing. */
static inline unsigned fm_request_bin(uint64_t bytes)
{
    static const uint8_t bins[64] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7,
                                     8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,
                                     9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
    return bins[63 - __builtin_clzll(bytes)];
}

static inline uint64_t fm_request_bin_from(unsigned bin)
{
    return bin == 0 ? 1 : bin == 1 ? 128 : 1ull << (2 * bin + 6);
}

/* The last bin has no upper bound. */
static inline uint64_t fm_request_bin_to(unsigned bin)
{
    return bin < FM_REQUEST_BINS - 1 ? fm_request_bin_from(bin + 1) - 1 : UINT64_MAX;
}

#endif
