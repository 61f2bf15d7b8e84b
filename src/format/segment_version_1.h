/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments of version 1 (Fathom 0.1.0). Their header is what later ones begin with, with 16 sections in the middle of it,
 * and instead of a list of routines it has a fingerprint of one. This file never changes. */
#ifndef FM_FORMAT_SEGMENT_VERSION_1_H
#define FM_FORMAT_SEGMENT_VERSION_1_H

#include "format/segment.h"

enum { FM_VERSION_1_HEADER = 984 };

/* Turns a header of version 1, read into the larger one of today, into one of today. NULL, or what is wrong. */
const char *fm_segment_upgrade(struct fm_segment_header *header);

#endif
