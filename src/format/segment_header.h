/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a segment, whichever build wrote it: what that build and this one have in common, and 0 in what that one
 * does not have. Sections keep their own sizes of items, which may be larger or smaller than those of this build. */
#ifndef FM_FORMAT_SEGMENT_HEADER_H
#define FM_FORMAT_SEGMENT_HEADER_H

#include <stdbool.h>

#include "format/segment.h"
#include "model/profile.h"

/* `bytes` is the beginning of a segment, or all of it; it may be `header` itself. NULL: it is understood, and its strings
 * are terminated; else what is wrong, to follow the segment's name in a sentence. */
const char *fm_segment_header_read(struct fm_segment_header *header, const void *bytes, size_t size);

/* Whether the build that wrote it has a member of the header. */
#define FM_SEGMENT_HAS(header, member) \
    (offsetof(struct fm_segment_header, member) + sizeof(header)->member <= (header)->header_bytes)

/* Of a header that was read: whether every section that this build knows lies within the segment, behind its header, and
 * has items as large as such items always were. */
bool fm_segment_sections_fit(const struct fm_segment_header *header);

/* What it has and this build does not know: sections; and as columns, that the header or the items of a section are larger
 * than here. */
struct fm_left_out fm_segment_left_out(const struct fm_segment_header *header);

/* How many items of a section are in use, and within its capacity. */
uint32_t fm_segment_used(const struct fm_segment_header *header, enum fm_segment_section_id id);

#endif
