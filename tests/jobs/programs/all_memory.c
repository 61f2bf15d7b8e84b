/* One-sided communication: each rank works on the window of its right neighbour. */
#include <string.h>

#include "all.h"

#define W MPI_COMM_WORLD

enum { N = 64 };
static int local[N], result[N], one = 1, two = 2;

static void between_fences(void)
{
    int *memory;
    MPI_Win win;
    Y(Win_allocate, N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, W, &memory, &win);
    memset(memory, 0, N * sizeof *memory);
    local[0] = rank + 100;
    Y(Win_fence, 0, win);
    X(Put, 40, 40, 0, local, 10, MPI_INT, right, 0, 10, MPI_INT, win);
    Y(Put, local, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, win);
    Y(Win_fence, 0, win);
    require(memory[0] == left + 100, "put");
    X(Get, 24, 0, 24, result, 6, MPI_INT, right, 0, 6, MPI_INT, win);
    Y(Win_fence, 0, win);
    require(result[0] == rank + 100, "get");
    X(Accumulate, 16, 16, 0, local, 4, MPI_INT, right, 20, 4, MPI_INT, MPI_SUM, win);
    Y(Win_fence, 0, win);
    X(Get_accumulate, 12, 12, 12, local, 3, MPI_INT, result, 3, MPI_INT, right, 30, 3, MPI_INT, MPI_SUM, win);
    Y(Win_fence, 0, win);
    X(Get_accumulate, 20, 20, 20, NULL, 0, MPI_INT, result, 5, MPI_INT, right, 30, 5, MPI_INT, MPI_NO_OP, win);
    X(Fetch_and_op, 4, 4, 4, &one, result, MPI_INT, right, 50, MPI_SUM, win);
    Y(Win_fence, 0, win);
    X(Compare_and_swap, 4, 4, 4, &two, &one, result, MPI_INT, right, 50, win);
    Y(Win_fence, 0, win);
    Y(Win_free, &win);
}

static void under_locks(void)
{
    static int memory[N];
    MPI_Request request[4];
    MPI_Win win;
    Y(Win_create, memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, W, &win);
    Y(Win_lock, MPI_LOCK_SHARED, right, 0, win);
    X(Put, 4, 4, 0, local, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    Y(Win_flush, right, win);
    Y(Win_flush_local, right, win);
    Y(Win_unlock, right, win);
    Y(Win_lock_all, 0, win);
    X(Rput, 8, 8, 0, local, 2, MPI_INT, right, 2, 2, MPI_INT, win, &request[0]);
    X(Raccumulate, 8, 8, 0, local, 2, MPI_INT, right, 4, 2, MPI_INT, MPI_SUM, win, &request[1]);
    X(Rget, 8, 0, 8, result, 2, MPI_INT, right, 10, 2, MPI_INT, win, &request[2]);
    X(Rget_accumulate, 8, 8, 8, local, 2, MPI_INT, result + 8, 2, MPI_INT, right, 12, 2, MPI_INT, MPI_SUM, win,
      &request[3]);
    Y(Waitall, 4, request, MPI_STATUSES_IGNORE);
    Y(Win_flush_all, win);
    Y(Win_flush_local_all, win);
    Y(Win_sync, win);
    Y(Win_unlock_all, win);
    Y(Barrier, W);
    Y(Win_free, &win);
}

static void post_and_start(void)
{
    static int memory[N];
    MPI_Group world, to, from;
    MPI_Win win;
    Y(Win_create, memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, W, &win);
    Y(Comm_group, W, &world);
    Y(Group_incl, world, 1, &right, &to);
    Y(Group_incl, world, 1, &left, &from);
    Y(Win_post, from, 0, win);
    Y(Win_start, to, 0, win);
    X(Put, 12, 12, 0, local, 3, MPI_INT, right, 0, 3, MPI_INT, win);
    Y(Win_complete, win);
    Y(Win_wait, win);
    Y(Group_free, &to);
    Y(Group_free, &from);
    Y(Group_free, &world);
    Y(Win_free, &win);
}

/* A window over a communicator with reversed ranks: windows of the same handle, other partners. */
static void windows_again(void)
{
    for (int turn = 0; turn < 6; turn++) {
        int *memory;
        MPI_Comm reversed;
        MPI_Win win;
        Y(Comm_split, W, 0, turn % 2 ? -rank : rank, &reversed);
        Y(Win_allocate, N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, reversed, &memory, &win);
        Y(Win_fence, 0, win);
        X(Put, 4, 4, 0, local, 1, MPI_INT, turn % 2 ? (2 * size - rank - 2) % size : right, 0, 1, MPI_INT, win);
        Y(Win_fence, 0, win);
        Y(Win_free, &win);
        Y(Comm_free, &reversed);
    }
}

void all_memory(void)
{
    between_fences();
    under_locks();
    post_and_start();
    windows_again();
}
