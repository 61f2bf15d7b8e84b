/* SPDX-License-Identifier: BSD-3-Clause */
/* The lists of a record, from which reading and writing follow: their place in the document, and the members of an item.
 * Private to this folder. */
#ifndef FM_SITE_RECORD_LISTS_H
#define FM_SITE_RECORD_LISTS_H

#include "site/record/record.h"

/* In the order in which items are left out if a record is too long. */
enum fm_record_list_number {
    FM_RECORD_TIMERS,
    FM_RECORD_REGIONS,
    FM_RECORD_SETTINGS,
    FM_RECORD_HOSTS,
    FM_RECORD_FINDINGS,
    FM_RECORD_ROUTINES,
    FM_RECORD_N_LISTS
};

enum { FM_RECORD_ITEM_FIELDS = 7, FM_RECORD_ITEM_MAX = 64 /* bytes of an item in memory */ };

struct fm_record_list {
    const char *section, *key;                            /* section NULL: at the top level */
    size_t items, count;                                  /* offsets in struct fm_record */
    size_t item_size, kept, n;                            /* kept: items that are left out last; n: fields */
    int object;                                           /* an object of names and values instead of a list */
    struct fm_record_field fields[FM_RECORD_ITEM_FIELDS]; /* the first one must be there */
};
extern const struct fm_record_list fm_record_lists[FM_RECORD_N_LISTS];

/* A field of an item is handled like one of the record: the item takes the record's place. */
static inline const struct fm_record *fm_record_item(const struct fm_record *record, const struct fm_record_list *list,
                                                     size_t number)
{
    const char *items = *(const char *const *)((const char *)record + list->items);
    return (const struct fm_record *)(items + number * list->item_size);
}

static inline size_t fm_record_count(const struct fm_record *record, const struct fm_record_list *list)
{
    return *(const size_t *)((const char *)record + list->count);
}

#endif
