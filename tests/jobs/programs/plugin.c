/* A plug-in that uses MPI for a program that knows nothing of it: see host.c. */
#include <stddef.h>

#include "tally.h"

int plugin_run(void)
{
    int sum = 1, in = -1;
    Y(Init, NULL, NULL);
    Y(Comm_rank, MPI_COMM_WORLD, &rank);
    Y(Comm_size, MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (int i = 0; i < 25; i++)
        X(Sendrecv, 4, 4, 4, &rank, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    require(in == left, "a message of a plug-in");
    for (int i = 0; i < 5; i++)
        X(Allreduce, 4, 4, 4, MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    Y(Finalize);
    tally_write();
    return 0;
}
