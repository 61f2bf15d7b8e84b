/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of known imbalance. Rank 0 prepares something alone; then rank r works (r + 1) units in each step, and all meet
 * in a reduction. Each rank prints what it has measured itself: rank, wall time and time outside MPI in the region "loop",
 * and the same from the first step to the end. Work is sleep, so that it takes no cores. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "fathom.h"

static double in_mpi;

static void work(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void meet(void)
{
    double mine = 1, sum, before = MPI_Wtime();
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    in_mpi += MPI_Wtime() - before;
}

int main(int argc, char **argv)
{
    int rank, step = 0;
    double loop = 0, loop_in_mpi = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fathom_timer_get(&step, "step");
    if (rank == 0)
        work(400);
    meet();
    double first = MPI_Wtime(), before = in_mpi;
    for (int i = 0; i < 5; i++) {
        double began = MPI_Wtime(), mpi = in_mpi;
        fathom_region_begin("loop");
        fathom_timer_start(step);
        work(40 * (rank + 1));
        meet();
        fathom_timer_stop(step);
        fathom_region_end("loop");
        loop += MPI_Wtime() - began;
        loop_in_mpi += in_mpi - mpi;
    }
    work(50);
    double end = MPI_Wtime();
    MPI_Finalize();
    printf("%d %.9f %.9f %.9f %.9f\n", rank, loop, loop - loop_in_mpi, end - first, end - first - (in_mpi - before));
    return 0;
}
