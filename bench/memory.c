/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process of one rank holds, and whether anything is allocated while it calls MPI. Prints
 *   during ANON_KB FILE_KB      resident memory before MPI_Finalize, without shared memory (where the segment is)
 *   after PEAK_KB SHARED_KB     peak since the start, seen after MPI_Finalize; shared memory before it
 *   allocations N               by a loop of MPI calls, or -1 where allocations.so is not loaded */
#include <mpi.h>
#include <stdio.h>

#include "status.h"

long bench_allocations(void) __attribute__((weak));

enum { ROUNDS = 1000, SIZES = 100 };

static void call(int rounds)
{
    static double to[SIZES], from[SIZES];
    int rank;
    MPI_Request both[2];
    for (int i = 0; i < rounds; i++) {
        int n = 1 + i % SIZES;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Sendrecv(to, n, MPI_DOUBLE, 0, 1, from, SIZES, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(from, SIZES, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(to, n, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        MPI_Allreduce(to, from, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    call(ROUNDS);
    long before = bench_allocations ? bench_allocations() : 0;
    call(ROUNDS);
    long allocated = bench_allocations ? bench_allocations() - before : -1;
    long anon = status_kb("RssAnon"), file = status_kb("RssFile"), shared = status_kb("RssShmem");
    MPI_Finalize();
    printf("during %ld %ld\nafter %ld %ld\nallocations %ld\n", anon, file, status_kb("VmHWM"), shared, allocated);
    return 0;
}
