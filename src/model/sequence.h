/* SPDX-License-Identifier: BSD-3-Clause */
/* The sequence: what each process did over time, as far as samples tell.
 *
 * Time is cut into cells, the same for all ranks: cell number n begins n << shift ns after 1970 (CLOCK_REALTIME), and has
 * the call path that the first thread of a process was in there. A longer time means longer cells: of each two the one
 * with the even number is kept, so that the whole run stays covered evenly. A large job means fewer ranks: those whose
 * number can be divided by a power of two. What is kept depends on all that was merged, and not on its order. */
#ifndef FM_MODEL_SEQUENCE_H
#define FM_MODEL_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { FM_SEQUENCE_CELLS = 1024, FM_SEQUENCE_ROWS = 64, FM_SEQUENCE_SHIFT = 62 /* at most */ };
enum { FM_SEQUENCE_IN_FILE = 16 * FM_SEQUENCE_CELLS }; /* cells of all rows together, in a file for users */

struct fm_sequence_row {
    uint32_t rank;
    uint32_t *cells; /* node of a call path + 1, 0: nothing is known; memory for FM_SEQUENCE_CELLS of them */
};

struct fm_sequence {
    uint32_t shift;
    uint32_t n_cells;             /* of each row; 0: there is no sequence */
    uint64_t first;               /* number of the first cell */
    uint32_t rank_shift;          /* of larger jobs only ranks are here that can be divided by 1 << rank_shift */
    struct fm_sequence_row *rows; /* sorted by rank */
    size_t n, capacity;
};

/* The shortest cells that are not shorter than a sampling period. */
uint32_t fm_sequence_shift_of(uint64_t period_ns);

/* The cells of both, with the longer ones of the two, or still longer ones so that they are few enough. Only the grid. */
void fm_sequence_join(struct fm_sequence *grid, const struct fm_sequence *other);
/* to[i] = what `cells` on the grid `from` have at cell i of the grid `grid`, which has been joined with it. */
void fm_sequence_move(const struct fm_sequence *grid, const struct fm_sequence *from, const uint32_t *cells,
                      uint32_t *to);

/* *out = the sequence with at most `most` cells in all rows together, in longer cells if need be; false: no memory. */
bool fm_sequence_thin(const struct fm_sequence *from, size_t most, struct fm_arena *arena, struct fm_sequence *out);
/* A copy with other numbers of nodes; false: no memory. */
bool fm_sequence_renumber(const struct fm_sequence *from, const uint32_t *numbers, struct fm_arena *arena,
                          struct fm_sequence *out);

/* NULL when all is well, else what is wrong. */
const char *fm_sequence_check(const struct fm_sequence *sequence, size_t n_nodes);

#endif
