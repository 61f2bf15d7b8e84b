/* SPDX-License-Identifier: BSD-3-Clause */
/* The first entry of a region and the first start of a timer, from which a report can leave out what was before. */
#ifndef FM_RUNTIME_FIRST_ENTRY_H
#define FM_RUNTIME_FIRST_ENTRY_H

#include "format/segment.h"

/* Adds up all events so far: once for each region and timer, not in the path of calls. Any thread, also in a signal
 * handler. */
void fm_first_entry_note(struct fm_segment_first *first);

#endif
