#include "merge/segment_view.h"

#include <string.h>

#include "base/safe_text.h"
#include "generated/routines.h"
#include "merge/from_segment.h"

static const uint32_t item_bytes[FM_SECTION_COUNT] = {
    [FM_SECTION_TEXT] = 1,
    [FM_SECTION_MODULES] = sizeof(struct fm_segment_module),
    [FM_SECTION_REGIONS] = sizeof(struct fm_segment_region),
    [FM_SECTION_THREADS] = sizeof(struct fm_segment_thread),
    [FM_SECTION_INDEX] = sizeof(uint32_t),
    [FM_SECTION_ENTRIES] = sizeof(struct fm_entry),
    [FM_SECTION_REQUESTS] = sizeof(struct fm_request),
    [FM_SECTION_SNAPSHOTS] = sizeof(struct fm_segment_snapshot),
    [FM_SECTION_TIMERS] = sizeof(struct fm_segment_timer),
    [FM_SECTION_TIMINGS] = sizeof(struct fm_segment_timing),
    [FM_SECTION_TIMER_BINS] = sizeof(struct fm_segment_bins),
    [FM_SECTION_PATHS] = sizeof(struct fm_segment_path),
    [FM_SECTION_PATH_INDEX] = sizeof(uint32_t),
    [FM_SECTION_SEQUENCE] = sizeof(struct fm_segment_sequence),
};

static bool sections_fit(const struct fm_segment_header *header)
{
    for (size_t i = 0; i < FM_SECTION_COUNT; i++) {
        const struct fm_segment_section *section = &header->sections[i];
        uint64_t bytes = (uint64_t)section->capacity * item_bytes[i];
        if (section->capacity &&
            (section->item_bytes != item_bytes[i] || section->offset % 64 || section->offset < header->header_bytes ||
             section->offset > header->segment_bytes || bytes > header->segment_bytes - section->offset))
            return false;
    }
    return true;
}

static enum fm_status check(const struct fm_segment_header *header, size_t size, const char *origin,
                            struct fm_error *error)
{
    if (memcmp(header->magic, FM_SEGMENT_MAGIC, sizeof header->magic))
        return fm_fail(error, FM_ERR_INPUT, "%s is not a segment of Fathom", origin);
    if (header->version > FM_SEGMENT_VERSION)
        return fm_fail(error, FM_ERR_INPUT,
                       "%s was written by a newer Fathom (segment format %u; this one reads up to %d): update Fathom",
                       origin, header->version, FM_SEGMENT_VERSION);
    if (header->version != FM_SEGMENT_VERSION || header->header_bytes != sizeof *header ||
        header->routines_fingerprint != FM_ROUTINES_FINGERPRINT)
        return fm_fail(error, FM_ERR_INPUT,
                       "%s was written by another build of Fathom: read it with the Fathom that measured it", origin);
    if (header->segment_bytes > size)
        return fm_fail(error, FM_ERR_INPUT, "%s is cut short (%zu of %llu bytes)", origin, size,
                       (unsigned long long)header->segment_bytes);
    if (header->segment_bytes < sizeof *header || !sections_fit(header))
        return fm_fail(error, FM_ERR_INPUT, "%s is damaged: its sections do not fit into it", origin);
    if (header->rank < -1 || header->world_size < 0 || (header->world_size && header->rank >= header->world_size) ||
        header->clock_shift > 63)
        return fm_fail(error, FM_ERR_INPUT, "%s is damaged: its header holds impossible numbers", origin);
    return FM_OK;
}

const struct fm_segment_header *fm_segment_check(const void *bytes, size_t size, const char *origin,
                                                 struct fm_error *error)
{
    struct fm_segment_header header;
    if (size < sizeof header || (uintptr_t)bytes % _Alignof(struct fm_segment_header)) {
        fm_fail(error, FM_ERR_INPUT, "%s is not a segment of Fathom", origin);
        return NULL;
    }
    memcpy(&header, bytes, sizeof header);
    return check(&header, size, origin, error) ? NULL : bytes;
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
    if (size < sizeof *header)
        return fm_fail(error, FM_ERR_INPUT, "%s is not a segment of Fathom", origin);
    memcpy(header, bytes, sizeof *header);
    view->bytes = bytes;
    view->origin = origin;
    enum fm_status status = check(header, size, origin, error);
    if (status)
        return status;
    for (size_t i = 0; i < FM_SECTION_COUNT; i++)
        if (!header->sections[i].capacity)
            header->sections[i].offset = 0; /* of an empty section it may be anything */
    header->boot_id[sizeof header->boot_id - 1] = 0;
    header->host[sizeof header->host - 1] = 0;
    header->job_key[sizeof header->job_key - 1] = 0;
    header->run_id[sizeof header->run_id - 1] = 0;
    return copy_texts(view) ? FM_OK : fm_fail(error, FM_ERR_MEMORY, "no memory left to read %s", origin);
}

uint32_t fm_segment_used(const struct fm_segment_header *header, enum fm_segment_section_id id)
{
    const uint32_t used[FM_SECTION_COUNT] = {
        [FM_SECTION_TEXT] = header->n_text,
        [FM_SECTION_MODULES] = header->n_modules,
        [FM_SECTION_REGIONS] = header->n_regions,
        [FM_SECTION_THREADS] = header->n_threads,
        [FM_SECTION_INDEX] = 0, /* of no use to a reader */
        [FM_SECTION_ENTRIES] = header->n_entries,
        [FM_SECTION_REQUESTS] = UINT32_MAX,
        [FM_SECTION_SNAPSHOTS] = header->n_snapshots,
        [FM_SECTION_TIMERS] = header->n_timers,
        [FM_SECTION_TIMINGS] = header->n_timings,
        [FM_SECTION_TIMER_BINS] = header->n_timer_bins,
        [FM_SECTION_PATHS] = header->n_paths,
        [FM_SECTION_PATH_INDEX] = 0, /* likewise */
        [FM_SECTION_SEQUENCE] = header->sequence_first ? 1 : 0,
    };
    return used[id] < header->sections[id].capacity ? used[id] : header->sections[id].capacity;
}

size_t fm_segment_items(const struct fm_segment_view *view, enum fm_segment_section_id id)
{
    return fm_segment_used(&view->header, id);
}

void fm_segment_item(const struct fm_segment_view *view, enum fm_segment_section_id id, size_t i, void *item)
{
    const char *from = view->bytes + view->header.sections[id].offset + i * item_bytes[id];
    memcpy(item, from, item_bytes[id]);
}

const char *fm_segment_text(const struct fm_segment_view *view, uint32_t offset)
{
    return offset && offset < view->n_text ? view->text + offset : "";
}

/* Nearly all text is ASCII, and much of reading a segment is text. */
static bool stays(char c, bool lines)
{
    return (c >= ' ' && c <= '~') || (lines && (c == '\n' || c == '\t'));
}

const char *fm_clean_text(struct fm_arena *arena, const char *text, size_t most, bool lines)
{
    char *copy = fm_arena_strndup(arena, text, strnlen(text, most));
    size_t n = 0;
    for (const char *at = copy; copy && *at;) {
        if (stays(*at, lines))
            copy[n++] = *at++;
        else
            n += fm_safe_next(FM_SAFE_TERMINAL, &at, copy + n);
    }
    if (copy)
        copy[n] = 0;
    return copy;
}
