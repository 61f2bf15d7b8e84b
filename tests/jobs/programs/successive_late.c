/* Reductions whose second one begins to send what the first has received only after many calls, and goes on for seconds.
 * Prints how often a rank makes them. */
#include <mpi.h>
#include <stdio.h>

enum { INDEPENDENT = 5000 };

int main(int argc, char **argv)
{
    double seconds = 3, mine, longest = 0, other = 1, result;
    long n = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (double start = MPI_Wtime(); n <= INDEPENDENT || longest < seconds; n++) {
        double *sent = n < INDEPENDENT ? &other : &longest;
        mine = MPI_Wtime() - start;
        MPI_Allreduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD); /* late 1 */
        MPI_Allreduce(sent, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);   /* late 2 */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%ld\n", n);
    MPI_Finalize();
    return 0;
}
