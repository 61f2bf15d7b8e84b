/* SPDX-License-Identifier: BSD-3-Clause */
/* Binary search in an array that is sorted by a member of its items, of type uint32_t: a rank, the end of a range. */
#ifndef FM_BASE_SEARCH_H
#define FM_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

static inline size_t fm_first_at_least(const void *items, size_t n, size_t item_bytes, size_t offset, uint64_t value)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (*(const uint32_t *)(const void *)((const char *)items + middle * item_bytes + offset) < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The index of the first item whose member is at least `value`; n if there is none. */
#define FM_FIRST_AT_LEAST(items, n, member, value)                        \
    fm_first_at_least(items, n, sizeof *(items),                          \
                      _Generic((items)->member, uint32_t                  \
                               : offsetof(__typeof__(*(items)), member)), \
                      value)

#endif
