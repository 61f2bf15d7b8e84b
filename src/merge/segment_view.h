/* SPDX-License-Identifier: BSD-3-Clause */
/* A validated view of a segment: its header is copied once, its sections are within bounds, its strings are terminated.
 * The memory behind it can change at any time: items are copied out, and nothing is read twice. */
#ifndef FM_MERGE_SEGMENT_VIEW_H
#define FM_MERGE_SEGMENT_VIEW_H

#include "format/segment_header.h"
#include "model/profile.h"

struct fm_segment_view {
    struct fm_segment_header header;
    const char *bytes;
    const char *origin;
    struct fm_arena scratch; /* for temporary data; the owner of the view destroys it */
    const char *text;        /* copy of the text section, NUL-terminated */
    size_t n_text;
};

/* Damage, and a file that is not a segment, gives FM_ERR_INPUT and a sentence that names `origin`. */
enum fm_status fm_segment_view_open(struct fm_segment_view *view, const void *bytes, size_t size, const char *origin,
                                    struct fm_error *error);

/* Number of items of a section that may be read: the count in the header (or the capacity if it has none). */
size_t fm_segment_items(const struct fm_segment_view *view, enum fm_segment_section_id id);
/* Copies the first `bytes` of item i of a section; i must be less than fm_segment_items. Members that the build that
 * wrote it does not have are 0. */
void fm_segment_item(const struct fm_segment_view *view, enum fm_segment_section_id id, size_t i, void *item,
                     size_t bytes);

/* The string at an offset of the text section, "" if there is none. */
const char *fm_segment_text(const struct fm_segment_view *view, uint32_t offset);

/* A char array of at most `max` bytes as a string in the scratch arena, with everything that is not printable UTF-8
 * replaced by '?'. lines: keep line feeds and tabs. Returns NULL if out of memory. */
const char *fm_clean_text(struct fm_arena *arena, const char *text, size_t max, bool lines);

#endif
