/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory, network and time without a CPU, written to the header of the segment. Each function reads a few files of /proc
 * and /sys: they are called at the start and the end of measurement, never in the path of calls. */
#ifndef FM_RUNTIME_RESOURCES_H
#define FM_RUNTIME_RESOURCES_H

#include "format/segment.h"

void fm_resources_at_start(struct fm_segment_header *h);
void fm_resources_after_init(struct fm_segment_header *h); /* the end of MPI_Init */
void fm_resources_at_end(struct fm_segment_header *h);

#endif
