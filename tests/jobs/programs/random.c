/* random SEED ROUNDS MESSAGES [jump]: in each round random messages between random ranks, over communicators of every
 * kind, sent, received and completed in every way there is, some truncated, cancelled or given up; all ranks draw the
 * same numbers, so that each knows what the others do. With "jump" the error handler leaves by longjmp.
 *
 * Everything received is looked at, and what Fathom must say of it is written down (tally.h). */
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tally.h"

#undef X
#undef Y
#define X(routine, bytes, sent, received, ...) \
    (note("MPI_" #routine, (bytes), (sent), (received)), MPI_##routine(__VA_ARGS__))
#define Y(routine, ...) X(routine, 0, 0, 0, __VA_ARGS__)

enum { MOST = 4096, LONG = 6000, INTS = 40 };
enum { WORLD, COPY, REVERSED, HALF, BOTH, COMMS };
enum { ISEND, START, STARTALL, SEND, FREED, SEND_WAYS };
enum { IRECV, IRECV_ANY, RECV_START, RECV_STARTALL, RECV, PROBE, GIVEN_UP, CANCELLED, RECV_WAYS };

struct message {
    int from, to; /* ranks of the world */
    int ints, room, by, into;
};

/* A request of this rank: which message it is for, if it receives one, and whose call it belongs to. */
struct item {
    const struct message *message;
    const char *routine;
    int *buffer;
    int tag, sent; /* bytes */
    bool persistent, unstarted, done;
    bool unsure; /* an error told nothing of it: it may be over */
};

static uint64_t drawn, own_drawn;
static bool paused, may_pause, jumps;
static int n_items;
static jmp_buf back;
static MPI_Comm comms[COMMS];
static struct message messages[MOST];
static struct item items[2 * MOST];
static MPI_Request requests[2 * MOST];
static MPI_Status statuses[2 * MOST];
static int indices[2 * MOST];

static void note(const char *routine, long bytes, long sent, long received)
{
    if (!paused)
        tally(routine, bytes, sent, received);
}

static int below(uint64_t *state, int n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)((*state >> 33) % (unsigned)n);
}

/* The same on all ranks, and this rank's own. */
static int draw(int n)
{
    return below(&drawn, n);
}

static int choose(int n)
{
    return below(&own_drawn, n);
}

/* ---- communicators ---- */

static int rank_in(int comm, int of)
{
    return comm == REVERSED ? size - 1 - of : comm == HALF || comm == BOTH ? of / 2 : of;
}

static int may_talk(int comm, int a, int b)
{
    return comm == HALF ? a % 2 == b % 2 : comm == BOTH ? a % 2 != b % 2 : 1;
}

/* Sends to itself and waits, as an error handler or a reduction may. */
static void talk_to_self(void)
{
    int in[2] = {0, 0}, value[2] = {choose(1000), choose(1000)};
    MPI_Request both[4];
    for (int i = 0; i < 2; i++)
        X(Irecv, 4, 0, 4, &in[i], 1, MPI_INT, i ? MPI_ANY_SOURCE : 0, i, MPI_COMM_SELF, &both[i]);
    for (int i = 0; i < 2; i++)
        X(Isend, 4, 4, 0, &value[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &both[2 + i]);
    if (choose(2))
        Y(Waitall, 4, both, MPI_STATUSES_IGNORE);
    else
        for (int i = 0; i < 4; i++)
            Y(Wait, &both[i], MPI_STATUS_IGNORE);
    require(in[0] == value[0] && in[1] == value[1], "a message to itself");
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    if (jumps)
        longjmp(back, 1);
    if (choose(2))
        talk_to_self();
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i];
    if (choose(2))
        talk_to_self();
}

static void make_comms(void)
{
    MPI_Errhandler handler;
    comms[WORLD] = MPI_COMM_WORLD;
    Y(Comm_dup, MPI_COMM_WORLD, &comms[COPY]);
    Y(Comm_split, MPI_COMM_WORLD, 0, -rank, &comms[REVERSED]);
    Y(Comm_split, MPI_COMM_WORLD, rank % 2, rank, &comms[HALF]);
    Y(Intercomm_create, comms[HALF], 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &comms[BOTH]);
    Y(Comm_create_errhandler, on_error, &handler);
    for (int i = 0; i < COMMS; i++)
        Y(Comm_set_errhandler, comms[i], i % 2 || jumps ? handler : MPI_ERRORS_RETURN);
}

/* ---- what comes ---- */

static int expected(const struct message *m, int i)
{
    return m->from * 1000003 + m->ints * 31 + i;
}

/* Its receive is over, well or not. */
static void received(struct item *item, bool well, const MPI_Status *status, int comm)
{
    const struct message *m = item->message;
    bool before = item->done;
    item->done = true;
    if (before || !m || m->into == CANCELLED)
        return;
    int ints = m->ints < m->room ? m->ints : m->room;
    if (!well && m->ints > m->room)
        return;
    if (!paused || !item->persistent)
        tally_bytes(item->routine, 4 * ints, 0, 4 * ints);
    for (int i = 0; i < ints; i++)
        require(item->buffer[i] == expected(m, i), "what was received");
    if (status && m->ints <= m->room && !item->unsure) {
        int count = -1;
        Y(Get_count, status, MPI_INT, &count);
        require(status->MPI_SOURCE == rank_in(comm, m->from) && status->MPI_TAG == item->tag && count == ints,
                "a status");
    }
}

/* ---- completing ---- */

static int is_error(int code)
{
    return code != MPI_SUCCESS;
}

/* After a call that may have ended any of a part of the list: which have, their handles or statuses tell. */
static void look(int from, int n, int code, const MPI_Status *at, int comm)
{
    for (int i = from; i < from + n; i++) {
        if (is_error(code) && items[i].persistent)
            items[i].unsure = true; /* it is waited for once more */
        else if (items[i].persistent || requests[i] == MPI_REQUEST_NULL)
            received(&items[i], !is_error(code), at && !is_error(code) ? &at[i - from] : NULL, comm);
    }
}

static void complete_some(int from, int n, int test, int real, int comm)
{
    int count = 0;
    MPI_Status *to = real ? statuses : MPI_STATUSES_IGNORE;
    int code = test ? Y(Testsome, n, &requests[from], &count, indices, to)
                    : Y(Waitsome, n, &requests[from], &count, indices, to);
    if (is_error(code)) {
        look(from, n, code, NULL, comm);
        return;
    }
    for (int i = 0; i < count; i++)
        received(&items[from + indices[i]], 1, real ? &statuses[i] : NULL, comm);
}

static void complete_any(int from, int n, int test, int real, int comm)
{
    int index = MPI_UNDEFINED, flag = 1;
    MPI_Status *to = real ? statuses : MPI_STATUS_IGNORE;
    int code = test ? Y(Testany, n, &requests[from], &index, &flag, to) : Y(Waitany, n, &requests[from], &index, to);
    if (is_error(code))
        look(from, n, code, NULL, comm);
    else if (flag && index != MPI_UNDEFINED)
        received(&items[from + index], 1, real ? to : NULL, comm);
}

static void complete_all(int from, int n, int test, int real, int comm)
{
    int flag = 1;
    MPI_Status *to = real ? statuses : MPI_STATUSES_IGNORE;
    int code = test ? Y(Testall, n, &requests[from], &flag, to) : Y(Waitall, n, &requests[from], to);
    if (flag || is_error(code))
        look(from, n, code, real ? statuses : NULL, comm);
}

static void complete_one(int at, int test, int real, int comm)
{
    int flag = 1, null = requests[at] == MPI_REQUEST_NULL;
    MPI_Status *to = real ? statuses : MPI_STATUS_IGNORE;
    int code = test ? Y(Test, &requests[at], &flag, to) : Y(Wait, &requests[at], to);
    if (is_error(code) || (flag && !null))
        received(&items[at], !is_error(code), real && !is_error(code) ? to : NULL, comm);
}

static int some_left(void)
{
    for (int i = 0; i < n_items; i++)
        if (!items[i].done)
            return 1;
    return 0;
}

static void complete(int comm)
{
    for (int times = 0; some_left(); times++) {
        int from = choose(n_items), n = 1 + choose(n_items - from), test = choose(2), real = choose(2);
        if (choose(4) == 0 || times > 200)
            from = 0, n = n_items;
        if (jumps && setjmp(back))
            look(0, n_items, MPI_ERR_OTHER, NULL, comm);
        else
            switch (times > 200 ? 2 : choose(4)) {
            case 0:
                complete_some(from, n, test, real, comm);
                break;
            case 1:
                complete_any(from, n, test, real, comm);
                break;
            case 2:
                complete_all(from, n, test, real, comm);
                break;
            case 3:
                complete_one(from, test, real, comm);
                break;
            }
        if (may_pause && !paused && choose(8) == 0) {
            Y(Pcontrol, 0);
            paused = 1;
            talk_to_self();
        } else if (paused && choose(2)) {
            Y(Pcontrol, 1);
            paused = 0;
        }
    }
    if (paused)
        Y(Pcontrol, 1);
    paused = 0;
}

/* ---- one round ---- */

static struct item *follow(const struct message *m, const char *routine, int tag, bool persistent)
{
    int *buffer = m ? calloc(m->room + 1, sizeof(int)) : NULL;
    items[n_items] = (struct item){m, routine, buffer, tag, .persistent = persistent};
    return &items[n_items++];
}

static void post_receive(const struct message *m, int tag, int comm)
{
    int from = m->into == IRECV_ANY ? MPI_ANY_SOURCE : rank_in(comm, m->from);
    bool persistent = m->into == RECV_START || m->into == RECV_STARTALL;
    struct item *item = follow(m,
                               m->into == RECV_START ? "MPI_Start"
                               : persistent          ? "MPI_Startall"
                                                     : "MPI_Irecv",
                               tag, persistent);
    MPI_Request *request = &requests[item - items];
    if (persistent) {
        Y(Recv_init, item->buffer, m->room, MPI_INT, from, tag, comms[comm], request);
        if (m->into == RECV_START)
            Y(Start, request);
        item->unstarted = m->into == RECV_STARTALL;
        return;
    }
    Y(Irecv, item->buffer, m->room, MPI_INT, from, tag, comms[comm], request);
    if (m->into == CANCELLED)
        Y(Cancel, request);
    if (m->into == GIVEN_UP) { /* its buffer stays for ever */
        Y(Request_free, request);
        n_items--;
    }
}

static void post_send(const struct message *m, int tag, int comm, int *buffer)
{
    int to = rank_in(comm, m->to), n = m->ints;
    for (int i = 0; i < n; i++)
        buffer[i] = expected(m, i);
    if (m->by == SEND || m->by == FREED) {
        MPI_Request request;
        if (m->by == SEND) {
            X(Send, 4 * n, 4 * n, 0, buffer, n, MPI_INT, to, tag, comms[comm]);
            return;
        }
        X(Isend, 4 * n, 4 * n, 0, buffer, n, MPI_INT, to, tag, comms[comm], &request);
        Y(Request_free, &request);
        return;
    }
    struct item *item = follow(NULL, "", tag, m->by != ISEND);
    MPI_Request *request = &requests[item - items];
    if (m->by == ISEND) {
        X(Isend, 4 * n, 4 * n, 0, buffer, n, MPI_INT, to, tag, comms[comm], request);
        return;
    }
    Y(Send_init, buffer, n, MPI_INT, to, tag, comms[comm], request);
    if (m->by == START)
        X(Start, 4 * n, 4 * n, 0, request);
    item->unstarted = m->by == STARTALL;
    item->sent = 4 * n;
}

static void start_all(void)
{
    static MPI_Request list[2 * MOST];
    int n = 0, sent = 0;
    for (int i = 0; i < n_items; i++)
        if (items[i].unstarted) {
            list[n++] = requests[i];
            sent += items[i].sent;
            items[i].unstarted = false;
        }
    X(Startall, sent, sent, 0, n, list); /* which leaves the handles as they are */
}

/* Of a long list with an error MPICH tells too little of the persistent ones: it has one or the other. */
static void draw_messages(int n, int comm)
{
    bool fails = draw(2), persists = !fails || n < 50;
    may_pause = !fails; /* of which receives an error is may not be told at once */
    for (int i = 0; i < n; i++) {
        struct message *m = &messages[i];
        *m = (struct message){draw(size), draw(size), draw(4) ? draw(INTS) : 0, 0, draw(SEND_WAYS), draw(RECV_WAYS)};
        if (!may_talk(comm, m->from, m->to))
            m->to = m->to ^ 1;
        if (!persists && (m->into == RECV_START || m->into == RECV_STARTALL))
            m->into = IRECV;
        if (draw(20) == 0 && n < 100)
            m->ints = LONG - draw(100);
        m->room = m->ints + draw(3);
        bool short_enough = m->ints > 1 && m->ints < INTS && m->from != m->to; /* to itself Open MPI does not tell */
        if (fails && short_enough && (m->into <= IRECV_ANY || m->into == RECV) && draw(4) == 0)
            m->room = m->ints / 2;
        if (m->ints > INTS && (m->by == SEND || m->by == FREED))
            m->by = ISEND;
        if (m->from == m->to && m->by == SEND)
            m->by = ISEND;
        if (m->into == GIVEN_UP && (m->ints > INTS || draw(4)))
            m->into = IRECV;
    }
}

static void receive(const struct message *m, int tag, int comm)
{
    int *buffer = calloc(m->room + 1, sizeof(int)), ints = m->ints, code;
    int from = choose(2) ? rank_in(comm, m->from) : MPI_ANY_SOURCE, real = choose(2);
    MPI_Status status;
    if (m->into == PROBE)
        Y(Probe, from, tag, comms[comm], real ? &status : MPI_STATUS_IGNORE);
    if (jumps && setjmp(back))
        return;
    code = Y(Recv, buffer, m->room, MPI_INT, from, tag, comms[comm], real ? &status : MPI_STATUS_IGNORE);
    if (is_error(code))
        return;
    ints = ints < m->room ? ints : m->room;
    tally_bytes("MPI_Recv", 4 * ints, 0, 4 * ints);
    for (int i = 0; i < ints; i++)
        require(buffer[i] == expected(m, i), "what MPI_Recv received");
    require(!real || status.MPI_SOURCE == rank_in(comm, m->from), "its source");
    free(buffer);
}

static void exchange(int n, int comm)
{
    static int *buffers[MOST];
    n_items = 0;
    draw_messages(n, comm);
    for (int i = 0; i < n; i++)
        if (messages[i].to == rank && messages[i].into != RECV && messages[i].into != PROBE)
            post_receive(&messages[i], i, comm);
    for (int i = 0; i < n; i++) {
        buffers[i] = calloc((size_t)messages[i].ints + 1, sizeof(int));
        if (messages[i].from == rank && messages[i].into != CANCELLED)
            post_send(&messages[i], i, comm, buffers[i]);
    }
    start_all();
    for (int i = 0; i < n; i++)
        if (messages[i].to == rank && (messages[i].into == RECV || messages[i].into == PROBE))
            receive(&messages[i], i, comm);
    if (n_items)
        complete(comm);
    for (int i = 0; i < n_items; i++) {
        if (items[i].persistent)
            Y(Request_free, &requests[i]);
        free(items[i].buffer);
    }
    Y(Barrier, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        if (messages[i].by != FREED) /* those that were given up may still be on their way */
            free(buffers[i]);
}

static void shift(int comm)
{
    int in = 0, by = 1 + draw(size), none = draw(3), real = draw(2);
    MPI_Status status;
    int to = (rank + by) % size, from = (rank - by + 2 * size) % size;
    int sends = none != 1 || rank != 0, gets = none != 1 || from != 0; /* rank 0 sends to nobody */
    comm = comm == REVERSED ? REVERSED : WORLD;
    X(Sendrecv, sends ? 4 : 0, sends ? 4 : 0, gets ? 4 : 0, &rank, 1, MPI_INT,
      sends ? rank_in(comm, to) : MPI_PROC_NULL, 7, &in, 1, MPI_INT, gets ? rank_in(comm, from) : MPI_PROC_NULL, 7,
      comms[comm], real ? &status : MPI_STATUS_IGNORE);
    require(!gets || in == from, "what MPI_Sendrecv received");
    Y(Recv, &in, 1, MPI_INT, MPI_PROC_NULL, 7, comms[comm], real ? &status : MPI_STATUS_IGNORE);
}

static void reduce(MPI_Op op)
{
    int n = draw(5), mine[5], sum[5] = {0};
    for (int i = 0; i < n; i++)
        mine[i] = rank + i;
    X(Allreduce, 4 * n, 4 * n, 4 * n, mine, sum, n, MPI_INT, op, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        require(sum[i] == size * (size - 1) / 2 + i * size, "what MPI_Allreduce gives");
}

int main(int argc, char **argv)
{
    int rounds = atoi(argv[2]), most = atoi(argv[3]);
    MPI_Op op;
    jumps = argc > 4;
    Y(Init, &argc, &argv);
    Y(Comm_rank, MPI_COMM_WORLD, &rank);
    Y(Comm_size, MPI_COMM_WORLD, &size);
    drawn = (uint64_t)atoi(argv[1]) * 7919;
    own_drawn = drawn + 104729u * (unsigned)(rank + 1);
    make_comms();
    Y(Op_create, add, 1, &op);
    for (int i = 0; i < rounds; i++) {
        int comm = draw(COMMS);
        exchange(1 + draw(draw(4) ? most : 10), comm);
        shift(comm);
        reduce(draw(3) ? op : MPI_SUM);
    }
    Y(Finalize);
    tally_write();
    printf("rank %d: all as it must be\n", rank);
    return 0;
}
