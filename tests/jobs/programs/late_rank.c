/* Reductions and messages: "even" moves data all the time, "late" lets rank 1 sleep before each of them. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 40, NUMBERS = 1 << 17 };

int main(int argc, char **argv)
{
    double *a = calloc(NUMBERS, sizeof *a), *b = calloc(NUMBERS, sizeof *b);
    int rank, late = argc > 1 && strcmp(argv[1], "late") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        if (late && rank == 1)
            usleep(10000);
        MPI_Allreduce(a, b, late ? 1 : NUMBERS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (rank < 2) {
            MPI_Irecv(b, NUMBERS, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(a, NUMBERS, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, statuses);
        }
    }
    MPI_Finalize();
    return 0;
}
