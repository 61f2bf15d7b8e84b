/* Makes records of every kind: every_kind whole | killed | waits. The last goes on until there is a file "enough". */
#include <fathom.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 40, LARGEST = 20000 };
static int rank, size;
static char *out, *in;

__attribute__((noinline)) static double compute(int turns)
{
    volatile double x = 1;
    for (int i = 0; i < turns; i++)
        x = 0.5 * x + 1;
    return x;
}

__attribute__((noinline)) static void exchange(int bytes)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    fathom_region_begin("exchange");
    MPI_Irecv(in, bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    fathom_region_end("exchange");
}

static void one_round(MPI_Comm grid, int round)
{
    double sum, mine = rank;
    int physics;
    fathom_timer_get(&physics, "physics");
    fathom_timer_start(physics);
    compute(2000000 + 1000000 * rank);
    fathom_timer_stop(physics);
    exchange(1 + round * round * LARGEST / (ROUNDS * ROUNDS));
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
    if (round == ROUNDS / 2)
        fathom_snapshot("half", 0);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int dims[2] = {0, 0}, periods[2] = {1, 1};
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    out = calloc(1, LARGEST + 1);
    in = calloc(1, LARGEST + 1);
    for (int round = 0; round < ROUNDS; round++)
        one_round(grid, round);
    while (strcmp(how, "waits") == 0 && access("enough", F_OK) != 0) {
        MPI_Barrier(grid);
        usleep(20000);
    }
    if (strcmp(how, "killed") == 0 && rank == size - 1)
        kill(getpid(), SIGKILL);
    MPI_Barrier(grid);
    MPI_Finalize();
    return 0;
}
