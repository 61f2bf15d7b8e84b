/* Messages between two ranks, on a ring: each rank sends to its right and receives from its left. Receive buffers are
 * larger than the messages. */
#include <stdlib.h>
#include <string.h>

#include "all.h"

#define W MPI_COMM_WORLD

enum { ROOM = 25 };

static void send_in_mode(int mode)
{
    int out[10] = {rank};
    if (mode == 0)
        X(Send, 40, 40, 0, out, 10, MPI_INT, right, mode, W);
    else if (mode == 1)
        X(Bsend, 36, 36, 0, out, 9, MPI_INT, right, mode, W);
    else
        X(Ssend, 32, 32, 0, out, 8, MPI_INT, right, mode, W);
}

static void receive_in_mode(int mode)
{
    int in[ROOM] = {-1};
    long length = 40 - 4 * mode;
    MPI_Status status;
    if (mode == 1) {
        X(Recv, length, 0, length, in, ROOM, MPI_INT, left, mode, W, MPI_STATUS_IGNORE);
    } else {
        int n = 0;
        X(Recv, length, 0, length, in, ROOM, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &status);
        Y(Get_count, &status, MPI_INT, &n);
        require(n == 10 - mode && status.MPI_SOURCE == left && status.MPI_TAG == mode, "status of a receive");
        Y(Get_elements, &status, MPI_INT, &n);
    }
    require(in[0] == left, "a received message");
}

static void blocking(void)
{
    int out[ROOM] = {rank}, in[ROOM];
    static char room[4096];
    void *detached;
    int n;
    MPI_Status status;
    MPI_Request request;
    Y(Buffer_attach, room, sizeof room);
    for (int mode = 0; mode < 3; mode++) {
        for (int turn = 0; turn < 2; turn++) {
            if (turn == rank % 2)
                send_in_mode(mode);
            else
                receive_in_mode(mode);
        }
    }
    Y(Buffer_detach, &detached, &n);
    X(Irecv, 12, 0, 12, in, ROOM, MPI_INT, left, 7, W, &request);
    Y(Barrier, W);
    X(Rsend, 12, 12, 0, out, 3, MPI_INT, right, 7, W);
    Y(Wait, &request, &status);
    require(in[0] == left && status.MPI_SOURCE == left, "a ready send");
}

static void both_ways(void)
{
    double out[ROOM] = {rank}, in[ROOM];
    MPI_Status status;
    X(Sendrecv, 16, 16, 16, out, 2, MPI_DOUBLE, right, 1, in, ROOM, MPI_DOUBLE, left, 1, W, MPI_STATUS_IGNORE);
    X(Sendrecv, 8 * (rank + 1), 8 * (rank + 1), 8 * (left + 1), out, rank + 1, MPI_DOUBLE, right, 1, in, ROOM,
      MPI_DOUBLE, MPI_ANY_SOURCE, 1, W, &status);
    require(in[0] == left && status.MPI_SOURCE == left, "sendrecv");
    X(Sendrecv_replace, 24, 24, 24, out, 3, MPI_DOUBLE, right, 2, left, 2, W, MPI_STATUS_IGNORE);
    require(out[0] == left, "sendrecv_replace");
    /* an open chain: nothing is sent to and nothing comes from MPI_PROC_NULL */
    int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    long sent = up >= 0 ? 32 : 0, received = down >= 0 ? 32 : 0;
    X(Sendrecv, sent, sent, received, out, 4, MPI_DOUBLE, up, 3, in, ROOM, MPI_DOUBLE, down, 3, W, &status);
    Y(Send, out, 4, MPI_DOUBLE, MPI_PROC_NULL, 3, W);
    Y(Recv, in, 4, MPI_DOUBLE, MPI_PROC_NULL, 3, W, &status);
}

static void nonblocking(void)
{
    int out[10] = {rank}, in[4][ROOM];
    static char room[4096];
    void *detached;
    int n;
    MPI_Request request[8];
    Y(Buffer_attach, room, sizeof room);
    for (int i = 0; i < 4; i++)
        X(Irecv, 4 * (i + 1), 0, 4 * (i + 1), in[i], ROOM, MPI_INT, i % 2 ? left : MPI_ANY_SOURCE, i, W, &request[i]);
    Y(Barrier, W);
    X(Isend, 4, 4, 0, out, 1, MPI_INT, right, 0, W, &request[4]);
    X(Ibsend, 8, 8, 0, out, 2, MPI_INT, right, 1, W, &request[5]);
    X(Issend, 12, 12, 0, out, 3, MPI_INT, right, 2, W, &request[6]);
    X(Irsend, 16, 16, 0, out, 4, MPI_INT, right, 3, W, &request[7]);
    Y(Waitall, 8, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; i++)
        require(in[i][0] == left, "a nonblocking receive");
    Y(Buffer_detach, &detached, &n);
    Y(Irecv, in[0], ROOM, MPI_INT, MPI_PROC_NULL, 0, W, &request[0]);
    Y(Isend, out, 5, MPI_INT, MPI_PROC_NULL, 0, W, &request[1]);
    Y(Waitall, 2, request, MPI_STATUSES_IGNORE);
}

static void probes(void)
{
    int out[10] = {rank}, in[ROOM], flag = 0;
    MPI_Request request, sends[4];
    MPI_Message message;
    MPI_Status status;
    for (int i = 0; i < 4; i++)
        X(Isend, 4 * (5 + i), 4 * (5 + i), 0, out, 5 + i, MPI_INT, right, i, W, &sends[i]);
    Y(Probe, left, 0, W, &status);
    X(Recv, 20, 0, 20, in, ROOM, MPI_INT, left, 0, W, MPI_STATUS_IGNORE);
    do {
        Y(Iprobe, MPI_ANY_SOURCE, 1, W, &flag, MPI_STATUS_IGNORE);
    } while (!flag);
    X(Recv, 24, 0, 24, in, ROOM, MPI_INT, left, 1, W, &status);
    Y(Mprobe, left, 2, W, &message, &status);
    X(Mrecv, 28, 0, 28, in, ROOM, MPI_INT, &message, MPI_STATUS_IGNORE);
    flag = 0;
    while (!flag)
        Y(Improbe, left, 3, W, &flag, &message, &status);
    X(Imrecv, 32, 0, 32, in, ROOM, MPI_INT, &message, &request);
    Y(Wait, &request, MPI_STATUS_IGNORE);
    require(in[0] == left, "a matched receive");
    Y(Waitall, 4, sends, MPI_STATUSES_IGNORE);
}

enum { MANY = 6 };
static MPI_Request requests[2 * MANY];

/* MANY receives and their sends, of 4, 8, 12 ... bytes. */
static void post_many(void)
{
    static int in[MANY][ROOM], out[ROOM];
    for (int i = 0; i < MANY; i++)
        X(Irecv, 4 * (i + 1), 0, 4 * (i + 1), in[i], ROOM, MPI_INT, i % 2 ? left : MPI_ANY_SOURCE, i, W, &requests[i]);
    for (int i = 0; i < MANY; i++)
        X(Isend, 4 * (i + 1), 4 * (i + 1), 0, out, i + 1, MPI_INT, right, i, W, &requests[MANY + i]);
}

static void completions(void)
{
    int flag, index, n, indices[2 * MANY];
    MPI_Status statuses[2 * MANY];
    for (int ignore = 0; ignore < 2; ignore++) {
        MPI_Status *one = ignore ? MPI_STATUS_IGNORE : statuses, *all = ignore ? MPI_STATUSES_IGNORE : statuses;
        post_many();
        for (int i = 0; i < 2 * MANY; i++)
            Y(Wait, &requests[i], one);
        post_many();
        for (int i = 0; i < 2 * MANY; i++)
            Y(Waitany, 2 * MANY, requests, &index, one);
        Y(Waitany, 2 * MANY, requests, &index, one);
        require(index == MPI_UNDEFINED, "waitany without requests");
        post_many();
        for (int done = 0; done < 2 * MANY; done += n)
            Y(Waitsome, 2 * MANY, requests, &n, indices, all);
        Y(Waitsome, 2 * MANY, requests, &n, indices, all);
        require(n == MPI_UNDEFINED, "waitsome without requests");
        post_many();
        Y(Waitall, 2 * MANY, requests, all);
        Y(Waitall, 2 * MANY, requests, all);
        post_many();
        for (int i = 0; i < 2 * MANY; i++)
            for (flag = 0; !flag;)
                Y(Test, &requests[i], &flag, one);
        post_many();
        for (int done = 0; done < 2 * MANY; done += flag)
            Y(Testany, 2 * MANY, requests, &index, &flag, one);
        post_many();
        for (int done = 0; done < 2 * MANY; done += n)
            Y(Testsome, 2 * MANY, requests, &n, indices, all);
        post_many();
        for (flag = 0; !flag;)
            Y(Testall, 2 * MANY, requests, &flag, all);
    }
    post_many();
    for (int i = 0; i < 2 * MANY; i++) {
        for (flag = 0; !flag;)
            Y(Request_get_status, requests[i], &flag, MPI_STATUS_IGNORE);
        Y(Wait, &requests[i], MPI_STATUS_IGNORE);
    }
    Y(Waitall, 0, NULL, MPI_STATUSES_IGNORE);
}

/* More requests in one call than there is scratch room for in any reasonable tool. */
static void very_many(void)
{
    enum { N = 700 };
    static int in[N][2], out[N];
    static MPI_Request request[2 * N];
    static MPI_Status statuses[2 * N];
    for (int ignore = 0; ignore < 2; ignore++) {
        for (int i = 0; i < N; i++)
            X(Irecv, 4, 0, 4, in[i], 2, MPI_INT, left, i, W, &request[i]);
        for (int i = 0; i < N; i++)
            X(Isend, 4, 4, 0, &out[i], 1, MPI_INT, right, i, W, &request[N + i]);
        Y(Waitall, 2 * N, request, ignore ? MPI_STATUSES_IGNORE : statuses);
    }
}

static void given_up(void)
{
    int in[ROOM], out[ROOM] = {0}, flag = 0;
    MPI_Request request;
    MPI_Status status;
    Y(Irecv, in, ROOM, MPI_INT, left, 999, W, &request);
    Y(Cancel, &request);
    Y(Wait, &request, &status);
    Y(Test_cancelled, &status, &flag);
    require(flag, "a cancelled receive");
    Y(Irecv, in, ROOM, MPI_INT, MPI_ANY_SOURCE, 998, W, &request);
    Y(Cancel, &request);
    Y(Wait, &request, MPI_STATUS_IGNORE);
    /* freed: its length is never told */
    Y(Irecv, in, ROOM, MPI_INT, left, 5, W, &request);
    Y(Request_free, &request);
    X(Isend, 40, 40, 0, out, 10, MPI_INT, right, 5, W, &request);
    Y(Request_free, &request);
    Y(Barrier, W);
}

static void persistent(void)
{
    int out[ROOM] = {rank}, in[4][ROOM], n;
    static char room[4096];
    void *detached;
    MPI_Request receives[4], sends[4];
    Y(Buffer_attach, room, sizeof room);
    for (int i = 0; i < 4; i++)
        Y(Recv_init, in[i], ROOM, MPI_INT, i ? left : MPI_ANY_SOURCE, i, W, &receives[i]);
    Y(Send_init, out, 1, MPI_INT, right, 0, W, &sends[0]);
    Y(Bsend_init, out, 2, MPI_INT, right, 1, W, &sends[1]);
    Y(Ssend_init, out, 3, MPI_INT, right, 2, W, &sends[2]);
    Y(Rsend_init, out, 4, MPI_INT, right, 3, W, &sends[3]);
    for (int turn = 0; turn < 3; turn++) {
        X(Startall, 4 + 8 + 12, 0, 4 + 8 + 12, 3, receives);
        X(Start, 16, 0, 16, &receives[3]);
        Y(Barrier, W);
        X(Startall, 4 + 8, 4 + 8, 0, 2, sends);
        X(Start, 12, 12, 0, &sends[2]);
        X(Start, 16, 16, 0, &sends[3]);
        Y(Waitall, 4, receives, MPI_STATUSES_IGNORE);
        if (turn == 0)
            Y(Waitall, 4, sends, MPI_STATUSES_IGNORE);
        for (int i = 0; turn > 0 && i < 4; i++)
            Y(Wait, &sends[i], MPI_STATUS_IGNORE);
        require(in[3][0] == left, "a persistent receive");
    }
    for (int i = 0; i < 4; i++) {
        Y(Request_free, &receives[i]);
        Y(Request_free, &sends[i]);
    }
    Y(Buffer_detach, &detached, &n);
}

#if MPI_VERSION >= 4
static void partitioned(void)
{
    enum { PARTS = 4 };
    int out[PARTS * 5] = {rank}, in[PARTS * 5], list[1] = {3}, flag = 0; /* 80 bytes */
    MPI_Request request[2];
    Y(Psend_init, out, PARTS, 5, MPI_INT, right, 0, W, MPI_INFO_NULL, &request[0]);
    Y(Precv_init, in, PARTS, 5, MPI_INT, left, 0, W, MPI_INFO_NULL, &request[1]);
    X(Startall, 2 * 80, 80, 80, 2, request);
    Y(Pready, 0, request[0]);
    Y(Pready_range, 1, 2, request[0]);
    Y(Pready_list, 1, list, request[0]);
    while (!flag)
        Y(Parrived, request[1], 3, &flag);
    Y(Waitall, 2, request, MPI_STATUSES_IGNORE);
    Y(Request_free, &request[0]);
    Y(Request_free, &request[1]);
    require(in[0] == left, "a partitioned receive");
}

static void both_ways_at_once(void)
{
    int out[ROOM] = {rank}, in[ROOM];
    MPI_Request request;
    /* MPICH does not tell the length: the size of the buffer is counted */
    X(Isendrecv, 12, 12, 4 * ROOM, out, 3, MPI_INT, right, 0, in, ROOM, MPI_INT, left, 0, W, &request);
    Y(Wait, &request, MPI_STATUS_IGNORE);
    X(Isendrecv_replace, 20, 20, 20, out, 5, MPI_INT, right, 0, left, 0, W, &request);
    Y(Wait, &request, MPI_STATUS_IGNORE);
    require(in[0] == left && out[0] == left, "isendrecv");
}

static void large_counts(void)
{
    int out[ROOM] = {rank}, in[ROOM];
    MPI_Request request[2];
    MPI_Count n = 0;
    MPI_Status status;
    X(Isend_c, 24, 24, 0, out, 6, MPI_INT, right, 0, W, &request[0]);
    X(Recv_c, 24, 0, 24, in, ROOM, MPI_INT, MPI_ANY_SOURCE, 0, W, &status);
    Y(Get_count_c, &status, MPI_INT, &n);
    require(n == 6, "a large count");
    Y(Wait, &request[0], MPI_STATUS_IGNORE);
    X(Irecv_c, 28, 0, 28, in, ROOM, MPI_INT, left, 0, W, &request[0]);
    X(Isend_c, 28, 28, 0, out, 7, MPI_INT, right, 0, W, &request[1]);
    Y(Waitall, 2, request, MPI_STATUSES_IGNORE);
    X(Sendrecv_c, 8, 8, 8, out, 2, MPI_INT, right, 0, in, ROOM, MPI_INT, left, 0, W, MPI_STATUS_IGNORE);
}
#endif

void all_messages(void)
{
    blocking();
    both_ways();
    nonblocking();
    probes();
    completions();
    very_many();
    given_up();
    persistent();
#if MPI_VERSION >= 4
    partitioned();
    both_ways_at_once();
    large_counts();
#endif
}
