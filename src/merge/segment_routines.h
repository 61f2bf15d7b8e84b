/* SPDX-License-Identifier: BSD-3-Clause */
/* The meaning of the routine numbers of a segment. The first FM_ROUTINES_FIXED have the same meaning in every build;
 * the segment itself names the others, which this build may or may not know. */
#ifndef FM_MERGE_SEGMENT_ROUTINES_H
#define FM_MERGE_SEGMENT_ROUTINES_H

#include <stdbool.h>
#include <stdint.h>

struct fm_segment_reader;

struct fm_routines {
    uint32_t n;
    const struct fm_routine_added {
        const char *name; /* interned */
        unsigned class;   /* enum fm_class */
    } * added;            /* from number FM_ROUTINES_FIXED on */
};

/* Sets reader->routines. Returns false if out of memory. */
bool fm_read_routine_names(struct fm_segment_reader *reader);

/* The number must be less than n. */
const char *fm_routine_name_in(const struct fm_routines *routines, uint32_t number);
unsigned fm_routine_class_in(const struct fm_routines *routines, uint32_t number);

/* Sets those orders[number] that are not 0 to 1, 2 ... by name, equal for equal names. Returns false if out of
 * memory. */
bool fm_order_routines(struct fm_segment_reader *reader, uint16_t *orders);

#endif
