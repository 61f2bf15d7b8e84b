#include "merge/join.h"

#include <string.h>

static char *at(const struct fm_join *kind, const void *items, size_t i)
{
    return (char *)items + i * kind->item_size;
}

/* The first of mine[i..n) that is not before `item`: steps that double, then halve. */
static size_t seek(const struct fm_join *kind, const char *mine, size_t i, size_t n, const char *item)
{
    size_t step = 1, low = i, high = i;
    while (high < n && kind->compare(at(kind, mine, high), item) < 0) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    if (high > n)
        high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (kind->compare(at(kind, mine, middle), item) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Merges the items that both have; *missing: how many of theirs have no counterpart. Mostly both have all, so the
 * next item of mine is tried before one is sought: comparing keys is what merging costs. */
static bool merge_equal(const struct fm_join *kind, struct fm_profile *into, char *mine, size_t n, const char *theirs,
                        size_t n_theirs, size_t *missing)
{
    *missing = 0;
    for (size_t j = 0, i = 0; j < n_theirs; j++) {
        const char *item = at(kind, theirs, j);
        int order = i < n ? kind->compare(at(kind, mine, i), item) : 1;
        if (order < 0) {
            i = seek(kind, mine, i + 1, n, item);
            order = i < n ? kind->compare(at(kind, mine, i), item) : 1;
        }
        if (order)
            ++*missing;
        else if (!kind->merge(into, at(kind, mine, i++), item))
            return false;
    }
    return true;
}

static bool copy_item(const struct fm_join *kind, struct fm_profile *into, char *slot, const char *item)
{
    if (kind->copy)
        return kind->copy(into, slot, item);
    memcpy(slot, item, kind->item_size);
    return true;
}

/* Puts the `missing` items of theirs into their places, from the back, where `mine` has room for them. */
static bool insert_missing(const struct fm_join *kind, struct fm_profile *into, char *mine, size_t n,
                           const char *theirs, size_t n_theirs, size_t missing)
{
    while (missing) {
        const char *item = at(kind, theirs, n_theirs - 1);
        int order = n ? kind->compare(at(kind, mine, n - 1), item) : -1;
        if (order > 0 || (order == 0 && kind->merge)) {
            n--;
            memcpy(at(kind, mine, n + missing), at(kind, mine, n), kind->item_size);
            n_theirs -= order == 0;
        } else {
            missing--;
            n_theirs--;
            if (!copy_item(kind, into, at(kind, mine, n + missing), item))
                return false;
        }
    }
    return true;
}

bool fm_join(const struct fm_join *kind, struct fm_profile *into, void *items, size_t *n, size_t *capacity,
             const void *from, size_t n_from)
{
    size_t missing = n_from;
    void *mine;
    memcpy(&mine, items, sizeof mine); /* whatever type of pointer it is */
    bool behind = !*n || !n_from || kind->compare(at(kind, mine, *n - 1), from) < 0;
    if (!behind && kind->merge && !merge_equal(kind, into, mine, *n, from, n_from, &missing))
        return false;
    if (!missing)
        return true;
    mine = fm_arena_grow(&into->arena, mine, capacity, *n + missing, kind->item_size);
    if (!mine)
        return false;
    memcpy(items, &mine, sizeof mine);
    if (!insert_missing(kind, into, mine, *n, from, n_from, missing))
        return false;
    *n += missing;
    return true;
}
