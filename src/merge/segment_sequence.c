/* SPDX-License-Identifier: BSD-3-Clause */
/* The sequence of a segment: cells that refer to slots of call paths are converted to refer to nodes. */
#include <stdatomic.h>

#include "base/saturate.h"
#include "format/segment.h"
#include "merge/segment_reader.h"

/* The range from the first to the last nonempty cell. Returns false if there is none. */
static bool find_bounds(const uint32_t *cells, uint32_t *begin, uint32_t *end)
{
    *begin = 0;
    *end = FM_SEQUENCE_CELLS;
    while (*end && !cells[*end - 1])
        --*end;
    while (*begin < *end && !cells[*begin])
        ++*begin;
    return *begin < *end;
}

/* Replaces slots by nodes, and invalid slots by 0. */
static void rename_cells(uint32_t *cells, const uint32_t *nodes, size_t n_places)
{
    for (uint32_t i = 0; i < FM_SEQUENCE_CELLS; i++)
        cells[i] = cells[i] && cells[i] <= n_places ? nodes[cells[i] - 1] : 0;
}

static bool is_valid(const struct fm_segment_header *header)
{
    return header->sequence_shift <= FM_SEQUENCE_SHIFT &&
           header->sequence_first <= (UINT64_MAX >> header->sequence_shift) - FM_SEQUENCE_CELLS;
}

/* Cells are on a grid of CLOCK_REALTIME. */
uint64_t fm_segment_reader_last_sample(const struct fm_segment_reader *r)
{
    const struct fm_segment_header *header = &r->view.header;
    struct fm_segment_sequence from;
    uint32_t begin, end;
    if (!fm_segment_items(&r->view, FM_SECTION_SEQUENCE) || !is_valid(header))
        return 0;
    fm_segment_item(&r->view, FM_SECTION_SEQUENCE, 0, &from, sizeof from);
    if (from.changes != header->sequence_changes || !find_bounds(from.cells, &begin, &end))
        return 0;
    uint64_t cell = (header->sequence_first + end - 1) << header->sequence_shift;
    uint64_t since = cell > header->started_real_ns ? cell - header->started_real_ns : 0;
    return since < FM_LONGEST_NS ? fm_sum(header->started_mono_ns, since) : 0;
}

enum fm_status fm_read_sequence(struct fm_segment_reader *r, const uint32_t *nodes, size_t n_places)
{
    const struct fm_segment_header *header = &r->view.header;
    struct fm_sequence *sequence = &r->profile->paths.sequence;
    if (r->rank == FM_NO_RANK || !fm_segment_items(&r->view, FM_SECTION_SEQUENCE) || !is_valid(header))
        return FM_OK;
    struct fm_segment_sequence *from = fm_arena_alloc(&r->view.scratch, sizeof *from);
    struct fm_sequence_row *row = fm_arena_alloc(&r->profile->arena, sizeof *row);
    uint32_t *cells = fm_arena_alloc(&r->profile->arena, FM_SEQUENCE_CELLS * sizeof *cells), begin, end;
    if (!from || !row || !cells)
        return fm_segment_reader_no_memory(r);
    atomic_thread_fence(memory_order_acquire);
    fm_segment_item(&r->view, FM_SECTION_SEQUENCE, 0, from, sizeof *from);
    if (from->changes != header->sequence_changes) /* slots or cells were changing while they were read */
        return FM_OK;
    rename_cells(from->cells, nodes, n_places);
    if (!find_bounds(from->cells, &begin, &end))
        return FM_OK;
    for (uint32_t i = begin; i < end; i++)
        cells[i - begin] = from->cells[i];
    *row = (struct fm_sequence_row){r->rank, cells};
    *sequence = (struct fm_sequence){.shift = header->sequence_shift,
                                     .n_cells = end - begin,
                                     .first = header->sequence_first + begin,
                                     .rows = row,
                                     .n = 1,
                                     .capacity = 1};
    return FM_OK;
}
