/* errors CASE: calls that fail, in every way a program may take that. Writes what it saw to "result.RANK". Two ranks. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tally.h"

#define W MPI_COMM_WORLD

static FILE *result;
static int out[16], in[16];

static void note(const char *what, int code)
{
    int class = -1;
    Y(Error_class, code, &class);
#ifdef OPEN_MPI
    fprintf(result, "%s: code %d, class %d\n", what, code, class);
#else /* codes of MPICH have a part that differs from run to run */
    fprintf(result, "%s: class %d, %s\n", what, class, code == class ? "plain" : "with details");
#endif
}

/* ---- MPI_ERRORS_RETURN ---- */

static void wrong_arguments(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_File file;
    Y(Comm_set_errhandler, W, MPI_ERRORS_RETURN);
    for (int i = 0; i < 20; i++) {
        note("send to nobody", Y(Send, out, 1, MPI_INT, size + 5, 0, W));
        note("negative count", Y(Send, out, -1, MPI_INT, right, 0, W));
        note("no type", Y(Send, out, 1, MPI_DATATYPE_NULL, right, 0, W));
        note("no tag", Y(Irecv, in, 1, MPI_INT, left, -55, W, &request));
        note("no root", Y(Bcast, out, 1, MPI_INT, size + 1, W));
        note("no operation", Y(Allreduce, out, in, 1, MPI_INT, MPI_OP_NULL, W));
        note("no index", Y(Waitany, 1, &request, NULL, MPI_STATUS_IGNORE));
        note("no requests", Y(Waitall, 3, NULL, MPI_STATUSES_IGNORE));
        note("negative number of requests", Y(Waitall, -2, &request, MPI_STATUSES_IGNORE));
        note("no flag", Y(Testall, 1, &request, NULL, MPI_STATUSES_IGNORE));
        note("no type to free", Y(Type_free, &type));
        note("no communicator to free", Y(Comm_free, &comm));
        note("no file", Y(File_open, MPI_COMM_SELF, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
        note("no address", Y(Start, NULL));
    }
}

/* ---- messages that do not fit ---- */

/* The left one sends eight ints. */
static void send_eight(int n)
{
    MPI_Request request;
    Y(Barrier, W);
    for (int i = 0; i < n; i++) {
        X(Isend, 32, 32, 0, out, 8, MPI_INT, right, i, W, &request);
        Y(Wait, &request, MPI_STATUS_IGNORE);
    }
    Y(Barrier, W);
}

/* Two receives: one fits, one does not. */
static void post_two(MPI_Request request[2])
{
    X(Irecv, 32, 0, 32, in, 16, MPI_INT, left, 0, W, &request[0]);
    Y(Irecv, in, 4, MPI_INT, left, 1, W, &request[1]);
}

static void truncated(void)
{
    MPI_Request request[2];
    MPI_Status status[2];
    int n = 0, index, indices[2], flag = 0;
    Y(Comm_set_errhandler, W, MPI_ERRORS_RETURN);
    for (int turn = 0; turn < 3; turn++) {
        Y(Irecv, in, 4, MPI_INT, left, 0, W, &request[0]);
        send_eight(1);
        note("wait", Y(Wait, &request[0], MPI_STATUS_IGNORE));
        for (int ignore = 0; ignore < 2; ignore++) {
            post_two(request);
            send_eight(2);
            note("waitall", Y(Waitall, 2, request, ignore ? MPI_STATUSES_IGNORE : status));
            if (!ignore)
                note("its first", status[0].MPI_ERROR), note("its second", status[1].MPI_ERROR);
            post_two(request);
            send_eight(2);
            note("waitsome", Y(Waitsome, 2, request, &n, indices, ignore ? MPI_STATUSES_IGNORE : status));
            fprintf(result, "%d complete\n", n);
            Y(Waitall, 2, request, MPI_STATUSES_IGNORE);
            post_two(request);
            send_eight(2);
            do
                n = Y(Testall, 2, request, &flag, ignore ? MPI_STATUSES_IGNORE : status);
            while (n == MPI_SUCCESS && !flag);
            note("testall", n);
            Y(Waitall, 2, request, MPI_STATUSES_IGNORE);
            post_two(request);
            send_eight(2);
            note("waitany", Y(Waitany, 1, &request[1], &index, ignore ? MPI_STATUS_IGNORE : status));
            Y(Waitall, 2, request, MPI_STATUSES_IGNORE);
        }
    }
    X(Isend, 32, 32, 0, out, 8, MPI_INT, right, 9, W, &request[0]);
    note("receive", Y(Recv, in, 4, MPI_INT, left, 9, W, MPI_STATUS_IGNORE));
    Y(Wait, &request[0], MPI_STATUS_IGNORE);
}

/* ---- handlers ---- */

static void explain(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    Y(Error_string, *code, text, &length);
    note("handled", *code);
}

static void handled(void)
{
    MPI_Errhandler handler;
    Y(Comm_create_errhandler, explain, &handler);
    Y(Comm_set_errhandler, W, handler);
    for (int i = 0; i < 50; i++) {
        Y(Send, out, 1, MPI_INT, size + 5, 0, W);
        Y(Barrier, W);
    }
    Y(Errhandler_free, &handler);
}

static jmp_buf back;

static void jump(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    Y(Error_string, *code, text, &length);
    longjmp(back, 1);
}

/* Deeper than the caller by some frames' worth of stack. */
static __attribute__((noinline)) void deeper(int depth, int fail)
{
    volatile char room[300];
    room[0] = (char)depth;
    if (depth > 0)
        deeper(depth - 1, fail);
    else if (fail)
        Y(Send, out, 1, MPI_INT, size + 5, 0, W);
    else
        Y(Comm_rank, W, &in[room[0]]);
}

static void left_by_longjmp(void)
{
    MPI_Errhandler handler;
    Y(Comm_create_errhandler, jump, &handler);
    Y(Comm_set_errhandler, W, handler);
    volatile int jumps = 0;
    for (volatile int i = 0; i < 100; i++) {
        if (setjmp(back) == 0) {
            if (i % 3 == 0)
                Y(Send, out, 1, MPI_INT, size + 5, 0, W); /* here: what follows lies deeper */
            else
                deeper(i % 7, 1);
            jumps = -1000;
        }
        jumps++;
        deeper(i % 5, 0);
        deeper(i % 5 + 3, 0);
        Y(Comm_size, W, &in[0]);
        X(Allreduce, 4, 4, 4, MPI_IN_PLACE, in, 1, MPI_INT, MPI_MAX, W);
    }
    fprintf(result, "%d jumps\n", jumps);
    for (volatile int i = 0; i < 6; i++) /* one after the other, ever deeper: nothing in between shows that they left */
        if (setjmp(back) == 0)
            deeper(i, 1);
}

/* ---- a reduction that calls MPI ---- */

static void add(void *from, void *to, int *n, MPI_Datatype *type)
{
    int bytes;
    Y(Type_size, *type, &bytes);
    for (int i = 0; i < *n; i++)
        ((int *)to)[i] += ((int *)from)[i];
}

static void reductions(void)
{
    MPI_Op op;
    Y(Op_create, add, 1, &op);
    for (int i = 0; i < 30; i++) {
        int sum = rank + 1;
        X(Allreduce, 4, 4, 4, MPI_IN_PLACE, &sum, 1, MPI_INT, op, W);
        require(sum == size * (size + 1) / 2, "a reduction of our own");
    }
    Y(Op_free, &op);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"arguments", wrong_arguments},
                 {"truncated", truncated},
                 {"handled", handled},
                 {"longjmp", left_by_longjmp},
                 {"reductions", reductions}};
    char name[32];
    Y(Init, &argc, &argv);
    Y(Comm_rank, W, &rank);
    Y(Comm_size, W, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    snprintf(name, sizeof name, "result.%d", rank);
    result = fopen(name, "w");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    Y(Comm_set_errhandler, W, MPI_ERRORS_ARE_FATAL);
    Y(Barrier, W);
    Y(Finalize);
    if (fclose(result) != 0)
        abort();
    tally_write();
    return 0;
}
