#!/usr/bin/env python3
"""What the kernel knows of a process is in its profile: page faults and context switches as the program itself sees them."""
import jobs

PROGRAM = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
enum { BYTES = 64 << 20 };
int main(int argc, char **argv)
{
    int rank;
    struct rusage before, after;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    getrusage(RUSAGE_SELF, &before);
    if (rank == 1) {
        volatile char *map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        madvise((void *)map, BYTES, MADV_NOHUGEPAGE);
        for (long i = 0; i < BYTES; i += 4096)
            map[i] = 1;
        for (int i = 0; i < 500; i++)
            nanosleep(&(struct timespec){0, 1000}, NULL);
    }
    getrusage(RUSAGE_SELF, &after);
    printf("%d %ld %ld\n", rank, after.ru_minflt - before.ru_minflt, after.ru_nvcsw - before.ru_nvcsw);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
"""


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        job = jobs.run(jobs.AROUND, mpi, 2, [mpi.compile("usage", PROGRAM)])
        own = {int(rank): (int(faults), int(switches)) for rank, faults, switches in
               (line.split() for line in job.stdout.decode().splitlines())}
        figures = {p["rank"]: (p["minor_faults"], p["voluntary_switches"]) for p in job.report()["processes"]}
        tap.ok(set(own) == set(figures) == {0, 1} and all(f >= o for rank, both in own.items()
                                                         for f, o in zip(figures[rank], both)),
               f"{mpi.short}: all that the program counted are in it", own, figures)
        # Not the switches: on a busy machine rank 0 has as many while it waits in MPI_Finalize.
        extra = figures[1][0] - figures[0][0] if len(figures) == 2 else 0
        tap.ok(extra > own[1][0] / 2, f"{mpi.short}: the page faults are those of the rank that had them", own, figures)
    tap.done()


main()
