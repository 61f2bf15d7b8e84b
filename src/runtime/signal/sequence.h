/* SPDX-License-Identifier: BSD-3-Clause */
/* What the process did over time, in its segment (FM_SECTION_SEQUENCE): the call path of its main thread, cell by cell.
 * Written in the signal handler, by the thread that holds the lock of the calling context tree. */
#ifndef FM_RUNTIME_SIGNAL_SEQUENCE_H
#define FM_RUNTIME_SIGNAL_SEQUENCE_H

#include "format/segment.h"

struct fm_timeline {
    struct fm_segment_header *header;
    struct fm_segment_sequence *cells; /* NULL: there are none */
};

void fm_timeline_make(struct fm_timeline *timeline, struct fm_segment_header *header);
/* A sample at `now_ns` (CLOCK_MONOTONIC) has found the thread in a node of the tree, where it has been for this many
 * periods. */
void fm_timeline_fill(struct fm_timeline *timeline, uint64_t now_ns, uint64_t periods, uint32_t place);

/* Called around a change of nodes. At the end, cells that name a freed node are moved to its parent, and so on, up to
 * the node that has its costs now. */
void fm_timeline_begin_change(struct fm_timeline *timeline);
void fm_timeline_end_change(struct fm_timeline *timeline, const struct fm_segment_path *paths);
/* A change that was begun will not be completed: the sequence so far is discarded. */
void fm_timeline_give_up(struct fm_timeline *timeline);

#endif
