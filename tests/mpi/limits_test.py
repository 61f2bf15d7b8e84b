#!/usr/bin/python3
"""A program that may not write files larger than 100 bytes: no SIGXFSZ for what Fathom writes, and nothing is lost."""
import jobs

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
int main(int argc, char **argv)
{
    struct rlimit limit = {100, 100};
    MPI_Init(&argc, &argv);
    setrlimit(RLIMIT_FSIZE, &limit); /* after MPI_Init, because MPI itself needs larger ones */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return puts("fine") < 0;
}
"""


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = mpi.compile("limits", PROGRAM)
        job = jobs.run(jobs.PRELOAD, mpi, 2, [program])
        tap.equal((job.status, sorted(job.stdout)), (0, sorted(b"fine\nfine\n")), f"{mpi.short}: the program ends well")
        tap.equal(job.profiles(), [], f"{mpi.short}: the profile is not written where it may not be")
        job.collect()
        tap.equal(jobs.calls(job.report())["MPI_Barrier"], 2, f"{mpi.short}: fathom collect writes it afterwards")
    tap.done()


main()
