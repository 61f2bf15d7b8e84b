/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/lists.h"

#include "model/order.h"

/* Compares by key. The lists that take most of the time of merging are compared without the tables. */
static inline int compare(unsigned section, const struct fm_fields *fields, const void *a, const void *b)
{
    if (section == FM_SECTION_OF_events)
        return fm_event_key_compare(&((const struct fm_event *)a)->key, &((const struct fm_event *)b)->key);
    if (section == FM_SECTION_OF_processes)
        return fm_process_compare(a, b);
    if (section == FM_SECTION_OF_notes)
        return fm_note_compare(a, b);
    return fm_fields_compare(fields, a, b, FM_MERGE_KEY);
}

#define X(section, list, item, merged)                      \
    static int compare_##list(const void *a, const void *b) \
    {                                                       \
        return compare(section, &fm_##item##_fields, a, b); \
    }
FM_LISTS(X)
#undef X

#define OWN false
#define SCHEMA true
#define X(section, list, item, merged)                                                   \
    const struct fm_list fm_list_##list = {&fm_##item##_fields,                          \
                                           &fm_##item##_compounds,                       \
                                           sizeof *((struct fm_profile *)0)->list,       \
                                           offsetof(struct fm_profile, list),            \
                                           offsetof(struct fm_profile, n_##list),        \
                                           offsetof(struct fm_profile, list##_capacity), \
                                           (section) == FM_SECTION_OF_processes,         \
                                           merged,                                       \
                                           compare_##list};
FM_LISTS(X)
#undef X
#undef SCHEMA
#undef OWN

const struct fm_list *fm_list_of(unsigned section)
{
    switch (section) {
#define X(section, list, item, merged) \
    case section:                      \
        return &fm_list_##list;
        FM_LISTS(X)
#undef X
    default:
        return NULL;
    }
}

void *fm_list_items(const struct fm_list *list, const struct fm_profile *profile, size_t *n)
{
    const char *bytes = (const char *)profile;
    *n = *(const size_t *)(const void *)(bytes + list->n);
    return *(void *const *)(const void *)(bytes + list->items);
}

void fm_list_set(const struct fm_list *list, struct fm_profile *profile, void *items, size_t n)
{
    char *bytes = (char *)profile;
    *(void **)(void *)(bytes + list->items) = items;
    *(size_t *)(void *)(bytes + list->n) = *(size_t *)(void *)(bytes + list->capacity) = n;
}
