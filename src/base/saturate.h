/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums that stop at the largest number: the order of adding never changes them, and hostile input cannot wrap them. */
#ifndef FM_BASE_SATURATE_H
#define FM_BASE_SATURATE_H

#include <stdint.h>

static inline uint64_t fm_sum(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum | (0 - (uint64_t)(sum < a)); /* without a branch, so that loops become vector code */
}

static inline void fm_add_saturating(uint64_t *into, uint64_t value)
{
    *into = fm_sum(*into, value);
}

#endif
