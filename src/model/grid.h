/* SPDX-License-Identifier: BSD-3-Clause */
/* A Cartesian grid over all ranks of MPI_COMM_WORLD in which every rank has its own number; the last dimension varies
 * fastest, as in MPI_Cart_create. What processes know of it merges: none and a grid are that grid, two that differ are
 * none for good. */
#ifndef FM_MODEL_GRID_H
#define FM_MODEL_GRID_H

#include <stdbool.h>
#include <stdint.h>

enum { FM_GRID_DIMS = 4, FM_GRID_CONFLICT = 255 };

struct fm_grid {
    uint32_t n;                  /* dimensions; 0 = none is known, FM_GRID_CONFLICT = there is none */
    uint32_t dims[FM_GRID_DIMS]; /* those beyond n are 0 */
};

void fm_grid_merge(struct fm_grid *into, const struct fm_grid *from);
/* A number of dimensions that can be, and nothing behind them. */
bool fm_grid_valid(const struct fm_grid *grid);
/* Whether it is a grid of that many ranks. */
bool fm_grid_covers(const struct fm_grid *grid, uint64_t ranks);

#endif
