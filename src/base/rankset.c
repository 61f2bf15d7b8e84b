/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rankset.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/search.h"

/* The first range that ends at or after `rank`. */
static size_t find(const struct fm_rankset *set, uint32_t rank)
{
    return FM_FIRST_AT_LEAST(set->ranges, set->n, last, rank);
}

bool fm_rankset_add(struct fm_rankset *set, struct fm_arena *arena, uint32_t first, uint32_t last)
{
    if (first > last)
        return true;
    /* Ranges [from, to) touch or overlap the new one and are merged with it. */
    size_t from = find(set, first ? first - 1 : 0);
    size_t to = from;
    while (to < set->n && (last == UINT32_MAX || set->ranges[to].first <= last + 1))
        to++;
    if (from < to) {
        struct fm_range *range = &set->ranges[from];
        if (first < range->first)
            range->first = first;
        range->last = set->ranges[to - 1].last > last ? set->ranges[to - 1].last : last;
        memmove(range + 1, &set->ranges[to], (set->n - to) * sizeof *range);
        set->n -= to - from - 1;
        return true;
    }
    struct fm_range *ranges = fm_arena_grow(arena, set->ranges, &set->capacity, set->n + 1, sizeof *ranges);
    if (!ranges)
        return false;
    set->ranges = ranges;
    memmove(&ranges[from + 1], &ranges[from], (set->n - from) * sizeof *ranges);
    ranges[from] = (struct fm_range){first, last};
    set->n++;
    return true;
}

static void append(struct fm_rankset *set, struct fm_range range)
{
    struct fm_range *end = set->n ? &set->ranges[set->n - 1] : NULL;
    if (end && (end->last == UINT32_MAX || range.first <= end->last + 1)) {
        if (range.last > end->last)
            end->last = range.last;
    } else {
        set->ranges[set->n++] = range;
    }
}

bool fm_rankset_union(struct fm_rankset *set, struct fm_arena *arena, const struct fm_rankset *other)
{
    /* A few ranges, or ranges above ours, are added one by one; many are merged in one pass. */
    if (other->n <= 4 || !set->n || other->ranges[0].first > set->ranges[set->n - 1].last) {
        for (size_t i = 0; i < other->n; i++)
            if (!fm_rankset_add(set, arena, other->ranges[i].first, other->ranges[i].last))
                return false;
        return true;
    }
    struct fm_rankset joined = {.capacity = set->n + other->n};
    joined.ranges = fm_arena_alloc(arena, joined.capacity * sizeof *joined.ranges);
    if (!joined.ranges)
        return false;
    for (size_t i = 0, j = 0; i < set->n || j < other->n;) {
        if (j == other->n || (i < set->n && set->ranges[i].first <= other->ranges[j].first))
            append(&joined, set->ranges[i++]);
        else
            append(&joined, other->ranges[j++]);
    }
    *set = joined;
    return true;
}

uint64_t fm_rankset_count(const struct fm_rankset *set)
{
    uint64_t count = 0;
    for (size_t i = 0; i < set->n; i++)
        count += (uint64_t)set->ranges[i].last - set->ranges[i].first + 1;
    return count;
}

size_t fm_rankset_range(const struct fm_rankset *set, uint32_t rank)
{
    size_t at = find(set, rank);
    return at < set->n && set->ranges[at].first <= rank ? at : set->n;
}

bool fm_rankset_has(const struct fm_rankset *set, uint32_t rank)
{
    return fm_rankset_range(set, rank) < set->n;
}

/* The next range that both have, from a->ranges[*i] and b->ranges[*j] on. */
static bool next_common(const struct fm_rankset *a, const struct fm_rankset *b, size_t *i, size_t *j,
                        struct fm_range *common)
{
    while (*i < a->n && *j < b->n) {
        struct fm_range x = a->ranges[*i], y = b->ranges[*j];
        *common = (struct fm_range){x.first > y.first ? x.first : y.first, x.last < y.last ? x.last : y.last};
        if (x.last < y.last)
            (*i)++;
        else
            (*j)++;
        if (common->first <= common->last)
            return true;
    }
    return false;
}

bool fm_rankset_common(const struct fm_rankset *a, const struct fm_rankset *b, struct fm_arena *arena,
                       struct fm_rankset *common)
{
    struct fm_range range;
    *common = (struct fm_rankset){0};
    for (size_t i = 0, j = 0; next_common(a, b, &i, &j, &range);)
        if (!fm_rankset_add(common, arena, range.first, range.last))
            return false;
    return true;
}

uint64_t fm_rankset_count_common(const struct fm_rankset *a, const struct fm_rankset *b)
{
    struct fm_range range;
    uint64_t count = 0;
    for (size_t i = 0, j = 0; next_common(a, b, &i, &j, &range);)
        count += (uint64_t)range.last - range.first + 1;
    return count;
}

static size_t range_text(char *text, size_t size, const struct fm_range *range, bool first)
{
    const char *comma = first ? "" : ",";
    int n = range->first == range->last
                ? snprintf(text, size, "%s%" PRIu32, comma, range->first)
                : snprintf(text, size, "%s%" PRIu32 "-%" PRIu32, comma, range->first, range->last);
    return (size_t)n;
}

const char *fm_rankset_text(const struct fm_rankset *set, struct fm_arena *arena, size_t max_chars)
{
    enum { FM_RANGE_CHARS = 22, FM_TAIL_CHARS = 40 };
    size_t size = set->n * FM_RANGE_CHARS + 1;
    char *text = fm_arena_alloc(arena, size + FM_TAIL_CHARS);
    if (!text)
        return "";
    size_t length = 0, kept = 0; /* kept: length that fits together with the tail */
    char tail[FM_TAIL_CHARS];
    size_t tail_length = (size_t)snprintf(tail, sizeof tail, ",... (%" PRIu64 " ranks)", fm_rankset_count(set));
    for (size_t i = 0; i < set->n; i++) {
        length += range_text(text + length, size - length, &set->ranges[i], i == 0);
        if (i == 0 || length + tail_length <= max_chars)
            kept = length;
        if (max_chars && length > max_chars && i > 0) {
            memcpy(text + kept, tail, tail_length + 1);
            return text;
        }
    }
    return text;
}
