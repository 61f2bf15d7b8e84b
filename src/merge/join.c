/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge/join.h"

#include <string.h>

#include "base/saturate.h"
#include "model/order.h"
#include "model/strings.h"

static char *at(const struct fm_join *kind, const void *items, size_t i)
{
    return (char *)items + i * kind->item_size;
}

/* ---- items, according to the schema ---- */

static void merge_number(const struct fm_field *field, void *mine, const void *theirs)
{
    uint64_t a = fm_field_get(field, mine), b = fm_field_get(field, theirs);
    if (field->merge == FM_MERGE_SUM)
        fm_add_saturating(&a, b);
    else if (field->merge == FM_MERGE_MAX ? b > a : b && (!a || b < a))
        a = b;
    if (field->kind == FM_FIELD_U32 && a > UINT32_MAX)
        a = UINT32_MAX;
    fm_field_set(field, mine, a);
}

static bool merge_text(const struct fm_field *field, struct fm_profile *into, void *mine, const void *theirs)
{
    const char **text = fm_field_text(field, mine), *other = *fm_field_text(field, theirs);
    if (fm_compare_text(other, *text) > 0)
        *text = fm_profile_intern(into, other);
    return *text;
}

static bool merge_compound(const struct fm_field *field, struct fm_profile *into, void *mine, const void *theirs)
{
    void *to = fm_field_at(field, mine);
    const void *from = fm_field_at(field, theirs);
    if (field->kind == FM_FIELD_RANKS)
        return fm_rankset_union(to, &into->arena, from);
    if (field->kind == FM_FIELD_STATS)
        fm_stats_merge(to, from);
    else
        fm_spread_merge(to, from);
    return true;
}

bool fm_merge_fields(struct fm_profile *into, const struct fm_fields *fields, void *mine, const void *theirs)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct fm_field *field = &fields->list[i];
        if (field->merge != FM_MERGE_SUM && field->merge != FM_MERGE_MAX && field->merge != FM_MERGE_MIN)
            continue;
        if (field->kind != FM_FIELD_TEXT)
            merge_number(field, mine, theirs);
        else if (!merge_text(field, into, mine, theirs))
            return false;
    }
    return true;
}

static bool merge_item(const struct fm_join *kind, struct fm_profile *into, void *mine, const void *theirs)
{
    if (kind->fields && !fm_merge_fields(into, kind->fields, mine, theirs))
        return false;
    for (size_t i = 0; kind->compounds && i < kind->compounds->n; i++)
        if (!merge_compound(&kind->compounds->list[i], into, mine, theirs))
            return false;
    return !kind->merge || kind->merge(into, mine, theirs);
}

static bool copy_item(const struct fm_join *kind, struct fm_profile *into, char *slot, const char *item)
{
    memcpy(slot, item, kind->item_size);
    for (size_t i = 0; kind->fields && i < kind->fields->n; i++) {
        const char **text = fm_field_text(&kind->fields->list[i], slot);
        if (kind->fields->list[i].kind == FM_FIELD_TEXT && !(*text = fm_profile_intern(into, *text)))
            return false;
    }
    for (size_t i = 0; kind->compounds && i < kind->compounds->n; i++) {
        struct fm_rankset *set = fm_field_at(&kind->compounds->list[i], slot), copy = {0};
        if (kind->compounds->list[i].kind != FM_FIELD_RANKS)
            continue;
        if (!fm_rankset_union(&copy, &into->arena, set))
            return false;
        *set = copy;
    }
    return !kind->copy || kind->copy(into, slot, item);
}

/* ---- arrays ---- */

/* The first of mine[i..n) that is not less than `item`: exponential, then binary search. */
static size_t find_first(const struct fm_join *kind, const char *mine, size_t i, size_t n, const char *item)
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

/* Merges the items that are in both; *missing: number of theirs without a counterpart. Usually both have all, so the
 * next item of mine is tried before searching: most of the cost of merging is comparing keys. */
static bool merge_equal(const struct fm_join *kind, struct fm_profile *into, char *mine, size_t n, const char *theirs,
                        size_t n_theirs, size_t *missing)
{
    *missing = 0;
    for (size_t j = 0, i = 0; j < n_theirs; j++) {
        const char *item = at(kind, theirs, j);
        int order = i < n ? kind->compare(at(kind, mine, i), item) : 1;
        if (order < 0) {
            i = find_first(kind, mine, i + 1, n, item);
            order = i < n ? kind->compare(at(kind, mine, i), item) : 1;
        }
        if (order)
            ++*missing;
        else if (!merge_item(kind, into, at(kind, mine, i++), item))
            return false;
    }
    return true;
}

/* Inserts the `missing` items of theirs from the end; `mine` must have space for them. */
static bool insert_missing(const struct fm_join *kind, struct fm_profile *into, char *mine, size_t n,
                           const char *theirs, size_t n_theirs, size_t missing)
{
    while (missing) {
        const char *item = at(kind, theirs, n_theirs - 1);
        int order = n ? kind->compare(at(kind, mine, n - 1), item) : -1;
        if (order > 0 || (order == 0 && !kind->repeats)) {
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
    memcpy(&mine, items, sizeof mine); /* any type of pointer */
    bool append = !*n || !n_from || kind->compare(at(kind, mine, *n - 1), from) < 0;
    if (!append && !kind->repeats && !merge_equal(kind, into, mine, *n, from, n_from, &missing))
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

bool fm_join_list(const struct fm_list *list, struct fm_profile *into, const void *from, size_t n_from,
                  bool (*merge)(struct fm_profile *into, void *mine, const void *theirs),
                  bool (*copy)(struct fm_profile *into, void *slot, const void *theirs))
{
    struct fm_join kind = {.item_size = list->item_size,
                           .compare = list->compare,
                           .repeats = list->repeats,
                           .fields = list->fields,
                           .compounds = list->compounds,
                           .merge = merge,
                           .copy = copy};
    char *bytes = (char *)into;
    return fm_join(&kind, into, bytes + list->items, (size_t *)(void *)(bytes + list->n),
                   (size_t *)(void *)(bytes + list->capacity), from, n_from);
}
