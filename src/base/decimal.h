/* The bins of timers: 0, 1, ... 9 ticks, then nine for each further power of ten: 10-19, 20-29, ... 90-99, 100-199 and
 * so on up to 64 bits. A tick is a nanosecond; a report may be shown in coarser ticks, powers of ten of it. From ten
 * coarse ticks on, and from one to nine of them, the bins are the same; all that is shorter is bin 0 then. */
#ifndef FM_BASE_DECIMAL_H
#define FM_BASE_DECIMAL_H

#include <stdint.h>

enum { FM_DECADES = 20, FM_DECIMAL_BINS = 10 + 9 * 18 + 1 }; /* the last one: from 10^19 on */

#define FM_POWERS_OF_TEN                                                                                         \
    {                                                                                                            \
        1ull, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull, 10000000ull, 100000000ull, 1000000000ull, \
            10000000000ull, 100000000000ull, 1000000000000ull, 10000000000000ull, 100000000000000ull,            \
            1000000000000000ull, 10000000000000000ull, 100000000000000000ull, 1000000000000000000ull,            \
            10000000000000000000ull                                                                              \
    }

static inline uint64_t fm_power_of_ten(unsigned exponent)
{
    static const uint64_t powers[FM_DECADES] = FM_POWERS_OF_TEN;
    return powers[exponent];
}

/* The power of ten that a number reaches: 0 for 0 to 9, 1 for 10 to 99, ... 19. */
static inline unsigned fm_decade(uint64_t ticks)
{
    /* 1233 / 4096 is a little less than log10(2): right, or one too many, which the table tells */
    unsigned guess = (unsigned)(64 - __builtin_clzll(ticks | 1)) * 1233u >> 12;
    return guess - (guess && ticks < fm_power_of_ten(guess));
}

/* The first digit of a number that reaches this decade. Up to ten seconds in nanoseconds a multiplication with the
 * power's inverse is exact; that is what matters to a timer. */
static inline unsigned fm_first_digit(uint64_t ticks, unsigned decade)
{
    static const uint64_t inverses[] = {
        0,
        UINT64_MAX / 10 + 1,
        UINT64_MAX / 100 + 1,
        UINT64_MAX / 1000 + 1,
        UINT64_MAX / 10000 + 1,
        UINT64_MAX / 100000 + 1,
        UINT64_MAX / 1000000 + 1,
        UINT64_MAX / 10000000 + 1,
        UINT64_MAX / 100000000 + 1,
        UINT64_MAX / 1000000000 + 1,
    };
    if (__builtin_expect(decade - 1 < sizeof inverses / sizeof *inverses - 1, 1))
        return (unsigned)((unsigned __int128)ticks * inverses[decade] >> 64);
    return (unsigned)(ticks / fm_power_of_ten(decade));
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
