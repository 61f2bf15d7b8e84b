/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives: calls in a row. The root goes around, so that no rank runs ahead of the others for longer than a call. */
#include "base/clock.h"
#include "site/measure/bench.h"

static void run(const struct fm_bench_group *group, const struct fm_bench *bench, size_t size, int calls,
                double seconds[FM_BENCH_ROUTINES])
{
    uint64_t start = fm_clock_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < calls; i++)
        bench->call(group, size, i % group->ranks);
    seconds[0] = 1e-9 * (double)(fm_clock_ns(CLOCK_MONOTONIC) - start) / calls;
}

/* ---- sizes ---- */

static size_t nothing(size_t size, int ranks)
{
    (void)size;
    (void)ranks;
    return 0;
}

static size_t same(size_t size, int ranks)
{
    (void)ranks;
    return size;
}

static size_t of_all(size_t size, int ranks)
{
    return size * (size_t)ranks;
}

/* What one rank gets if the size is for all of them: doubles, at least one. */
static size_t part(size_t size, int ranks)
{
    size_t doubles = size / sizeof(double) / (size_t)ranks;
    return doubles ? doubles : 1;
}

static size_t of_parts(size_t size, int ranks)
{
    return part(size, ranks) * sizeof(double) * (size_t)ranks;
}

static void set_counts(const struct fm_bench_group *group, size_t count)
{
    for (int i = 0; i < group->ranks; i++) {
        group->counts[i] = (int)count;
        group->places[i] = i * (int)count;
    }
}

/* ---- calls ---- */

#define BYTE (group->mpi->abi.type_byte)
#define DOUBLE (group->mpi->abi.type_double)
#define SUM (group->mpi->abi.op_sum)

static void barrier(const struct fm_bench_group *group, size_t size, int root)
{
    (void)size;
    (void)root;
    group->mpi->Barrier(group->comm);
}

static void bcast(const struct fm_bench_group *group, size_t size, int root)
{
    group->mpi->abi.pmpi.Bcast(group->send, (int)size, BYTE, root, group->comm);
}

static void reduce(const struct fm_bench_group *group, size_t size, int root)
{
    group->mpi->Reduce(group->send, group->receive, (int)(size / sizeof(double)), DOUBLE, SUM, root, group->comm);
}

static void allreduce(const struct fm_bench_group *group, size_t size, int root)
{
    (void)root;
    group->mpi->Allreduce(group->send, group->receive, (int)(size / sizeof(double)), DOUBLE, SUM, group->comm);
}

static void scan(const struct fm_bench_group *group, size_t size, int root)
{
    (void)root;
    group->mpi->Scan(group->send, group->receive, (int)(size / sizeof(double)), DOUBLE, SUM, group->comm);
}

static void gather(const struct fm_bench_group *group, size_t size, int root)
{
    group->mpi->Gather(group->send, (int)size, BYTE, group->receive, (int)size, BYTE, root, group->comm);
}

static void gatherv(const struct fm_bench_group *group, size_t size, int root)
{
    set_counts(group, size);
    group->mpi->Gatherv(group->send, (int)size, BYTE, group->receive, group->counts, group->places, BYTE, root,
                        group->comm);
}

static void scatter(const struct fm_bench_group *group, size_t size, int root)
{
    group->mpi->Scatter(group->send, (int)size, BYTE, group->receive, (int)size, BYTE, root, group->comm);
}

static void scatterv(const struct fm_bench_group *group, size_t size, int root)
{
    set_counts(group, size);
    group->mpi->Scatterv(group->send, group->counts, group->places, BYTE, group->receive, (int)size, BYTE, root,
                         group->comm);
}

static void allgather(const struct fm_bench_group *group, size_t size, int root)
{
    (void)root;
    group->mpi->Allgather(group->send, (int)size, BYTE, group->receive, (int)size, BYTE, group->comm);
}

static void allgatherv(const struct fm_bench_group *group, size_t size, int root)
{
    (void)root;
    set_counts(group, size);
    group->mpi->Allgatherv(group->send, (int)size, BYTE, group->receive, group->counts, group->places, BYTE,
                           group->comm);
}

static void alltoall(const struct fm_bench_group *group, size_t size, int root)
{
    int count = (int)part(size, group->ranks);
    (void)root;
    group->mpi->Alltoall(group->send, count, DOUBLE, group->receive, count, DOUBLE, group->comm);
}

static void alltoallv(const struct fm_bench_group *group, size_t size, int root)
{
    (void)root;
    set_counts(group, part(size, group->ranks));
    group->mpi->Alltoallv(group->send, group->counts, group->places, DOUBLE, group->receive, group->counts,
                          group->places, DOUBLE, group->comm);
}

static void reduce_scatter(const struct fm_bench_group *group, size_t size, int root)
{
    (void)root;
    set_counts(group, part(size, group->ranks));
    group->mpi->Reduce_scatter(group->send, group->receive, group->counts, DOUBLE, SUM, group->comm);
}

static void reduce_scatter_block(const struct fm_bench_group *group, size_t size, int root)
{
    (void)root;
    group->mpi->Reduce_scatter_block(group->send, group->receive, (int)part(size, group->ranks), DOUBLE, SUM,
                                     group->comm);
}

#define BENCH(routine, of_a_call, of_a_buffer, one)                                             \
    {                                                                                           \
        .routines = {routine}, .bytes = of_a_call, .room = of_a_buffer, .run = run, .call = one \
    }

const struct fm_bench fm_collective_benches[] = {
    {.routines = {"MPI_Barrier"}, .bytes = nothing, .room = nothing, .run = run, .call = barrier, .once = true},
    BENCH("MPI_Bcast", same, same, bcast),
    BENCH("MPI_Reduce", same, same, reduce),
    BENCH("MPI_Allreduce", same, same, allreduce),
    BENCH("MPI_Scan", same, same, scan),
    BENCH("MPI_Gather", same, of_all, gather),
    BENCH("MPI_Gatherv", same, of_all, gatherv),
    BENCH("MPI_Scatter", same, of_all, scatter),
    BENCH("MPI_Scatterv", same, of_all, scatterv),
    BENCH("MPI_Allgather", same, of_all, allgather),
    BENCH("MPI_Allgatherv", same, of_all, allgatherv),
    BENCH("MPI_Alltoall", of_parts, of_parts, alltoall),
    BENCH("MPI_Alltoallv", of_parts, of_parts, alltoallv),
    BENCH("MPI_Reduce_scatter", of_parts, of_parts, reduce_scatter),
    BENCH("MPI_Reduce_scatter_block", of_parts, of_parts, reduce_scatter_block),
};
const size_t fm_collective_bench_count = sizeof fm_collective_benches / sizeof *fm_collective_benches;
