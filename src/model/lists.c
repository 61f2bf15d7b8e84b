#include "model/lists.h"

#include "model/order.h"

/* ---- the order of each: by its key; where that takes most of the time of merging, without the tables ---- */

static int compare_processes(const void *a, const void *b)
{
    return fm_process_compare(a, b);
}

static int compare_events(const void *a, const void *b)
{
    return fm_event_key_compare(&((const struct fm_event *)a)->key, &((const struct fm_event *)b)->key);
}

static int compare_notes(const void *a, const void *b)
{
    return fm_note_compare(a, b);
}

#define COMPARE(list, item)                                                \
    static int compare_##list(const void *a, const void *b)                \
    {                                                                      \
        return fm_fields_compare(&fm_##item##_fields, a, b, FM_MERGE_KEY); \
    }
COMPARE(hosts, host)
COMPARE(routines, routine)
COMPARE(regions, region)

#define OWN false
#define SCHEMA true
#define X(section, list, item, merged)                                                   \
    const struct fm_list fm_list_##list = {#list,                                        \
                                           &fm_##item##_fields,                          \
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
#define X(section, list, item, merged) [section] = &fm_list_##list,
    static const struct fm_list *const lists[FM_LISTS_END] = {FM_LISTS(X)};
#undef X
    return section < FM_LISTS_END ? lists[section] : NULL;
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
