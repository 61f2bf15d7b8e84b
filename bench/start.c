/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest MPI job: all that it takes is starting and ending. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
