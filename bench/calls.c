/* SPDX-License-Identifier: BSD-3-Clause */
/* What an MPI call costs, measured by the program itself:   calls BATCHES
 *
 * On one rank, with messages to itself, so that no other process's turn on the core is measured. Each routine is
 * called from one place with 8 bytes (`one`), and from 64 places with 100 sizes from 8 to 800 bytes (`many`). Prints
 * "routine/variant nanoseconds", the fastest of the batches, per MPI call. After
 * them each loop is run once more between brackets for callgrind; by then everything has been seen before. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "instructions.h"

enum { SITES = 64, SIZES = 100, ROUNDS = 100, PENDING_TAG = 99 };

#define FOUR(x) x x x x
#define FROM_64_SITES(x) FOUR(FOUR(FOUR(x)))

static double to[SIZES], from[SIZES];
static int sizes[SIZES + SITES];
static MPI_Request pending;
static MPI_Comm made; /* the first communicator that the program makes */
static int answer;

/* Two loops of one statement; `n` is the number of values to send, where the routine has one. */
#define MEASURE(routine, statement)                            \
    static void measure_##routine##_one(long rounds)           \
    {                                                          \
        for (long i = 0; i < rounds * SITES; i++) {            \
            const int n __attribute__((unused)) = 1;           \
            statement;                                         \
        }                                                      \
    }                                                          \
    static void measure_##routine##_many(long rounds)          \
    {                                                          \
        for (long i = 0; i < rounds; i++) {                    \
            const int *size = sizes + i % SIZES;               \
            FROM_64_SITES({                                    \
                const int n __attribute__((unused)) = *size++; \
                statement;                                     \
            })                                                 \
        }                                                      \
    }

__attribute__((always_inline)) static inline void exchange(int n)
{
    MPI_Request both[2];
    MPI_Irecv(from, SIZES, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(to, n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

MEASURE(comm_rank, MPI_Comm_rank(MPI_COMM_WORLD, &answer))
MEASURE(test, MPI_Test(&pending, &answer, MPI_STATUS_IGNORE))
MEASURE(sendrecv,
        MPI_Sendrecv(to, n, MPI_DOUBLE, 0, 1, from, SIZES, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
MEASURE(waitall, exchange(n))
MEASURE(allreduce, MPI_Allreduce(to, from, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD))
MEASURE(made, MPI_Allreduce(to, from, n, MPI_DOUBLE, MPI_SUM, made))

static const struct loop {
    const char *name;
    int calls; /* MPI calls in the statement */
    void (*run)(long rounds);
} loops[] = {
    {"comm_rank/one", 1, measure_comm_rank_one}, {"comm_rank/many", 1, measure_comm_rank_many},
    {"test/one", 1, measure_test_one},           {"test/many", 1, measure_test_many},
    {"sendrecv/one", 1, measure_sendrecv_one},   {"sendrecv/many", 1, measure_sendrecv_many},
    {"waitall/one", 3, measure_waitall_one},     {"waitall/many", 3, measure_waitall_many},
    {"allreduce/one", 1, measure_allreduce_one}, {"allreduce/many", 1, measure_allreduce_many},
    {"made/one", 1, measure_made_one},           {"made/many", 1, measure_made_many},
};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void measure(const struct loop *loop, int batches)
{
    uint64_t best = UINT64_MAX;
    loop->run(ROUNDS);
    for (int i = 0; i < batches; i++) {
        uint64_t start = now_ns();
        loop->run(ROUNDS);
        uint64_t took = now_ns() - start;
        best = took < best ? took : best;
    }
    bench_instructions_begin();
    loop->run(ROUNDS);
    bench_instructions_end(loop->name);
    printf("%s %.2f\n", loop->name, (double)best / (double)(ROUNDS * SITES * loop->calls));
}

int main(int argc, char **argv)
{
    int batches = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < SIZES + SITES; i++)
        sizes[i] = 1 + i % SIZES;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        /* only for MPI_Test: while a receive is pending the other waits have more to look at as well */
        int tests = loops[i].run == measure_test_one || loops[i].run == measure_test_many;
        if (tests)
            MPI_Irecv(from, SIZES, MPI_DOUBLE, 0, PENDING_TAG, MPI_COMM_WORLD, &pending);
        measure(&loops[i], batches);
        if (tests) {
            MPI_Cancel(&pending);
            MPI_Wait(&pending, MPI_STATUS_IGNORE);
        }
    }
    MPI_Comm_free(&made);
    MPI_Finalize();
    return 0;
}
