/* SPDX-License-Identifier: BSD-3-Clause */
/* The histogram bins of timers: 0, 1, ... 9 ticks, then nine per power of ten: 10-19, 20-29, ... 90-99, 100-199 and so
 * on up to 64 bits. A tick is a nanosecond; a report may use coarser ticks, 10^k ns. In coarse ticks the bins from one
 * tick on are the same, and everything shorter is in bin 0. */
#ifndef FM_BASE_DECIMAL_H
#define FM_BASE_DECIMAL_H

#include <stdint.h>

enum { FM_DECADES = 20, FM_DECIMAL_BINS = 10 + 9 * 18 + 1 }; /* the last one: 10^19 and more */

static inline uint64_t fm_power_of_ten(unsigned exponent)
{
    static const uint64_t powers[FM_DECADES] = {
        1ull,
        10ull,
        100ull,
        1000ull,
        10000ull,
        100000ull,
        1000000ull,
        10000000ull,
        100000000ull,
        1000000000ull,
        10000000000ull,
        100000000000ull,
        1000000000000ull,
        10000000000000ull,
        100000000000000ull,
        1000000000000000ull,
        10000000000000000ull,
        100000000000000000ull,
        1000000000000000000ull,
        10000000000000000000ull,
    };
    return powers[exponent];
}

/* The decimal exponent of a number: 0 for 0 to 9, 1 for 10 to 99, ... 19. */
static inline unsigned fm_decade(uint64_t ticks)
{
    /* 1233 / 4096 is slightly less than log10(2): the guess is right or one too large, which the table shows */
    unsigned guess = (unsigned)(64 - __builtin_clzll(ticks | 1)) * 1233u >> 12;
    return guess - (guess && ticks < fm_power_of_ten(guess));
}

/* The leading digit of a number of this decade. */
static inline unsigned fm_first_digit(uint64_t ticks, unsigned decade)
{
    return (unsigned)(ticks / fm_power_of_ten(decade));
}

/* The same for numbers below FM_QUICK_TICKS, without branch or division: durations alternate between decades often
 * enough for a branch to be mispredicted. */
#define FM_QUICK_TICKS 1000000000u

static inline unsigned fm_decade_quick(uint32_t ticks)
{
    /* Indexed by the number of leading zeros. After adding the entry, the upper half is the decade; where a power of
     * ten lies between two powers of two, smaller numbers borrow one. */
#define FM_WITHIN(decade) ((uint64_t)(decade) << 32)
#define FM_ACROSS(decade, power) (FM_WITHIN(decade) - (power))
    static const uint64_t by_leading_zeros[32] = {
        FM_WITHIN(9),          FM_WITHIN(9),       FM_ACROSS(9, 1000000000),
        FM_WITHIN(8),          FM_WITHIN(8),       FM_ACROSS(8, 100000000),
        FM_WITHIN(7),          FM_WITHIN(7),       FM_ACROSS(7, 10000000),
        FM_WITHIN(6),          FM_WITHIN(6),       FM_WITHIN(6),
        FM_ACROSS(6, 1000000), FM_WITHIN(5),       FM_WITHIN(5),
        FM_ACROSS(5, 100000),  FM_WITHIN(4),       FM_WITHIN(4),
        FM_ACROSS(4, 10000),   FM_WITHIN(3),       FM_WITHIN(3),
        FM_WITHIN(3),          FM_ACROSS(3, 1000), FM_WITHIN(2),
        FM_WITHIN(2),          FM_ACROSS(2, 100),  FM_WITHIN(1),
        FM_WITHIN(1),          FM_ACROSS(1, 10),   FM_WITHIN(0),
        FM_WITHIN(0),          FM_WITHIN(0),
    };
#undef FM_ACROSS
#undef FM_WITHIN
    return (unsigned)((ticks + by_leading_zeros[__builtin_clz(ticks | 1)]) >> 32);
}

static inline unsigned fm_first_digit_quick(uint32_t ticks, unsigned decade)
{
    /* 2^57 / 10^decade, rounded up: for numbers of this decade the product is too large by less than 10^-decade */
#define FM_INVERSE(power) ((1ull << 57) / (power) + 1)
    static const uint64_t inverses[] = {
        1ull << 57,         FM_INVERSE(10),      FM_INVERSE(100),      FM_INVERSE(1000),      FM_INVERSE(10000),
        FM_INVERSE(100000), FM_INVERSE(1000000), FM_INVERSE(10000000), FM_INVERSE(100000000),
    };
#undef FM_INVERSE
    return (unsigned)(ticks * inverses[decade] >> 57);
}

static inline unsigned fm_decimal_bin(uint64_t ticks)
{
    unsigned decade = fm_decade(ticks);
    return 9 * decade + fm_first_digit(ticks, decade);
}

static inline uint64_t fm_decimal_bin_from(unsigned bin)
{
    unsigned decade = bin < 10 ? 0 : (bin - 1) / 9;
    return (bin - 9 * decade) * fm_power_of_ten(decade);
}

static inline uint64_t fm_decimal_bin_to(unsigned bin)
{
    return bin == FM_DECIMAL_BINS - 1 ? UINT64_MAX : fm_decimal_bin_from(bin + 1) - 1;
}

/* The same bin in ticks of 10^exponent ns. */
static inline unsigned fm_decimal_bin_coarse(unsigned bin, unsigned exponent)
{
    return bin > 9 * exponent ? bin - 9 * exponent : 0;
}

#endif
