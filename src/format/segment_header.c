/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/segment_header.h"

#include <string.h>

#include "format/segment_version_1.h"

/* Size of the first header of version 2. Headers only grow. */
enum { MIN_HEADER = 2008 };
_Static_assert(sizeof(struct fm_segment_header) >= MIN_HEADER, "headers only grow");

/* Sizes of the items of a section: when it was introduced (items only grow), and in this build. */
static const struct {
    uint32_t min, own;
} item_bytes[FM_SECTION_COUNT] = {
    [FM_SECTION_TEXT] = {1, 1},
    [FM_SECTION_MODULES] = {32, sizeof(struct fm_segment_module)},
    [FM_SECTION_REGIONS] = {80, sizeof(struct fm_segment_region)},
    [FM_SECTION_THREADS] = {512, sizeof(struct fm_segment_thread)},
    [FM_SECTION_INDEX] = {4, sizeof(uint32_t)},
    [FM_SECTION_ENTRIES] = {512, sizeof(struct fm_entry)},
    [FM_SECTION_REQUESTS] = {64, sizeof(struct fm_request)},
    [FM_SECTION_SNAPSHOTS] = {2008, sizeof(struct fm_segment_snapshot)},
    [FM_SECTION_TIMERS] = {184, sizeof(struct fm_segment_timer)},
    [FM_SECTION_TIMINGS] = {448, sizeof(struct fm_segment_timing)},
    [FM_SECTION_TIMER_BINS] = {64, sizeof(struct fm_segment_bins)},
    [FM_SECTION_PATHS] = {24, sizeof(struct fm_segment_path)},
    [FM_SECTION_PATH_INDEX] = {4, sizeof(uint32_t)},
    [FM_SECTION_SEQUENCE] = {4104, sizeof(struct fm_segment_sequence)},
    [FM_SECTION_ROUTINES] = {1, 1},
    [FM_SECTION_SUCCESSIONS] = {64, sizeof(struct fm_segment_succession)},
    [FM_SECTION_FILES] = {768, sizeof(struct fm_segment_file)},
    [FM_SECTION_COUNTERS] = {384, sizeof(struct fm_segment_counters)},
};

static void terminate_strings(struct fm_segment_header *header)
{
    header->boot_id[sizeof header->boot_id - 1] = 0;
    header->host[sizeof header->host - 1] = 0;
    header->job_key[sizeof header->job_key - 1] = 0;
    header->run_id[sizeof header->run_id - 1] = 0;
}

/* Clears everything after the header. */
static void clear_tail(struct fm_segment_header *header, size_t bytes)
{
    if (bytes < sizeof *header)
        memset((char *)header + bytes, 0, sizeof *header - bytes);
}

const char *fm_segment_header_read(struct fm_segment_header *header, const void *bytes, size_t size)
{
    size_t common = size < sizeof *header ? size : sizeof *header;
    memmove(header, bytes, common);
    clear_tail(header, common);
    terminate_strings(header);
    if (size < FM_VERSION_1_HEADER || memcmp(header->magic, FM_SEGMENT_MAGIC, sizeof header->magic))
        return "is not a Fathom segment";
    if (header->version > FM_SEGMENT_VERSION)
        return "was written by a newer, incompatible version of Fathom: update Fathom";
    if (header->version == 1)
        return fm_segment_upgrade(header);
    if (!header->version || header->header_bytes < MIN_HEADER || size < MIN_HEADER ||
        header->header_bytes > header->segment_bytes)
        return "is truncated or damaged";
    clear_tail(header, header->header_bytes);
    return NULL;
}

bool fm_segment_sections_fit(const struct fm_segment_header *header)
{
    for (size_t i = 0; i < FM_SECTION_COUNT; i++) {
        const struct fm_segment_section *section = &header->sections[i];
        uint64_t bytes = (uint64_t)section->capacity * section->item_bytes;
        bool is_text = i == FM_SECTION_TEXT || i == FM_SECTION_ROUTINES;
        if (section->capacity &&
            (section->item_bytes < item_bytes[i].min || (is_text && section->item_bytes != 1) || section->offset % 64 ||
             section->offset < header->header_bytes || section->offset > header->segment_bytes ||
             bytes > header->segment_bytes - section->offset))
            return false;
    }
    return true;
}

struct fm_left_out fm_segment_left_out(const struct fm_segment_header *header)
{
    struct fm_left_out left_out = {.columns = header->header_bytes > sizeof *header};
    for (size_t i = 0; i < FM_SECTION_SLOTS; i++) {
        const struct fm_segment_section *section = &header->sections[i];
        if (section->capacity && i >= FM_SECTION_COUNT)
            left_out.sections++;
        else if (section->capacity && section->item_bytes > item_bytes[i].own)
            left_out.columns++;
    }
    return left_out;
}

uint32_t fm_segment_used(const struct fm_segment_header *header, enum fm_segment_section_id id)
{
    const uint32_t used[FM_SECTION_COUNT] = {
        [FM_SECTION_TEXT] = header->n_text,
        [FM_SECTION_MODULES] = header->n_modules,
        [FM_SECTION_REGIONS] = header->n_regions,
        [FM_SECTION_THREADS] = header->n_threads,
        [FM_SECTION_INDEX] = 0, /* not used by readers */
        [FM_SECTION_ENTRIES] = header->n_entries,
        [FM_SECTION_REQUESTS] = UINT32_MAX,
        [FM_SECTION_SNAPSHOTS] = header->n_snapshots,
        [FM_SECTION_TIMERS] = header->n_timers,
        [FM_SECTION_TIMINGS] = header->n_timings,
        [FM_SECTION_TIMER_BINS] = header->n_timer_bins,
        [FM_SECTION_PATHS] = header->n_paths,
        [FM_SECTION_PATH_INDEX] = 0, /* the same */
        [FM_SECTION_SEQUENCE] = header->sequence_first ? 1 : 0,
        [FM_SECTION_ROUTINES] = UINT32_MAX,
        [FM_SECTION_SUCCESSIONS] = UINT32_MAX,
        [FM_SECTION_FILES] = UINT32_MAX,
        [FM_SECTION_COUNTERS] = header->n_counters,
    };
    return used[id] < header->sections[id].capacity ? used[id] : header->sections[id].capacity;
}
