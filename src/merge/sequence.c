/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges two sequences. Cells are moved to a common grid. If two processes of one rank have the same cell, the later
 * node of the tree is kept: nodes keep their order when trees are merged, so the result does not depend on the order of
 * merging. */
#include <string.h>

#include "merge/parts.h"

static bool is_kept(uint32_t rank, uint32_t rank_shift)
{
    return !(rank & ((1u << rank_shift) - 1));
}

/* Number of ranks of both that are kept. */
static size_t count_ranks(const struct fm_sequence *a, const struct fm_sequence *b, uint32_t rank_shift)
{
    size_t i = 0, k = 0, n = 0;
    while (i < a->n || k < b->n) {
        uint32_t mine = i < a->n ? a->rows[i].rank : UINT32_MAX, theirs = k < b->n ? b->rows[k].rank : UINT32_MAX;
        uint32_t rank = mine < theirs ? mine : theirs;
        n += is_kept(rank, rank_shift);
        i += mine == rank;
        k += theirs == rank;
    }
    return n;
}

static uint32_t common_rank_shift(const struct fm_sequence *a, const struct fm_sequence *b)
{
    uint32_t rank_shift = a->rank_shift > b->rank_shift ? a->rank_shift : b->rank_shift;
    while (rank_shift < 31 && count_ranks(a, b, rank_shift) > FM_SEQUENCE_ROWS)
        rank_shift++;
    return rank_shift;
}

/* The memory of dropped rows is kept after the others, for reuse. */
static void drop_rows(struct fm_sequence *mine)
{
    size_t n = 0;
    for (size_t i = 0; i < mine->n; i++) {
        struct fm_sequence_row row = mine->rows[i];
        if (!is_kept(row.rank, mine->rank_shift))
            continue;
        mine->rows[i] = mine->rows[n];
        mine->rows[n++] = row;
    }
    mine->n = n;
}

static void move_rows(struct fm_sequence *mine, const struct fm_sequence *old)
{
    uint32_t cells[FM_SEQUENCE_CELLS];
    if (mine->shift == old->shift && mine->first == old->first && mine->n_cells == old->n_cells)
        return;
    for (size_t i = 0; i < mine->n; i++) {
        memcpy(cells, mine->rows[i].cells, old->n_cells * sizeof *cells);
        fm_sequence_move(mine, old, cells, mine->rows[i].cells);
    }
}

static void renumber(struct fm_sequence *mine, const uint32_t *places)
{
    for (size_t i = 0; i < mine->n; i++)
        for (uint32_t k = 0; k < mine->n_cells; k++) {
            uint32_t *cell = &mine->rows[i].cells[k];
            *cell = *cell ? places[*cell - 1] + 1 : 0;
        }
}

/* The row of a rank, all unknown if it is new; NULL if out of memory. */
static struct fm_sequence_row *row_of(struct fm_profile *into, struct fm_sequence *mine, uint32_t rank)
{
    size_t at = 0;
    while (at < mine->n && mine->rows[at].rank < rank)
        at++;
    if (at < mine->n && mine->rows[at].rank == rank)
        return &mine->rows[at];
    struct fm_sequence_row *rows = fm_arena_grow(&into->arena, mine->rows, &mine->capacity, mine->n + 1, sizeof *rows);
    if (!rows)
        return NULL;
    mine->rows = rows;
    struct fm_sequence_row row = {rank, rows[mine->n].cells};
    size_t bytes = FM_SEQUENCE_CELLS * sizeof *row.cells;
    if (!row.cells && !(row.cells = fm_arena_alloc(&into->arena, bytes)))
        return NULL;
    memset(row.cells, 0, bytes);
    memmove(&rows[at + 1], &rows[at], (mine->n++ - at) * sizeof *rows);
    rows[at] = row;
    return &rows[at];
}

static bool add_rows(struct fm_profile *into, struct fm_sequence *mine, const struct fm_sequence *theirs,
                     const uint32_t *places)
{
    uint32_t cells[FM_SEQUENCE_CELLS];
    for (size_t i = 0; i < theirs->n; i++) {
        if (!is_kept(theirs->rows[i].rank, mine->rank_shift))
            continue;
        struct fm_sequence_row *row = row_of(into, mine, theirs->rows[i].rank);
        if (!row)
            return false;
        fm_sequence_move(mine, theirs, theirs->rows[i].cells, cells);
        for (uint32_t k = 0; k < mine->n_cells; k++) {
            uint32_t cell = cells[k] ? places[cells[k] - 1] + 1 : 0;
            row->cells[k] = cell > row->cells[k] ? cell : row->cells[k];
        }
    }
    return true;
}

bool fm_merge_sequence(struct fm_profile *into, const struct fm_sequence *theirs, const uint32_t *my_places,
                       const uint32_t *their_places)
{
    struct fm_sequence *mine = &into->paths.sequence, old = *mine;
    mine->rank_shift = common_rank_shift(mine, theirs);
    fm_sequence_join(mine, theirs);
    drop_rows(mine);
    move_rows(mine, &old);
    if (my_places)
        renumber(mine, my_places);
    return add_rows(into, mine, theirs, their_places);
}
