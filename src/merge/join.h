/* Joining a sorted array into another one: the one mechanism behind all merging. Items with equal keys are merged,
 * the others are copied to their place. When all new items lie behind the old ones they are simply appended, so
 * that ranks merged in rising order cost what they add, not what is already there. */
#ifndef FM_MERGE_JOIN_H
#define FM_MERGE_JOIN_H

#include "model/profile.h"

struct fm_join {
    size_t item_size;
    int (*compare)(const void *mine, const void *theirs);
    /* Adds *theirs to *mine. NULL: items with equal keys stay beside each other. */
    bool (*merge)(struct fm_profile *into, void *mine, const void *theirs);
    /* Copies *theirs with all it points at into the profile's arena. NULL: a plain copy is enough. */
    bool (*copy)(struct fm_profile *into, void *slot, const void *theirs);
};

/* items (the address of a pointer to items), *n and *capacity are an array of `into`. false: no memory, and `into`
 * is of no use any more. */
bool fm_join(const struct fm_join *kind, struct fm_profile *into, void *items, size_t *n, size_t *capacity,
             const void *from, size_t n_from);

#endif
