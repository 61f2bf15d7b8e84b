/* Collectives: blocking, nonblocking, with MPI_IN_PLACE, with arrays of counts, on the world and between two groups. */
#include <stddef.h>

#include "all.h"

#define W MPI_COMM_WORLD

enum { MOST = 8 }; /* ranks */

static int in[64 * MOST], out[64 * MOST], counts[MOST], places[MOST], same[MOST];
static double wide_in[4 * MOST], wide_out[4 * MOST];
static long all; /* bytes of 1 + 2 + ... + size ints */

/* Rank i has i + 1 ints. */
static void prepare(void)
{
    require(size <= MOST, "at most 8 ranks");
    all = 2L * size * (size + 1);
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        places[i] = i * (i + 1) / 2;
        same[i] = rank + 1;
    }
}

static void with_a_root(void)
{
    const int root = size - 1, is = rank == root;
    X(Bcast, 40, is ? 40 : 0, is ? 0 : 40, out, 10, MPI_INT, root, W);
    X(Reduce, 24, 24, is ? 24 : 0, out, in, 6, MPI_INT, MPI_SUM, root, W);
    X(Reduce, 24, 24, is ? 24 : 0, is ? MPI_IN_PLACE : out, is ? in : NULL, 6, MPI_INT, MPI_SUM, root, W);
    X(Gather, 12, 12, is ? 12 * size : 0, out, 3, MPI_INT, in, 3, MPI_INT, root, W);
    X(Gather, 12, 12, is ? 12 * size : 0, is ? MPI_IN_PLACE : out, 3, MPI_INT, in, 3, MPI_INT, root, W);
    X(Gatherv, 4 * (rank + 1), 4 * (rank + 1), is ? all : 0, out, rank + 1, MPI_INT, in, is ? counts : NULL,
      is ? places : NULL, MPI_INT, root, W);
    X(Gatherv, 4 * (rank + 1), 4 * (rank + 1), is ? all : 0, is ? MPI_IN_PLACE : out, is ? 0 : rank + 1, MPI_INT, in,
      counts, places, MPI_INT, root, W);
    X(Scatter, 20, is ? 20 * size : 0, 20, out, 5, MPI_INT, in, 5, MPI_INT, root, W);
    X(Scatter, 20, is ? 20 * size : 0, 20, out, 5, MPI_INT, is ? MPI_IN_PLACE : in, 5, MPI_INT, root, W);
    X(Scatterv, 4 * (rank + 1), is ? all : 0, 4 * (rank + 1), out, is ? counts : NULL, is ? places : NULL, MPI_INT, in,
      rank + 1, MPI_INT, root, W);
    X(Scatterv, 4 * (rank + 1), is ? all : 0, 4 * (rank + 1), out, counts, places, MPI_INT, is ? MPI_IN_PLACE : in,
      is ? 0 : rank + 1, MPI_INT, root, W);
}

static void without_a_root(void)
{
    int sum = rank + 1;
    Y(Barrier, W);
    X(Allreduce, 4, 4, 4, MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, W);
    require(sum == size * (size + 1) / 2, "allreduce");
    X(Allreduce, 16, 16, 16, wide_out, wide_in, 2, MPI_DOUBLE, MPI_MAX, W);
    X(Scan, 8, 8, 8, out, in, 2, MPI_INT, MPI_SUM, W);
    X(Scan, 8, 8, 8, MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, W);
    X(Exscan, 12, 12, 12, out, in, 3, MPI_INT, MPI_SUM, W);
    X(Allgather, 8, 8, 8 * size, out, 2, MPI_INT, in, 2, MPI_INT, W);
    X(Allgather, 8, 8, 8 * size, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, W);
    X(Allgatherv, 4 * (rank + 1), 4 * (rank + 1), all, out, rank + 1, MPI_INT, in, counts, places, MPI_INT, W);
    X(Allgatherv, 4 * (rank + 1), 4 * (rank + 1), all, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INT,
      W);
    X(Alltoall, 8 * size, 8 * size, 8 * size, out, 2, MPI_INT, in, 2, MPI_INT, W);
    X(Alltoall, 8 * size, 8 * size, 8 * size, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, W);
    X(Reduce_scatter, all, all, 4 * (rank + 1), out, in, counts, MPI_INT, MPI_SUM, W);
    X(Reduce_scatter, all, all, 4 * (rank + 1), MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, W);
    X(Reduce_scatter_block, 8 * size, 8 * size, 8, out, in, 2, MPI_INT, MPI_SUM, W);
    X(Reduce_scatter_block, 8 * size, 8 * size, 8, MPI_IN_PLACE, in, 2, MPI_INT, MPI_SUM, W);
    Y(Reduce_local, out, in, 5, MPI_INT, MPI_SUM);
}

/* Rank r sends r + 1 ints to everybody, and gets j + 1 from j. */
static void to_each_its_own(void)
{
    int rows[MOST];
    for (int i = 0; i < size; i++)
        rows[i] = i * MOST;
    long mine = 4L * size * (rank + 1);
    X(Alltoallv, mine, mine, all, out, same, rows, MPI_INT, in, counts, rows, MPI_INT, W);
    /* in place the counts are those that come, and as many go: symmetric ones */
    int even[MOST], symmetric = 0;
    for (int i = 0; i < size; i++)
        symmetric += even[i] = rank + i + 1;
    X(Alltoallv, 4L * symmetric, 4L * symmetric, 4L * symmetric, MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, even,
      rows, MPI_INT, W);
    /* two elements for each: doubles for odd ranks, ints for even ones */
    MPI_Datatype send_types[MOST], receive_types[MOST];
    int two[MOST], bytes[MOST];
    long sent = 0, received = 2L * size * (rank % 2 ? 8 : 4);
    for (int i = 0; i < size; i++) {
        send_types[i] = i % 2 ? MPI_DOUBLE : MPI_INT;
        receive_types[i] = rank % 2 ? MPI_DOUBLE : MPI_INT;
        sent += i % 2 ? 16 : 8;
        two[i] = 2;
        bytes[i] = i * 16;
    }
    X(Alltoallw, sent, sent, received, wide_out, two, bytes, send_types, wide_in, two, bytes, receive_types, W);
    MPI_Request request[2];
    X(Ialltoallv, mine, mine, all, out, same, rows, MPI_INT, in, counts, rows, MPI_INT, W, &request[0]);
    X(Ialltoallw, sent, sent, received, wide_out, two, bytes, send_types, wide_in, two, bytes, receive_types, W,
      &request[1]);
    Y(Waitall, 2, request, MPI_STATUSES_IGNORE);
}

static void nonblocking(void)
{
    enum { N = 16 };
    const int root = 0, is = rank == root;
    static int parts[N][MOST * 8];
    MPI_Request r[N];
    int n = 0;
    Y(Ibarrier, W, &r[n++]);
    X(Ibcast, 12, is ? 12 : 0, is ? 0 : 12, parts[n], 3, MPI_INT, root, W, &r[n]), n++;
    X(Ireduce, 8, 8, is ? 8 : 0, out, parts[n], 2, MPI_INT, MPI_SUM, root, W, &r[n]), n++;
    X(Iallreduce, 8, 8, 8, out, parts[n], 2, MPI_INT, MPI_SUM, W, &r[n]), n++;
    X(Iscan, 8, 8, 8, out, parts[n], 2, MPI_INT, MPI_SUM, W, &r[n]), n++;
    X(Iexscan, 8, 8, 8, out, parts[n], 2, MPI_INT, MPI_SUM, W, &r[n]), n++;
    X(Igather, 12, 12, is ? 12 * size : 0, out, 3, MPI_INT, parts[n], 3, MPI_INT, root, W, &r[n]), n++;
    X(Igatherv, 4 * (rank + 1), 4 * (rank + 1), is ? all : 0, out, rank + 1, MPI_INT, parts[n], counts, places, MPI_INT,
      root, W, &r[n]),
        n++;
    X(Iscatter, 12, is ? 12 * size : 0, 12, out, 3, MPI_INT, parts[n], 3, MPI_INT, root, W, &r[n]), n++;
    X(Iscatterv, 4 * (rank + 1), is ? all : 0, 4 * (rank + 1), out, counts, places, MPI_INT, parts[n], rank + 1,
      MPI_INT, root, W, &r[n]),
        n++;
    X(Iallgather, 8, 8, 8 * size, out, 2, MPI_INT, parts[n], 2, MPI_INT, W, &r[n]), n++;
    X(Iallgatherv, 4 * (rank + 1), 4 * (rank + 1), all, out, rank + 1, MPI_INT, parts[n], counts, places, MPI_INT, W,
      &r[n]),
        n++;
    X(Ialltoall, 8 * size, 8 * size, 8 * size, out, 2, MPI_INT, parts[n], 2, MPI_INT, W, &r[n]), n++;
    X(Ireduce_scatter, all, all, 4 * (rank + 1), out, parts[n], counts, MPI_INT, MPI_SUM, W, &r[n]), n++;
    X(Ireduce_scatter_block, 8 * size, 8 * size, 8, out, parts[n], 2, MPI_INT, MPI_SUM, W, &r[n]), n++;
    Y(Waitall, n, r, MPI_STATUSES_IGNORE);
}

/* Even ranks on one side, odd ones on the other. The root is rank 0, the first of the even ones. */
static void between_groups(void)
{
    const int even = rank % 2 == 0, is = rank == 0, far = even ? size / 2 : (size + 1) / 2;
    const int root = is ? MPI_ROOT : even ? MPI_PROC_NULL : 0;
    int n = 0, value = rank;
    MPI_Comm half, inter, merged;
    MPI_Status status;
    Y(Comm_split, W, even, rank, &half);
    Y(Intercomm_create, half, 0, W, even ? 1 : 0, 5, &inter);
    Y(Comm_test_inter, inter, &n);
    require(n, "an intercommunicator");
    Y(Comm_remote_size, inter, &n);
    require(n == far, "the other group");
    Y(Barrier, inter);
    X(Bcast, !even || is ? 12 : 0, is ? 12 : 0, even ? 0 : 12, out, 3, MPI_INT, root, inter);
    X(Reduce, !even || is ? 12 : 0, even ? 0 : 12, is ? 12 : 0, out, in, 3, MPI_INT, MPI_SUM, root, inter);
    X(Gather, even ? 0 : 8, even ? 0 : 8, is ? 8 * far : 0, out, 2, MPI_INT, in, 2, MPI_INT, root, inter);
    X(Scatter, even ? 0 : 8, is ? 8 * far : 0, even ? 0 : 8, out, 2, MPI_INT, in, 2, MPI_INT, root, inter);
    X(Allreduce, 8, 8, 8, out, in, 2, MPI_INT, MPI_SUM, inter);
    X(Allgather, 4, 4, 4 * far, out, 1, MPI_INT, in, 1, MPI_INT, inter);
    X(Alltoall, 4 * far, 4 * far, 4 * far, out, 1, MPI_INT, in, 1, MPI_INT, inter);
    if (rank == 0)
        X(Send, 4, 4, 0, &value, 1, MPI_INT, 0, 0, inter);
    if (rank == 1)
        X(Recv, 4, 0, 4, &value, 1, MPI_INT, 0, 0, inter, &status);
    Y(Intercomm_merge, inter, !even, &merged);
    Y(Comm_size, merged, &n);
    require(n == size, "merged groups");
    X(Allreduce, 8, 8, 8, out, in, 2, MPI_INT, MPI_SUM, merged);
    Y(Comm_free, &merged);
    Y(Comm_free, &inter);
    Y(Comm_free, &half);
}

#if MPI_VERSION >= 4
static void large_counts(void)
{
    MPI_Count big[MOST];
    MPI_Aint where[MOST];
    int is = rank == 0;
    for (int i = 0; i < size; i++) {
        big[i] = counts[i];
        where[i] = places[i];
    }
    X(Bcast_c, 12, is ? 12 : 0, is ? 0 : 12, out, 3, MPI_INT, 0, W);
    X(Allreduce_c, 8, 8, 8, out, in, 2, MPI_INT, MPI_SUM, W);
    X(Gatherv_c, 4 * (rank + 1), 4 * (rank + 1), is ? all : 0, out, rank + 1, MPI_INT, in, big, where, MPI_INT, 0, W);
    X(Allgatherv_c, 4 * (rank + 1), 4 * (rank + 1), all, out, rank + 1, MPI_INT, in, big, where, MPI_INT, W);
    X(Reduce_scatter_c, all, all, 4 * (rank + 1), out, in, big, MPI_INT, MPI_SUM, W);
}

static void persistent(void)
{
    int is = rank == 0;
    MPI_Request r[3];
    X(Bcast_init, 12, is ? 12 : 0, is ? 0 : 12, out, 3, MPI_INT, 0, W, MPI_INFO_NULL, &r[0]);
    X(Allreduce_init, 8, 8, 8, in, in + 32, 2, MPI_INT, MPI_SUM, W, MPI_INFO_NULL, &r[1]);
    Y(Barrier_init, W, MPI_INFO_NULL, &r[2]);
    for (int turn = 0; turn < 2; turn++) {
        Y(Startall, 2, r);
        Y(Start, &r[2]);
        Y(Waitall, 3, r, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 3; i++)
        Y(Request_free, &r[i]);
}
#endif

void all_collectives(void)
{
    prepare();
    with_a_root();
    without_a_root();
    to_each_its_own();
    nonblocking();
    between_groups();
#if MPI_VERSION >= 4
    large_counts();
    persistent();
#endif
}
