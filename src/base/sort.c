/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sort.h"

#include <string.h>

/* Merges the sorted runs [a, middle) and [middle, end) into `out`. */
static void merge_runs(const char *a, const char *middle, const char *end, size_t item_size, fm_compare *compare,
                       char *out)
{
    const char *b = middle;
    while (a < middle && b < end) {
        const char **smaller = compare(b, a) < 0 ? &b : &a;
        memcpy(out, *smaller, item_size);
        *smaller += item_size;
        out += item_size;
    }
    memcpy(out, a, (size_t)(middle - a));
    memcpy(out + (middle - a), b, (size_t)(end - b));
}

static bool sorted(const char *items, size_t n, size_t item_size, fm_compare *compare)
{
    for (size_t i = 1; i < n; i++)
        if (compare(items + (i - 1) * item_size, items + i * item_size) > 0)
            return false;
    return true;
}

bool fm_sort(void *items, size_t n, size_t item_size, fm_compare *compare, struct fm_arena *scratch)
{
    if (n < 2 || sorted(items, n, item_size, compare))
        return true;
    char *from = items, *to = fm_arena_alloc(scratch, n * item_size);
    if (!to)
        return false;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run) {
            size_t middle = at + run < n ? at + run : n, end = at + 2 * run < n ? at + 2 * run : n;
            merge_runs(from + at * item_size, from + middle * item_size, from + end * item_size, item_size, compare,
                       to + at * item_size);
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, n * item_size);
    return true;
}
