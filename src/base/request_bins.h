/* SPDX-License-Identifier: BSD-3-Clause */
/* The bins of the sizes of file requests: below 128 B, below 1 KiB, then a factor of four each up to 16 MiB and more. */
#ifndef FM_BASE_REQUEST_BINS_H
#define FM_BASE_REQUEST_BINS_H

#include <stdint.h>

enum { FM_REQUEST_BINS = 10 };

/* Bytes must not be 0. */
static inline unsigned fm_request_bin(uint64_t bytes)
{
    unsigned bits = 64u - (unsigned)__builtin_clzll(bytes);
    if (bits <= 10)
        return bits > 7;
    return bits < 25 ? (bits - 7) / 2 : FM_REQUEST_BINS - 1;
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
