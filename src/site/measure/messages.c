/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between two ranks. A message goes to and fro; a send is timed while the other rank is already receiving, and
 * a receive takes half of the round trip: what it takes if both begin at the same time. */
#include <string.h>

#include "base/clock.h"
#include "site/measure/bench.h"

enum { TAG = 7, HANDLE_BYTES = 8 };

typedef int send_function(const void *, int, fm_word, int, int, fm_word);

static size_t same(size_t size, int ranks)
{
    (void)ranks;
    return size;
}

static double now_s(void)
{
    return 1e-9 * (double)fm_clock_ns(CLOCK_MONOTONIC);
}

/* Time of a send, and of a receive. */
static void to_and_fro(const struct fm_bench_group *group, send_function *send, size_t size, int calls,
                       double seconds[FM_BENCH_ROUTINES])
{
    const struct fm_measure_mpi *mpi = group->mpi;
    fm_word type = mpi->abi.type_byte;
    int other = 1 - group->rank, count = (int)size;
    char status[FM_STATUS_BYTES];
    double sending = 0, start = now_s();
    for (int i = 0; i < calls; i++) {
        if (group->rank == 1)
            mpi->Recv(group->receive, count, type, other, TAG, group->comm, status);
        double before = now_s();
        send(group->send, count, type, other, TAG, group->comm);
        sending += now_s() - before;
        if (group->rank == 0)
            mpi->Recv(group->receive, count, type, other, TAG, group->comm, status);
    }
    seconds[0] = sending / calls;
    seconds[1] = (now_s() - start) / (2 * calls);
}

static void run_send(const struct fm_bench_group *group, const struct fm_bench *bench, size_t size, int calls,
                     double seconds[FM_BENCH_ROUTINES])
{
    (void)bench;
    to_and_fro(group, group->mpi->Send, size, calls, seconds);
}

static void run_ssend(const struct fm_bench_group *group, const struct fm_bench *bench, size_t size, int calls,
                      double seconds[FM_BENCH_ROUTINES])
{
    (void)bench;
    to_and_fro(group, group->mpi->Ssend, size, calls, seconds);
}

static void run_bsend(const struct fm_bench_group *group, const struct fm_bench *bench, size_t size, int calls,
                      double seconds[FM_BENCH_ROUTINES])
{
    (void)bench;
    to_and_fro(group, group->mpi->Bsend, size, calls, seconds);
}

static void run_sendrecv(const struct fm_bench_group *group, const struct fm_bench *bench, size_t size, int calls,
                         double seconds[FM_BENCH_ROUTINES])
{
    const struct fm_measure_mpi *mpi = group->mpi;
    fm_word type = mpi->abi.type_byte;
    int other = 1 - group->rank, count = (int)size;
    char status[FM_STATUS_BYTES];
    double start = now_s();
    (void)bench;
    for (int i = 0; i < calls; i++)
        mpi->Sendrecv(group->send, count, type, other, TAG, group->receive, count, type, other, TAG, group->comm,
                      status);
    seconds[0] = (now_s() - start) / calls;
}

/* Both start to receive and to send, and then wait for both: with two calls, or with one. */
static void exchange(const struct fm_bench_group *group, size_t size, int calls, bool all,
                     double seconds[FM_BENCH_ROUTINES])
{
    const struct fm_measure_mpi *mpi = group->mpi;
    fm_word type = mpi->abi.type_byte;
    int other = 1 - group->rank, count = (int)size;
    char requests[2 * HANDLE_BYTES], statuses[2 * FM_STATUS_BYTES];
    double sums[FM_BENCH_ROUTINES] = {0};
    for (int i = 0; i < calls; i++) {
        fm_word receiving = 0, sending = 0;
        double start = now_s();
        mpi->abi.pmpi.Irecv(group->receive, count, type, other, TAG, group->comm, &receiving);
        double posted = now_s();
        mpi->abi.pmpi.Isend(group->send, count, type, other, TAG, group->comm, &sending);
        double sent = now_s();
        if (all) {
            memcpy(requests, &receiving, mpi->abi.handle_bytes);
            memcpy(requests + mpi->abi.handle_bytes, &sending, mpi->abi.handle_bytes);
            mpi->Waitall(2, requests, statuses);
        } else {
            mpi->abi.pmpi.Wait(&receiving, statuses);
            mpi->abi.pmpi.Wait(&sending, statuses);
        }
        sums[0] += (now_s() - sent) / (all ? 1 : 2);
        sums[1] += sent - posted;
        sums[2] += posted - start;
    }
    for (int i = 0; i < FM_BENCH_ROUTINES; i++)
        seconds[i] = sums[i] / calls;
}

static void run_wait(const struct fm_bench_group *group, const struct fm_bench *bench, size_t size, int calls,
                     double seconds[FM_BENCH_ROUTINES])
{
    (void)bench;
    exchange(group, size, calls, false, seconds);
}

static void run_waitall(const struct fm_bench_group *group, const struct fm_bench *bench, size_t size, int calls,
                        double seconds[FM_BENCH_ROUTINES])
{
    (void)bench;
    exchange(group, size, calls, true, seconds);
}

#define BENCH(one, ...)                                                    \
    {                                                                      \
        .routines = {__VA_ARGS__}, .bytes = same, .room = same, .run = one \
    }

const struct fm_bench fm_message_benches[] = {
    BENCH(run_send, "MPI_Send", "MPI_Recv"),
    BENCH(run_ssend, "MPI_Ssend"),
    BENCH(run_bsend, "MPI_Bsend"),
    BENCH(run_sendrecv, "MPI_Sendrecv"),
    {.routines = {"MPI_Wait", "MPI_Isend", "MPI_Irecv"}, .bytes = same, .room = same, .run = run_wait, .share = 0.5},
    BENCH(run_waitall, "MPI_Waitall"),
};
const size_t fm_message_bench_count = sizeof fm_message_benches / sizeof *fm_message_benches;
