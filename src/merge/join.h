/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining a sorted array into another one: the one mechanism behind all merging. Items with equal keys are merged,
 * the others are copied to their place. When all new items lie behind the old ones they are simply appended, so
 * that ranks merged in rising order cost what they add, not what is already there. */
#ifndef FM_MERGE_JOIN_H
#define FM_MERGE_JOIN_H

#include "model/lists.h"

struct fm_join {
    size_t item_size;
    int (*compare)(const void *mine, const void *theirs);
    bool repeats; /* items with equal keys stay beside each other */
    /* Which fields are added, and which texts and sets are copied into the profile's arena. NULL: none. */
    const struct fm_fields *fields, *compounds;
    /* What there is to do besides: adding *theirs to *mine, and after *theirs was copied into a slot. NULL: nothing. */
    bool (*merge)(struct fm_profile *into, void *mine, const void *theirs);
    bool (*copy)(struct fm_profile *into, void *slot, const void *theirs);
};

/* Adds the fields of *theirs to those of *mine that are a sum or an extreme. */
bool fm_merge_fields(struct fm_profile *into, const struct fm_fields *fields, void *mine, const void *theirs);

/* A list of the profile itself, as the schema has it; merge and copy: as above. */
bool fm_join_list(const struct fm_list *list, struct fm_profile *into, const void *from, size_t n_from,
                  bool (*merge)(struct fm_profile *into, void *mine, const void *theirs),
                  bool (*copy)(struct fm_profile *into, void *slot, const void *theirs));

/* items (the address of a pointer to items), *n and *capacity are an array of `into`. false: no memory, and `into`
 * is of no use any more. */
bool fm_join(const struct fm_join *kind, struct fm_profile *into, void *items, size_t *n, size_t *capacity,
             const void *from, size_t n_from);

#endif
