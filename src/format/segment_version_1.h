/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments of version 1 (Fathom 0.1.0). Later headers begin with theirs, which has 16 sections in the middle and,
 * instead of a list of routines, a fingerprint of it. This file never changes. */
#ifndef FM_FORMAT_SEGMENT_VERSION_1_H
#define FM_FORMAT_SEGMENT_VERSION_1_H

#include "format/segment.h"

enum { FM_VERSION_1_HEADER = 984 };

/* Converts a header of version 1, read into the larger struct, to the current version. Returns NULL or a description of
 * the problem. */
const char *fm_segment_upgrade(struct fm_segment_header *header);

#endif
