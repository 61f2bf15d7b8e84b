/* SPDX-License-Identifier: BSD-3-Clause */
#include "merge/segment_view.h"

#include <string.h>

#include "base/safe_text.h"

static enum fm_status check(const struct fm_segment_header *header, size_t size, const char *origin,
                            struct fm_error *error)
{
    if (header->segment_bytes > size)
        return fm_fail(error, FM_ERR_INPUT, "%s is truncated (%zu of %llu bytes)", origin, size,
                       (unsigned long long)header->segment_bytes);
    if (!fm_segment_sections_fit(header))
        return fm_fail(error, FM_ERR_INPUT, "%s is damaged: its sections exceed the file", origin);
    if (header->rank < -1 || header->world_size < 0 || (header->world_size && header->rank >= header->world_size) ||
        header->clock_shift > 63)
        return fm_fail(error, FM_ERR_INPUT, "%s is damaged: invalid header", origin);
    return FM_OK;
}

static bool copy_texts(struct fm_segment_view *view)
{
    size_t n = fm_segment_items(view, FM_SECTION_TEXT);
    view->text = fm_arena_strndup(&view->scratch, view->bytes + view->header.sections[FM_SECTION_TEXT].offset, n);
    view->n_text = n;
    return view->text;
}

enum fm_status fm_segment_view_open(struct fm_segment_view *view, const void *bytes, size_t size, const char *origin,
                                    struct fm_error *error)
{
    struct fm_segment_header *header = &view->header;
    const char *wrong = fm_segment_header_read(header, bytes, size);
    if (wrong)
        return fm_fail(error, FM_ERR_INPUT, "%s %s", origin, wrong);
    view->bytes = bytes;
    view->origin = origin;
    enum fm_status status = check(header, size, origin, error);
    if (status)
        return status;
    for (size_t i = 0; i < FM_SECTION_COUNT; i++)
        if (!header->sections[i].capacity)
            header->sections[i].offset = 0; /* undefined for an empty section */
    return copy_texts(view) ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "not enough memory to read %s", origin);
}

size_t fm_segment_items(const struct fm_segment_view *view, enum fm_segment_section_id id)
{
    return fm_segment_used(&view->header, id);
}

void fm_segment_item(const struct fm_segment_view *view, enum fm_segment_section_id id, size_t i, void *item,
                     size_t bytes)
{
    const struct fm_segment_section *section = &view->header.sections[id];
    size_t common = bytes < section->item_bytes ? bytes : section->item_bytes;
    memcpy(item, view->bytes + section->offset + i * section->item_bytes, common);
    memset((char *)item + common, 0, bytes - common);
}

const char *fm_segment_text(const struct fm_segment_view *view, uint32_t offset)
{
    return offset && offset < view->n_text ? view->text + offset : "";
}

/* Fast path: nearly all text is ASCII, and text is much of the work of reading a segment. */
static bool is_plain(char c, bool lines)
{
    return (c >= ' ' && c <= '~') || (lines && (c == '\n' || c == '\t'));
}

const char *fm_clean_text(struct fm_arena *arena, const char *text, size_t max, bool lines)
{
    char *copy = fm_arena_strndup(arena, text, strnlen(text, max));
    size_t n = 0;
    for (const char *at = copy; copy && *at;) {
        if (is_plain(*at, lines))
            copy[n++] = *at++;
        else
            n += fm_safe_next(FM_SAFE_TERMINAL, &at, copy + n);
    }
    if (copy)
        copy[n] = 0;
    return copy;
}
