/* SPDX-License-Identifier: BSD-3-Clause
   Computes and tells all ranks whether to go on, until there is a file "enough" in its directory; "ready" is made when
   MPI_Init has returned. Ends with the status that its argument says. */
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static double __attribute__((noinline)) work(int n)
{
    volatile double sum = 0;
    for (int i = 0; i < n; i++)
        sum += i;
    return sum;
}

int main(int argc, char **argv)
{
    int rank, enough = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        close(creat("ready", 0600));
    while (!enough) {
        work(100000);
        enough = rank == 0 && access("enough", F_OK) == 0;
        MPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
