/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/io/extents.h"

#include <string.h>

static void remove_at(struct fm_extents *extents, uint32_t i)
{
    extents->n--;
    memmove(&extents->items[i], &extents->items[i + 1], (extents->n - i) * sizeof *extents->items);
}

static uint64_t length(const struct fm_extent *extent)
{
    return extent->to - extent->from;
}

static void forget_shortest(struct fm_extents *extents)
{
    uint32_t shortest = 0;
    for (uint32_t i = 1; i < extents->n; i++)
        if (length(&extents->items[i]) < length(&extents->items[shortest]))
            shortest = i;
    remove_at(extents, shortest);
}

static uint64_t overlap(const struct fm_extent *extent, uint64_t from, uint64_t to)
{
    uint64_t first = extent->from > from ? extent->from : from, end = extent->to < to ? extent->to : to;
    return end > first ? end - first : 0;
}

static uint64_t insert(struct fm_extents *extents, uint64_t from, uint64_t to)
{
    uint64_t before = 0;
    struct fm_extent joined = {from, to};
    uint32_t i = 0;
    while (i < extents->n) {
        const struct fm_extent *extent = &extents->items[i];
        if (extent->to < from || extent->from > to) {
            i++;
            continue;
        }
        before += overlap(extent, from, to);
        joined.from = extent->from < joined.from ? extent->from : joined.from;
        joined.to = extent->to > joined.to ? extent->to : joined.to;
        remove_at(extents, i);
    }
    if (extents->n == FM_EXTENTS)
        forget_shortest(extents);
    for (i = extents->n; i > 0 && extents->items[i - 1].from > joined.from; i--)
        extents->items[i] = extents->items[i - 1];
    extents->items[i] = joined;
    extents->last = i;
    extents->n++;
    return before;
}

/* In a copy: a signal handler on another stack may write to the same file at any moment, or another thread may get the
 * entry of the file. Then a part may be lost, but no index is ever out of bounds. */
uint64_t fm_extents_insert(struct fm_extents *extents, uint64_t from, uint64_t to)
{
    struct fm_extents copy = *extents;
    uint64_t before = insert(&copy, from, to);
    *extents = copy;
    return before;
}
