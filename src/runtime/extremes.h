/* SPDX-License-Identifier: BSD-3-Clause */
/* Shortest, longest and second longest of a series of events. Of equal durations the earlier event is kept. */
#ifndef FM_RUNTIME_EXTREMES_H
#define FM_RUNTIME_EXTREMES_H

#include "format/segment.h"

/* Records an event by its number, counted from 1. Must be called at least for the first two events, and for each that
 * is shorter than the shortest or longer than the second longest so far. */
void fm_extremes_note(struct fm_segment_extremes *extremes, uint64_t ns, uint64_t event);
/* Merges the extremes of events that followed those of `into`. Their numbers continue after its `before` events. */
void fm_extremes_join(struct fm_segment_extremes *into, const struct fm_segment_extremes *from, uint64_t before);

#endif
