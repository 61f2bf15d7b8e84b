/* SPDX-License-Identifier: BSD-3-Clause */
#include "runtime/signal/sequence.h"

#include <string.h>

#include "model/call_paths.h"

void fm_timeline_make(struct fm_timeline *timeline, struct fm_segment_header *header)
{
    const struct fm_segment_section *section = &header->sections[FM_SECTION_SEQUENCE];
    *timeline = (struct fm_timeline){header, NULL};
    if (section->capacity)
        timeline->cells = (struct fm_segment_sequence *)(void *)((char *)header + section->offset);
}

/* A reader reads the counter in the header first, and the one in the cells last. */
void fm_timeline_begin_change(struct fm_timeline *timeline)
{
    if (!timeline->cells)
        return;
    __atomic_store_n(&timeline->cells->changes, timeline->header->sequence_changes + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void end_change(struct fm_timeline *timeline)
{
    __atomic_store_n(&timeline->header->sequence_changes, timeline->cells->changes, __ATOMIC_RELEASE);
}

void fm_timeline_end_change(struct fm_timeline *timeline, const struct fm_segment_path *paths)
{
    if (!timeline->cells)
        return;
    for (uint32_t i = 0; i < FM_SEQUENCE_CELLS; i++) {
        uint32_t *cell = &timeline->cells->cells[i];
        while (*cell && paths[*cell - 1].kind == FM_PATH_NONE)
            *cell = paths[*cell - 1].parent + 1;
    }
    end_change(timeline);
}

void fm_timeline_give_up(struct fm_timeline *timeline)
{
    if (!timeline->cells || timeline->cells->changes == timeline->header->sequence_changes)
        return;
    memset(timeline->cells->cells, 0, sizeof timeline->cells->cells);
    timeline->header->sequence_first = 0;
    end_change(timeline);
}

/* Halves the resolution: keeps the cells with even numbers. */
static void halve(struct fm_timeline *timeline)
{
    struct fm_segment_header *header = timeline->header;
    uint32_t *cells = timeline->cells->cells, n = 0;
    fm_timeline_begin_change(timeline);
    for (uint32_t i = header->sequence_first & 1; i < FM_SEQUENCE_CELLS; i += 2)
        cells[n++] = cells[i];
    memset(cells + n, 0, (FM_SEQUENCE_CELLS - n) * sizeof *cells);
    header->sequence_first = (header->sequence_first + 1) >> 1;
    header->sequence_shift++;
    end_change(timeline);
}

/* A cell belongs to the first sample that covers a part of it. */
void fm_timeline_fill(struct fm_timeline *timeline, uint64_t now_ns, uint64_t periods, uint32_t place)
{
    struct fm_segment_header *header = timeline->header;
    if (!timeline->cells)
        return;
    uint64_t start = header->started_real_ns, end = now_ns - header->started_mono_ns + start, begin = start;
    if ((end - start) / header->sample_period_ns > periods)
        begin = end - periods * header->sample_period_ns;
    if (!header->sequence_first)
        header->sequence_first = begin >> header->sequence_shift;
    while ((end >> header->sequence_shift) - header->sequence_first >= FM_SEQUENCE_CELLS)
        halve(timeline);
    uint64_t from = begin >> header->sequence_shift, last = (end >> header->sequence_shift) - header->sequence_first;
    for (uint64_t i = from > header->sequence_first ? from - header->sequence_first : 0; i <= last; i++)
        if (!timeline->cells->cells[i])
            timeline->cells->cells[i] = place + 1;
}
