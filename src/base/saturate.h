/* SPDX-License-Identifier: BSD-3-Clause */
/* Saturating sums: the order of addition does not matter, and hostile input cannot make them wrap. */
#ifndef FM_BASE_SATURATE_H
#define FM_BASE_SATURATE_H

#include <stdint.h>

static inline uint64_t fm_sum(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b;
    return sum | (0 - (uint64_t)(sum < a)); /* branch-free, so that loops vectorize */
}

static inline void fm_add_saturating(uint64_t *into, uint64_t value)
{
    *into = fm_sum(*into, value);
}

#endif
