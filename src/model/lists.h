/* The lists of a profile that are nothing but their items, as the schema has them: fields, then compounds. A new one is
 * a line in lists.c, and one for its section in format/sections.c. */
#ifndef FM_MODEL_LISTS_H
#define FM_MODEL_LISTS_H

#include "model/schema.h"

struct fm_list {
    const char *name;
    const struct fm_fields *fields, *compounds;
    size_t item_size;
    size_t items, n, capacity; /* where struct fm_profile has them */
    bool repeats;              /* items with equal keys stay beside each other */
    int (*compare)(const void *a, const void *b);
};
extern const struct fm_list fm_list_hosts, fm_list_processes, fm_list_routines, fm_list_events, fm_list_regions,
    fm_list_notes;

/* The items of a list in a profile. */
void *fm_list_items(const struct fm_list *list, const struct fm_profile *profile, size_t *n);
void fm_list_set(const struct fm_list *list, struct fm_profile *profile, void *items, size_t n);

#endif
