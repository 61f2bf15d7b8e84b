/* SPDX-License-Identifier: BSD-3-Clause */
/* A checked view of a segment: its header copied once, its sections within their bounds, its texts as strings.
 * Behind the view lies memory that may change at any moment: items are copied out, never looked at twice. */
#ifndef FM_MERGE_SEGMENT_VIEW_H
#define FM_MERGE_SEGMENT_VIEW_H

#include "format/segment_header.h"
#include "model/profile.h"

struct fm_segment_view {
    struct fm_segment_header header;
    const char *bytes;
    const char *origin;
    struct fm_arena scratch; /* for what is needed only while reading; the owner of the view destroys it */
    const char *text;        /* copy of the text section, NUL-terminated */
    size_t n_text;
};

/* Damage, and what is none of our segments, gives FM_ERR_INPUT and one sentence naming `origin`. */
enum fm_status fm_segment_view_open(struct fm_segment_view *view, const void *bytes, size_t size, const char *origin,
                                    struct fm_error *error);

/* How many items of a section may be read: the header's count (or the capacity where it has none). */
size_t fm_segment_items(const struct fm_segment_view *view, enum fm_segment_section_id id);
/* Copies the first `bytes` of item i of a section; i must be below fm_segment_items. What items of the build that wrote
 * them do not have is 0. */
void fm_segment_item(const struct fm_segment_view *view, enum fm_segment_section_id id, size_t i, void *item,
                     size_t bytes);

/* The text at an offset of the text section, "" where there is none. */
const char *fm_segment_text(const struct fm_segment_view *view, uint32_t offset);

/* A fixed array of chars as a string in the scratch arena (NULL: no memory), with what is no printable UTF-8
 * replaced by '?'. lines: line feeds and tabs may stay. */
const char *fm_clean_text(struct fm_arena *arena, const char *text, size_t most, bool lines);

#endif
