/* Calls from one site, again and again, while what they mean changes: handles are freed and their numbers used again,
 * communicators give ranks other numbers, measuring pauses, a child is forked in the middle of one.
 *   remembered types|communicators|pauses|forks
 * Each rank also writes "pairs.RANK": a line "to messages bytes" for every rank of the world that it sends to. */
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20, TIMES = 4, ROOM = 64, MOST = 16 };

static int in[ROOM], out[ROOM];
static long messages[MOST], sent_bytes[MOST];
static int paused;

#define COUNT_UNLESS_PAUSED(routine, bytes, sent, received) \
    (paused ? (void)0 : tally("MPI_" #routine, (bytes), (sent), (received)))

static long send_to(int to, long bytes)
{
    if (!paused) {
        messages[to]++;
        sent_bytes[to] += bytes;
    }
    return bytes;
}

/* In `comm` the neighbours are called `to` and `from`, in the world `to_world`. */
static void exchange(MPI_Comm comm, int to, int from, int to_world, MPI_Datatype type, long bytes)
{
    MPI_Request requests[2];
    for (int i = 0; i < TIMES; i++) {
        send_to(to_world, bytes);
        COUNT_UNLESS_PAUSED(Sendrecv, bytes, bytes, bytes);
        MPI_Sendrecv(out, 1, type, to, 1, in, 1, type, from, 1, comm, MPI_STATUS_IGNORE);
        COUNT_UNLESS_PAUSED(Irecv, bytes, 0, bytes);
        MPI_Irecv(in, 1, type, from, 2, comm, &requests[0]);
        send_to(to_world, bytes);
        COUNT_UNLESS_PAUSED(Isend, bytes, bytes, 0);
        MPI_Isend(out, 1, type, to, 2, comm, &requests[1]);
        COUNT_UNLESS_PAUSED(Waitall, 0, 0, 0);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

static void reduce(MPI_Comm comm, int count)
{
    for (int i = 0; i < TIMES; i++) {
        COUNT_UNLESS_PAUSED(Allreduce, 4 * count, 4 * count, 4 * count);
        MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, comm);
    }
}

/* Open MPI gives the next object the address of the last, MPICH the number. */
static void types(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Datatype type;
        int ints = 1 + round % 7;
        Y(Type_contiguous, ints, MPI_INT, &type);
        Y(Type_commit, &type);
        exchange(MPI_COMM_WORLD, right, left, right, type, 4 * ints);
        Y(Type_free, &type);
    }
}

/* Everybody's number is turned by one each time: rank r is called (r + round) % size. */
static void communicators(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm comm;
        int key = (rank + round) % size, to = (round * round) % size;
        Y(Comm_split, MPI_COMM_WORLD, 0, key, &comm);
        /* whoever is called n sends to n + to */
        int to_world = (rank + to) % size;
        exchange(comm, (key + to) % size, (key + size - to) % size, to_world, MPI_INT, 4);
        reduce(comm, 1 + round % 5);
        Y(Comm_free, &comm);
    }
}

static void pauses(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        paused = round % 3 == 1;
        MPI_Pcontrol(paused ? 0 : 1);
        exchange(MPI_COMM_WORLD, right, left, right, MPI_INT, 4);
        reduce(MPI_COMM_WORLD, 3);
    }
    MPI_Pcontrol(1);
    paused = 0;
}

/* ---- a child that comes out of the middle of a call ---- */

static int fork_now;
static pid_t child = -1;

static int query(void *state, MPI_Status *status)
{
    if (fork_now)
        child = fork();
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    return MPI_SUCCESS;
}

static void wait_for_own(void)
{
    MPI_Request request;
    Y(Grequest_start, query, nothing, cancel, NULL, &request);
    Y(Grequest_complete, request);
    Y(Wait, &request, MPI_STATUS_IGNORE);
}

static void forks(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        fork_now = round % 10 == 5;
        wait_for_own();
        tally("MPI_Status_set_elements", 0, 0, 0); /* what a callback calls is the program's, too */
        tally("MPI_Status_set_cancelled", 0, 0, 0);
        if (!fork_now)
            continue;
        fork_now = 0;
        if (child == 0) { /* it is not measured, and its parent's figures are not its own */
            for (int i = 0; i < TIMES; i++)
                wait_for_own();
            _exit(7);
        }
        int status;
        require(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7,
                "the child ends well");
    }
}

static void write_pairs(void)
{
    char name[64];
    snprintf(name, sizeof name, "pairs.%d", rank);
    FILE *file = fopen(name, "w");
    for (int to = 0; file && to < size; to++)
        if (messages[to])
            fprintf(file, "%d %ld %ld\n", to, messages[to], sent_bytes[to]);
    if (!file || fclose(file) != 0)
        abort();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*play)(void);
    } parts[] = {{"types", types}, {"communicators", communicators}, {"pauses", pauses}, {"forks", forks}};
    Y(Init, &argc, &argv);
    Y(Comm_rank, MPI_COMM_WORLD, &rank);
    Y(Comm_size, MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc > 1 && strcmp(argv[1], parts[i].name) == 0)
            parts[i].play();
    Y(Finalize);
    tally_write();
    write_pairs();
    return 0;
}
