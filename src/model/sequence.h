/* SPDX-License-Identifier: BSD-3-Clause */
/* The sequence: what each process did over time, according to samples.
 *
 * Time is divided into cells (intervals), the same for all ranks: cell n begins n << shift ns after 1970
 * (CLOCK_REALTIME) and holds the call path that the main thread of a process had there. For a longer run, cells become
 * longer: of each two, the one with the even number is kept, so that the whole run stays covered evenly. For a large
 * job, fewer ranks are kept: those divisible by a power of two. What is kept depends only on what was merged, not on
 * the order of merging. */
#ifndef FM_MODEL_SEQUENCE_H
#define FM_MODEL_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { FM_SEQUENCE_CELLS = 1024, FM_SEQUENCE_ROWS = 64, FM_SEQUENCE_SHIFT = 62 /* maximum */ };
enum { FM_SEQUENCE_IN_FILE = 16 * FM_SEQUENCE_CELLS }; /* cells of all rows together, in a profile written for users */

struct fm_sequence_row {
    uint32_t rank;
    uint32_t *cells; /* index of a call path node + 1, 0: unknown; allocated for FM_SEQUENCE_CELLS */
};

struct fm_sequence {
    uint32_t shift;
    uint32_t n_cells;             /* of each row; 0: no sequence */
    uint64_t first;               /* number of the first cell */
    uint32_t rank_shift;          /* only ranks divisible by 1 << rank_shift are kept */
    struct fm_sequence_row *rows; /* sorted by rank */
    size_t n, capacity;
};

/* The shift of the shortest cells that are not shorter than a sampling period. */
uint32_t fm_sequence_shift_of(uint64_t period_ns);

/* Extends `grid` to cover the cells of both, using the longer cells of the two, or longer ones if there would be too
 * many. Does not change the rows. */
void fm_sequence_join(struct fm_sequence *grid, const struct fm_sequence *other);
/* to[i] = the value of `cells`, which are on the grid `from`, at cell i of `grid`, which must have been joined with
 * `from`. */
void fm_sequence_move(const struct fm_sequence *grid, const struct fm_sequence *from, const uint32_t *cells,
                      uint32_t *to);

/* *out = the sequence with at most `max_cells` cells in all rows together, using longer cells if necessary. Returns
 * false if out of memory. */
bool fm_sequence_thin(const struct fm_sequence *from, size_t max_cells, struct fm_arena *arena,
                      struct fm_sequence *out);
/* *out = a copy with renumbered nodes. Returns false if out of memory. */
bool fm_sequence_renumber(const struct fm_sequence *from, const uint32_t *numbers, struct fm_arena *arena,
                          struct fm_sequence *out);

/* Returns NULL if valid, else a description of the problem. */
const char *fm_sequence_check(const struct fm_sequence *sequence, size_t n_nodes);

#endif
