/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a segment, whichever build wrote it: the part that build and this one have in common, and 0 in members
 * it does not have. Sections keep their own item sizes, which can be larger or smaller than in this build. */
#ifndef FM_FORMAT_SEGMENT_HEADER_H
#define FM_FORMAT_SEGMENT_HEADER_H

#include <stdbool.h>

#include "format/segment.h"
#include "model/profile.h"

/* `bytes` is the beginning of a segment, or all of it; it may be `header` itself. Returns NULL if the header is valid,
 * and terminates its strings; else a description of the problem that continues a sentence after the name of the
 * segment. */
const char *fm_segment_header_read(struct fm_segment_header *header, const void *bytes, size_t size);

/* Whether the build that wrote it has this member of the header. */
#define FM_SEGMENT_HAS(header, member) \
    (offsetof(struct fm_segment_header, member) + sizeof(header)->member <= (header)->header_bytes)

/* For a header that was read: whether every section known to this build is within the segment, after its header, and
 * has items that are at least as large as they were when introduced. */
bool fm_segment_sections_fit(const struct fm_segment_header *header);

/* Counts what this build does not know: sections; and, as columns, a header or items of a section that are larger than
 * in this build. */
struct fm_left_out fm_segment_left_out(const struct fm_segment_header *header);

/* Number of items of a section in use, limited to its capacity. */
uint32_t fm_segment_used(const struct fm_segment_header *header, enum fm_segment_section_id id);

#endif
