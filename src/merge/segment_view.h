/* A checked view of a segment: its header copied once, its sections within their bounds, its texts as strings.
 * Behind the view lies memory that may change at any moment: items are copied out, never looked at twice. */
#ifndef FM_MERGE_SEGMENT_VIEW_H
#define FM_MERGE_SEGMENT_VIEW_H

#include "format/segment.h"
#include "model/profile.h"

struct fm_segment_view {
    struct fm_segment_header header;
    const char *bytes;
    const char *origin;
    struct fm_arena scratch; /* for what is needed only while reading; the owner of the view destroys it */
    const char *text;        /* copy of the text section, NUL-terminated */
    size_t n_text;
};

/* Everything fm_segment_check promises. */
enum fm_status fm_segment_view_open(struct fm_segment_view *view, const void *bytes, size_t size, const char *origin,
                                    struct fm_error *error);

/* How many items of a section are in use, and within its capacity. */
uint32_t fm_segment_used(const struct fm_segment_header *header, enum fm_segment_section_id id);
/* How many items of a section may be read: the header's count (or the capacity where it has none). */
size_t fm_segment_items(const struct fm_segment_view *view, enum fm_segment_section_id id);
/* Copies item i of a section; i must be below fm_segment_items. */
void fm_segment_item(const struct fm_segment_view *view, enum fm_segment_section_id id, size_t i, void *item);

/* The text at an offset of the text section, "" where there is none. */
const char *fm_segment_text(const struct fm_segment_view *view, uint32_t offset);

/* A fixed array of chars as a string in the scratch arena (NULL: no memory), with what is no printable UTF-8
 * replaced by '?'. lines: line feeds and tabs may stay. */
const char *fm_clean_text(struct fm_arena *arena, const char *text, size_t most, bool lines);

#endif
