/* Cartesian communicators of 4 ranks, case by case:   grid CASE
 *   plain      2 x 2, twice, and one of half of the ranks
 *   three      1 x 2 x 2, of a copy of MPI_COMM_WORLD
 *   several    2 x 2 and 4 x 1
 *   reversed   2 x 2 with other ranks than those of MPI_COMM_WORLD
 *   part       2 x 1, which leaves two ranks out
 *   five       five dimensions */
#include <mpi.h>

#include <stddef.h>
#include <string.h>

static void grid(MPI_Comm comm, int n, const int *dims)
{
    MPI_Comm made;
    const int periods[5] = {0};
    MPI_Cart_create(comm, n, dims, periods, 0, &made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
}

int main(int argc, char **argv)
{
    const char *what = argv[1];
    int rank;
    MPI_Comm half, reversed, copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (strcmp(what, "plain") == 0) {
        grid(half, 2, (int[]){2, 1});
        grid(MPI_COMM_WORLD, 2, (int[]){2, 2});
        grid(MPI_COMM_WORLD, 2, (int[]){2, 2});
    } else if (strcmp(what, "three") == 0) {
        grid(copy, 3, (int[]){1, 2, 2});
    } else if (strcmp(what, "several") == 0) {
        grid(MPI_COMM_WORLD, 2, (int[]){2, 2});
        grid(MPI_COMM_WORLD, 2, (int[]){4, 1});
        grid(MPI_COMM_WORLD, 2, (int[]){2, 2});
    } else if (strcmp(what, "reversed") == 0) {
        grid(reversed, 2, (int[]){2, 2});
    } else if (strcmp(what, "part") == 0) {
        grid(MPI_COMM_WORLD, 2, (int[]){2, 1});
    } else if (strcmp(what, "five") == 0) {
        grid(MPI_COMM_WORLD, 5, (int[]){1, 2, 1, 2, 1});
    }
    MPI_Finalize();
    return 0;
}
