/* SPDX-License-Identifier: BSD-3-Clause */
/* The lists of a profile that consist only of items as the schema describes them: fields, then compounds.
 *
 *   X(section, list, item, merged)
 *
 * section  its number in a file, in ascending order; a new list takes the next free one (format/layout.h)
 * list     the members list, n_list and list_capacity of struct fm_profile
 * item     item[] and item_compounds[] are its tables in schema.c
 * merged   SCHEMA: according to the tables; OWN: by a function in merge/ */
#ifndef FM_MODEL_LISTS_H
#define FM_MODEL_LISTS_H

#include "model/schema.h"

/* clang-format off */
#define FM_LISTS(X)                        \
    X( 3, hosts,       host,       OWN)    \
    X( 4, processes,   process,    OWN)    \
    X( 5, routines,    routine,    OWN)    \
    X( 7, events,      event,      SCHEMA) \
    X( 8, regions,     region,     SCHEMA) \
    X(11, notes,       note,       SCHEMA) \
    X(17, programs,    program,    SCHEMA) \
    X(18, successions, succession, SCHEMA) \
    X(19, counters,    counter,    SCHEMA) \
    X(20, files,       file,       SCHEMA) \
    X(21, file_classes, class_of_files, SCHEMA) \
    X(22, spans,       span,       SCHEMA)
/* clang-format on */

struct fm_list {
    const struct fm_fields *fields, *compounds;
    size_t item_size;
    size_t items, n, capacity; /* offsets in struct fm_profile */
    bool repeats;              /* items with equal keys are kept separately */
    bool by_schema;            /* merged according to the tables */
    int (*compare)(const void *a, const void *b);
};

#define X(section, list, item, merged)                                       \
    extern const struct fm_fields fm_##item##_fields, fm_##item##_compounds; \
    extern const struct fm_list fm_list_##list;
FM_LISTS(X)
#undef X

#define X(section, list, item, merged) FM_SECTION_OF_##list = section,
enum fm_list_section { FM_LISTS(X) FM_LISTS_END };
#undef X

/* The list with this section number; NULL if there is none. */
const struct fm_list *fm_list_of(unsigned section);

/* The items of a list in a profile. */
void *fm_list_items(const struct fm_list *list, const struct fm_profile *profile, size_t *n);
void fm_list_set(const struct fm_list *list, struct fm_profile *profile, void *items, size_t n);

#endif
