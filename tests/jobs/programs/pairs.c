/* Every rank sends to its right neighbour in the world and to nobody else, by all kinds of sends and through
 * communicators in which ranks have other numbers. Each writes "pairs.RANK": its neighbour, messages, bytes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, left, right, out[64], in[64];
static long messages, bytes;

/* Writes down a message of n ints to the right, and is n. */
static int n_ints(int n)
{
    messages++;
    bytes += 4 * n;
    return n;
}

/* Through a communicator where the neighbours are called `to` and `from`. */
static void exchange(MPI_Comm comm, int to, int from)
{
    MPI_Request request[2];
    MPI_Irecv(in, 64, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request[0]);
    MPI_Send(out, n_ints(3), MPI_INT, to, 1, comm);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, n_ints(5), MPI_INT, to, 2, in, 64, MPI_INT, from, 2, comm, MPI_STATUS_IGNORE);
    MPI_Isend(out, n_ints(7), MPI_INT, to, 3, comm, &request[0]);
    MPI_Recv(in, 64, MPI_INT, MPI_ANY_SOURCE, 3, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Irecv(in, 64, MPI_INT, from, 4, comm, &request[1]);
    MPI_Isend(out, n_ints(9), MPI_INT, to, 4, comm, &request[0]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void persistent(MPI_Comm comm, int to, int from)
{
    MPI_Request request[2];
    MPI_Recv_init(in, 64, MPI_INT, from, 5, comm, &request[0]);
    MPI_Send_init(out, 11, MPI_INT, to, 5, comm, &request[1]);
    for (int i = 0; i < 4; i++) {
        n_ints(11);
        if (i % 2) {
            MPI_Startall(2, request);
        } else {
            MPI_Start(&request[0]);
            MPI_Start(&request[1]);
        }
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

/* Puts to the right, gets from the left: data flows the same way. */
static void window(MPI_Comm comm, int to, int from)
{
    int *memory;
    MPI_Win win;
    MPI_Win_allocate(64 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, comm, &memory, &win);
    MPI_Win_fence(0, win);
    MPI_Put(out, n_ints(13), MPI_INT, to, 0, 13, MPI_INT, win);
    MPI_Get(in, 2, MPI_INT, from, 32, 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

/* Communicators come and go, so that handles mean other ranks each time. */
static void renumbered(int turn)
{
    MPI_Comm comm;
    int to, from, keys[3] = {rank, -rank, (rank + 1) % size};
    MPI_Comm_split(MPI_COMM_WORLD, 0, keys[turn % 3], &comm);
    if (turn % 3 == 0) {
        to = right;
        from = left;
    } else if (turn % 3 == 1) { /* reversed */
        to = size - 1 - right;
        from = size - 1 - left;
    } else { /* rotated */
        to = (right + 1) % size;
        from = (left + 1) % size;
    }
    exchange(comm, to, from);
    persistent(comm, to, from);
    window(comm, to, from);
    MPI_Comm_free(&comm);
}

/* Even and odd ranks face each other: with an even number of ranks all neighbours are on the other side. */
static void between_groups(void)
{
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? size - 2 : size - 1, 7, &inter);
    exchange(inter, (size - 1 - right) / 2, (size - 1 - left) / 2);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    exchange(MPI_COMM_WORLD, right, left);
    for (int turn = 0; turn < 9; turn++)
        renumbered(turn);
    between_groups();
    MPI_Finalize();
    snprintf(name, sizeof name, "pairs.%d", rank);
    FILE *file = fopen(name, "w");
    if (!file || fprintf(file, "%d %ld %ld\n", right, messages, bytes) < 0 || fclose(file) != 0)
        abort();
    return 0;
}
