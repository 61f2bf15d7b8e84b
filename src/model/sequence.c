/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/sequence.h"

uint32_t fm_sequence_shift_of(uint64_t period_ns)
{
    uint32_t shift = 0;
    while (shift < FM_SEQUENCE_SHIFT && period_ns > 1ull << shift)
        shift++;
    return shift;
}

void fm_sequence_join(struct fm_sequence *grid, const struct fm_sequence *other)
{
    if (!other->n_cells)
        return;
    if (!grid->n_cells) {
        grid->shift = other->shift;
        grid->first = other->first;
        grid->n_cells = other->n_cells;
        return;
    }
    uint32_t shift = grid->shift > other->shift ? grid->shift : other->shift;
    uint64_t first = grid->first >> (shift - grid->shift), other_first = other->first >> (shift - other->shift),
             last = (grid->first + grid->n_cells - 1) >> (shift - grid->shift),
             other_last = (other->first + other->n_cells - 1) >> (shift - other->shift);
    first = other_first < first ? other_first : first;
    last = other_last > last ? other_last : last;
    for (; last - first >= FM_SEQUENCE_CELLS; shift++) {
        first >>= 1;
        last >>= 1;
    }
    grid->shift = shift;
    grid->first = first;
    grid->n_cells = (uint32_t)(last - first + 1);
}

void fm_sequence_move(const struct fm_sequence *grid, const struct fm_sequence *from, const uint32_t *cells,
                      uint32_t *to)
{
    for (uint32_t i = 0; i < grid->n_cells; i++) {
        uint64_t at = ((grid->first + i) << (grid->shift - from->shift)) - from->first; /* wraps if before it */
        to[i] = at < from->n_cells ? cells[at] : 0;
    }
}

bool fm_sequence_thin(const struct fm_sequence *from, size_t max_cells, struct fm_arena *arena, struct fm_sequence *out)
{
    uint64_t last = from->first + from->n_cells - 1;
    *out = *from;
    if (from->n * from->n_cells <= max_cells)
        return true;
    for (; from->n * out->n_cells > max_cells; out->shift++) {
        out->first >>= 1;
        last >>= 1;
        out->n_cells = (uint32_t)(last - out->first + 1);
    }
    out->rows = fm_arena_alloc(arena, from->n * sizeof *out->rows);
    if (!out->rows)
        return false;
    for (size_t i = 0; i < from->n; i++) {
        uint32_t *cells = fm_arena_alloc(arena, out->n_cells * sizeof *cells);
        if (!cells)
            return false;
        fm_sequence_move(out, from, from->rows[i].cells, cells);
        out->rows[i] = (struct fm_sequence_row){from->rows[i].rank, cells};
    }
    return true;
}

bool fm_sequence_renumber(const struct fm_sequence *from, const uint32_t *numbers, struct fm_arena *arena,
                          struct fm_sequence *out)
{
    *out = *from;
    out->rows = fm_arena_alloc(arena, from->n * sizeof *out->rows);
    out->capacity = from->n;
    if (!out->rows)
        return false;
    for (size_t row = 0; row < from->n; row++) {
        const uint32_t *old = from->rows[row].cells;
        uint32_t *cells = fm_arena_alloc(arena, FM_SEQUENCE_CELLS * sizeof *cells);
        if (!cells)
            return false;
        for (uint32_t i = 0; i < from->n_cells; i++)
            cells[i] = old[i] ? numbers[old[i] - 1] + 1 : 0;
        out->rows[row] = (struct fm_sequence_row){from->rows[row].rank, cells};
    }
    return true;
}

const char *fm_sequence_check(const struct fm_sequence *sequence, size_t n_nodes)
{
    const struct fm_sequence *s = sequence;
    if (s->n > FM_SEQUENCE_ROWS || s->n_cells > FM_SEQUENCE_CELLS || (s->n && !s->n_cells) ||
        s->shift > FM_SEQUENCE_SHIFT || s->rank_shift > 31 || s->first > (UINT64_MAX >> s->shift) - s->n_cells)
        return "invalid sequence";
    for (size_t i = 0; i < s->n; i++) {
        const struct fm_sequence_row *row = &s->rows[i];
        if ((i && row->rank <= row[-1].rank) || row->rank & ((1u << s->rank_shift) - 1))
            return "ranks of the sequence out of order";
        for (uint32_t k = 0; k < s->n_cells; k++)
            if (row->cells[k] > n_nodes)
                return "the sequence refers to a missing call path";
    }
    return NULL;
}
