/* Calls of MPI from places that a test finds again: each line with "@" names what it calls and from where. */
#include <mpi.h>

static double sum;

static inline __attribute__((always_inline)) void reduce(double *value)
{
    MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* @ MPI_Allreduce reduce < solve */
}

__attribute__((noinline)) static void solve(int steps)
{
    for (int i = 0; i < steps; i++) {
        sum += i;
        reduce(&sum);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* @ MPI_Barrier solve */
    sum /= 2;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv); /* @ MPI_Init main */
    solve(5);
    MPI_Barrier(MPI_COMM_WORLD); /* @ MPI_Barrier main */
    MPI_Finalize();
    return sum < 0;
}
