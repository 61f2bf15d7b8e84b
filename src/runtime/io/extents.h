/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a file that a thread has written, as a few sorted, disjoint, non-adjacent extents: enough to tell how much
 * is written again. If there are too many, the shortest is forgotten, so that too little is found, never too much. One
 * thread at a time. */
#ifndef FM_RUNTIME_IO_EXTENTS_H
#define FM_RUNTIME_IO_EXTENTS_H

#include <stdint.h>

#include "base/platform.h"

enum { FM_EXTENTS = 8 };

/* All zero: empty. */
struct fm_extents {
    uint32_t n, last; /* last: the one that was extended last */
    struct fm_extent {
        uint64_t from, to; /* to: exclusive */
    } items[FM_EXTENTS];
};

/* Adds any part. Returns how many of its bytes were there before. */
uint64_t fm_extents_insert(struct fm_extents *extents, uint64_t from, uint64_t to);

/* The same; fast if the part continues the last one, or lies in it: a file that is written again and again. */
FM_INLINE uint64_t fm_extents_add(struct fm_extents *extents, uint64_t from, uint64_t to)
{
    struct fm_extent *last = &extents->items[extents->last];
    if (__builtin_expect(last->to == from && extents->last + 1 == extents->n, 1)) {
        last->to = to;
        return 0;
    }
    if (from >= last->from && to <= last->to)
        return to - from;
    return fm_extents_insert(extents, from, to);
}

#endif
