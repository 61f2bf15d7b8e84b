/* SPDX-License-Identifier: BSD-3-Clause */
/* The bins of durations and of message sizes: one definition for the writer and all readers.
 *
 * Durations: two bins per power of two, 64 in total. Bin 0 is everything below 32 ns,
 * bin 63 everything from 2^36 ns (about 69 s) on:
 *
 *   bin 2k+1 : [2^(k+5), 1.5 * 2^(k+5))        bin 2k+2 : [1.5 * 2^(k+5), 2^(k+6))
 *
 * Sizes: bin 0 is "no size", bin 1 is zero bytes, bin b >= 2 is [2^(b-2), 2^(b-1)). */
#ifndef FM_BASE_BINS_H
#define FM_BASE_BINS_H

#include <stdint.h>

enum { FM_DURATION_BINS = 64, FM_SIZE_BINS = 66, FM_SIZE_NONE = 0, FM_SIZE_ZERO = 1 };

static inline uint64_t fm_duration_bin(uint64_t ns)
{
    /* the bin is the exponent of a double and the first bit of its fraction */
    double number = (double)(int64_t)ns;
    uint64_t bits;
    __builtin_memcpy(&bits, &number, sizeof bits);
    int64_t bin = (int64_t)(bits >> 51) - (2 * (1023 + 5) - 1);
    if (__builtin_expect((uint64_t)bin < FM_DURATION_BINS, 1))
        return (uint64_t)bin;
    return bin < 0 ? 0 : FM_DURATION_BINS - 1;
}

static inline uint64_t fm_duration_bin_from(unsigned bin)
{
    if (bin == 0)
        return 0;
    uint64_t power = 1ull << ((bin - 1) / 2 + 5);
    return (bin - 1) % 2 ? power + power / 2 : power;
}

static inline unsigned fm_size_bin(uint64_t bytes)
{
    return 64u - (unsigned)__builtin_clzll(bytes | 1) + (bytes != 0);
}

static inline uint64_t fm_size_bin_from(unsigned bin)
{
    return bin < 2 ? 0 : 1ull << (bin - 2);
}

static inline uint64_t fm_size_bin_to(unsigned bin)
{
    return bin < 2 ? 0 : bin >= 65 ? UINT64_MAX : (1ull << (bin - 1)) - 1;
}

#endif
