/* SPDX-License-Identifier: BSD-3-Clause */
/* A Cartesian grid over all ranks of MPI_COMM_WORLD, in which every rank keeps its number; the last dimension varies
 * fastest, as in MPI_Cart_create. Grids are merged over processes: a process without a grid does not change the result,
 * and two grids that differ give none, permanently. */
#ifndef FM_MODEL_GRID_H
#define FM_MODEL_GRID_H

#include <stdbool.h>
#include <stdint.h>

enum { FM_GRID_DIMS = 4, FM_GRID_CONFLICT = 255 };

struct fm_grid {
    uint32_t n;                  /* number of dimensions; 0 = unknown, FM_GRID_CONFLICT = no single valid grid */
    uint32_t dims[FM_GRID_DIMS]; /* 0 from index n on */
};

void fm_grid_merge(struct fm_grid *into, const struct fm_grid *from);
/* Whether the number of dimensions is valid and unused dimensions are 0. */
bool fm_grid_valid(const struct fm_grid *grid);
/* Whether the grid has exactly that many ranks. */
bool fm_grid_covers(const struct fm_grid *grid, uint64_t ranks);

#endif
