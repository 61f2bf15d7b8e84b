/* SPDX-License-Identifier: BSD-3-Clause */
/* The Cartesian grid of the job. Each process checks its own rank only; whether all agree is determined when their
 * profiles are merged. */
#include "model/grid.h"
#include "runtime/mpi/hooks.h"

/* Only a grid over all of MPI_COMM_WORLD counts. A process that has another rank in it records a conflict: there is no
 * grid then. */
static void note_grid(fm_word comm, int n, const int *dims)
{
    struct fm_segment_header *h = fm_rt.segment;
    int rank = -1, size = 0;
    if (n < 1 || n > FM_GRID_DIMS || comm == fm_abi.comm_null || fm_abi.pmpi.Comm_size(comm, &size) != 0 ||
        fm_abi.pmpi.Comm_rank(comm, &rank) != 0 || size != h->world_size)
        return;
    struct fm_grid grid = {.n = rank == h->rank ? (uint32_t)n : FM_GRID_CONFLICT};
    for (int i = 0; rank == h->rank && i < n; i++)
        grid.dims[i] = (uint32_t)dims[i];
    fm_lock(&fm_rt.table_lock);
    fm_grid_merge(&h->cart, &grid);
    fm_unlock(&fm_rt.table_lock);
}

void fm_after_cart_create(struct fm_call *call, int result, fm_word comm, int32_t ndims, fm_word dims, fm_word newcomm)
{
    if (result == 0 && dims && newcomm)
        note_grid(fm_handle_at(newcomm, 0), ndims, (const int *)dims);
    fm_after_plain(call, result, comm);
}
