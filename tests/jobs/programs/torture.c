/* Makes MPI calls of known numbers until it ends or is killed. Each rank keeps two counts of every routine in a file
 * that it shares with the test: raised before a call and after it. So whatever is recorded lies between the two, at
 * whichever instruction the rank is killed.
 * Arguments: file, rounds, microseconds of work in each. */
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ALLREDUCE, SENDRECV, IRECV, ISEND, WAITALL, BARRIER, ROUTINES };
enum { INITIALIZED = 1, FINALIZING, FINALIZED };
enum { MOST_RANKS = 16 };

/* The test reads it: keep its layout there alike. */
struct tally {
    volatile uint64_t state;
    volatile uint64_t begun[ROUTINES], done[ROUTINES];
};

#define COUNTED(routine, call)     \
    do {                           \
        mine->begun[routine] += 1; \
        call;                      \
        mine->done[routine] += 1;  \
    } while (0)

static void work_for(long us)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 < us);
}

static void exchange(struct tally *mine, int rank, int size)
{
    MPI_Request requests[2];
    int value = rank, sum = 0;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    COUNTED(SENDRECV,
            MPI_Sendrecv(&rank, 1, MPI_INT, right, 1, &value, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    COUNTED(IRECV, MPI_Irecv(&value, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[0]));
    COUNTED(ISEND, MPI_Isend(&rank, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]));
    COUNTED(WAITALL, MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    COUNTED(ALLREDUCE, MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    if (sum != size * (size - 1) / 2)
        printf("rank %d: the sum is %d\n", rank, sum);
}

int main(int argc, char **argv)
{
    int rank, size, file = argc == 4 ? open(argv[1], O_RDWR) : -1;
    if (file < 0)
        return 2;
    struct tally *all = mmap(NULL, MOST_RANKS * sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (all == MAP_FAILED)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct tally *mine = &all[rank];
    mine->state = INITIALIZED;
    for (int i = atoi(argv[2]); i > 0; i--) {
        work_for(atol(argv[3]));
        exchange(mine, rank, size);
    }
    COUNTED(BARRIER, MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        printf("all %d ranks are through\n", size);
    mine->state = FINALIZING;
    MPI_Finalize();
    mine->state = FINALIZED;
    return 0;
}
