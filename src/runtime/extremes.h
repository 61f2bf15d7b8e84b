/* SPDX-License-Identifier: BSD-3-Clause */
/* The shortest, the longest and the second longest of events. Of equal ones the earlier. */
#ifndef FM_RUNTIME_EXTREMES_H
#define FM_RUNTIME_EXTREMES_H

#include "format/segment.h"

/* An event and its number, from 1. To be called at least for the first two, and for one that is shorter than the
 * shortest or longer than the second longest. */
void fm_extremes_note(struct fm_segment_extremes *extremes, uint64_t ns, uint64_t event);
/* Those of events that followed, numbered on from the `before` ones of `into`. */
void fm_extremes_join(struct fm_segment_extremes *into, const struct fm_segment_extremes *from, uint64_t before);

#endif
