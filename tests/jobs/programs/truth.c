/* Functions that compute in turns of about a millisecond, and measure themselves for how long they really did: every ns of
 * the rounds is charged to one of them. Rank 1 is late with what rank 0 waits for. Rank 0 prints the sums of all ranks. */
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum what { ALPHA, OUTER, INNER_OF_OUTER, INNER, NAP, LATE, RECEIVE, SEND, WHATS };
static const char *const names[] = {"alpha", "outer", "inner_of_outer", "inner", "nap", "late", "receive", "send"};

static int64_t spent[WHATS], last;
static long steps_in_us = 1;
static volatile double sink;

#define KERNEL __attribute__((noinline, noclone)) static void
/* Factors differ, for equal functions would become one. */
#define COMPUTE(steps, factor)             \
    do {                                   \
        double x = sink;                   \
        for (long i = 0; i < (steps); i++) \
            x = x * (factor) + 1e-3;       \
        sink = x;                          \
    } while (0)

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The time since the last charge. */
static void charge(enum what what)
{
    int64_t t = now();
    spent[what] += t - last;
    last = t;
}

/* Between half of it and one and a half, so that turns never fall into step with samples. */
static long turn(long us)
{
    static uint32_t state = 12345;
    state = state * 1664525 + 1013904223;
    return us / 2 + (long)((uint64_t)state * (uint64_t)us >> 32);
}

KERNEL alpha(long steps)
{
    COMPUTE(steps, 0.9999);
}

KERNEL inner(long steps)
{
    COMPUTE(steps, 0.9998);
}

KERNEL outer(long steps, long steps_of_inner)
{
    COMPUTE(steps / 2, 0.9997);
    charge(OUTER);
    inner(steps_of_inner);
    charge(INNER_OF_OUTER);
    COMPUTE(steps / 2, 0.9997);
    charge(OUTER);
}

KERNEL nap(long us)
{
    usleep((useconds_t)us);
    charge(NAP);
}

KERNEL late(long steps)
{
    COMPUTE(steps, 0.9996);
}

KERNEL lead(int64_t end)
{
    for (int go = 1; go;) {
        alpha(turn(1600) * steps_in_us);
        charge(ALPHA);
        outer(turn(1000) * steps_in_us, turn(900) * steps_in_us);
        inner(turn(800) * steps_in_us);
        charge(INNER);
        nap(turn(700));
        go = last < end;
        MPI_Send(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        charge(SEND);
        MPI_Recv(&go, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        charge(RECEIVE);
    }
}

KERNEL follow(void)
{
    for (int go = 1; go;) {
        MPI_Recv(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        charge(RECEIVE);
        late(turn(1200) * steps_in_us);
        charge(LATE);
        MPI_Send(&go, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        charge(SEND);
    }
}

KERNEL rounds(int rank, int64_t ns)
{
    last = now();
    if (rank == 0)
        lead(last + ns);
    else
        follow();
    charge(SEND); /* so that these were no jumps, which leave no frame behind */
}

static void calibrate(void)
{
    enum { STEPS = 2000000 };
    int64_t start = now();
    alpha(STEPS);
    steps_in_us = STEPS * 1000 / (now() - start);
}

int main(int argc, char **argv)
{
    int64_t sums[WHATS];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    calibrate();
    rounds(rank, argc > 1 ? atol(argv[1]) * 1000000 : 1000000000);
    MPI_Reduce(spent, sums, WHATS, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < WHATS; i++)
        printf("%s %lld\n", names[i], (long long)sums[i]);
    MPI_Finalize();
    return 0;
}
