/* SPDX-License-Identifier: BSD-3-Clause */
/* Joins a sorted array into another one: the mechanism behind all merging. Items with equal keys are merged, the others
 * are inserted. If all new items come after the existing ones they are simply appended, so that merging ranks in
 * ascending order costs time in proportion to what is added, not to what is already there. */
#ifndef FM_MERGE_JOIN_H
#define FM_MERGE_JOIN_H

#include "model/lists.h"

struct fm_join {
    size_t item_size;
    int (*compare)(const void *mine, const void *theirs);
    bool repeats; /* items with equal keys are kept separately */
    /* Which fields are merged, and which strings and sets are copied into the profile's arena. NULL: none. */
    const struct fm_fields *fields, *compounds;
    /* Additional work: when *theirs is merged into *mine, and after *theirs was copied to a slot. NULL: none. */
    bool (*merge)(struct fm_profile *into, void *mine, const void *theirs);
    bool (*copy)(struct fm_profile *into, void *slot, const void *theirs);
};

/* Merges those fields of *theirs into *mine that are a sum, a minimum or a maximum. */
bool fm_merge_fields(struct fm_profile *into, const struct fm_fields *fields, void *mine, const void *theirs);

/* Joins a list of the profile, according to the schema; merge and copy: as above. */
bool fm_join_list(const struct fm_list *list, struct fm_profile *into, const void *from, size_t n_from,
                  bool (*merge)(struct fm_profile *into, void *mine, const void *theirs),
                  bool (*copy)(struct fm_profile *into, void *slot, const void *theirs));

/* items (the address of a pointer to items), *n and *capacity describe an array of `into`. Returns false if out of
 * memory; `into` is unusable then. */
bool fm_join(const struct fm_join *kind, struct fm_profile *into, void *items, size_t *n, size_t *capacity,
             const void *from, size_t n_from);

#endif
