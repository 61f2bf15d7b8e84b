#include "model/lists.h"

#include "model/order.h"

static int compare_hosts(const void *a, const void *b)
{
    return fm_compare_text(((const struct fm_host *)a)->name, ((const struct fm_host *)b)->name);
}

static int compare_processes(const void *a, const void *b)
{
    return fm_process_compare(a, b);
}

static int compare_routines(const void *a, const void *b)
{
    return fm_compare_text(((const struct fm_routine_total *)a)->name, ((const struct fm_routine_total *)b)->name);
}

static int compare_events(const void *a, const void *b)
{
    return fm_event_key_compare(&((const struct fm_event *)a)->key, &((const struct fm_event *)b)->key);
}

static int compare_regions(const void *a, const void *b)
{
    return fm_compare_text(((const struct fm_region *)a)->path, ((const struct fm_region *)b)->path);
}

static int compare_notes(const void *a, const void *b)
{
    return fm_note_compare(a, b);
}

#define LIST(list, fields, compounds, repeats, compare)                                                           \
    {                                                                                                             \
#list, fields, compounds, sizeof *((struct fm_profile *)0)->list, offsetof(struct fm_profile, list),      \
            offsetof(struct fm_profile, n_##list), offsetof(struct fm_profile, list##_capacity), repeats, compare \
    }
static const struct fm_fields none;
const struct fm_list fm_list_hosts = LIST(hosts, &fm_host_fields, &fm_host_compounds, false, compare_hosts),
                     fm_list_processes = LIST(processes, &fm_process_fields, &none, true, compare_processes),
                     fm_list_routines = LIST(routines, &fm_routine_fields, &fm_routine_compounds, false,
                                             compare_routines),
                     fm_list_events = LIST(events, &fm_event_fields, &fm_event_compounds, false, compare_events),
                     fm_list_regions = LIST(regions, &fm_region_fields, &fm_region_compounds, false, compare_regions),
                     fm_list_notes = LIST(notes, &fm_note_fields, &fm_note_compounds, false, compare_notes);

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
