/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/grid.h"

#include <string.h>

void fm_grid_merge(struct fm_grid *into, const struct fm_grid *from)
{
    if (!into->n)
        *into = *from;
    else if (from->n && memcmp(into, from, sizeof *into) != 0)
        *into = (struct fm_grid){.n = FM_GRID_CONFLICT};
}

bool fm_grid_valid(const struct fm_grid *grid)
{
    if (grid->n > FM_GRID_DIMS && grid->n != FM_GRID_CONFLICT)
        return false;
    for (uint32_t i = grid->n == FM_GRID_CONFLICT ? 0 : grid->n; i < FM_GRID_DIMS; i++)
        if (grid->dims[i])
            return false;
    return true;
}

bool fm_grid_covers(const struct fm_grid *grid, uint64_t ranks)
{
    unsigned __int128 cells = 1;
    if (!grid->n || grid->n > FM_GRID_DIMS)
        return false;
    for (uint32_t i = 0; i < grid->n; i++)
        cells *= grid->dims[i];
    return cells == ranks;
}
