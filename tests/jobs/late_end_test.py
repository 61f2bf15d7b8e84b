#!/usr/bin/env python3
"""A rank that works on when the others are already in MPI_Finalize, such as one that writes the results: they wait for it
where nothing is measured, so MPI times are equal, but the job is not called balanced."""
import subprocess

import jobs

SOURCE = r"""
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        usleep((useconds_t)(atof(argv[1]) * 1e6));
    MPI_Finalize();
    return 0;
}
"""


def report(job, *options):
    return subprocess.run([jobs.FATHOM, "report", job.profiles()[0], *options], capture_output=True, text=True,
                          check=True).stdout


def check(tap, mpi):
    program = mpi.compile("late_end", SOURCE)
    job = jobs.run(jobs.AROUND, mpi, 3, [program, "3"])
    if tap.ok(job.status == 0, f"{mpi.name}: the job runs", job):
        for options in ((), ("--terse",), ("--view", "balance")):
            text = report(job, *options)
            tap.ok("Rank 1 reaches MPI_Finalize" in text and "; balanced" not in text,
                   f"{mpi.name}: told {options or 'in the summary'}", text)
    job = jobs.run(jobs.AROUND, mpi, 3, [program, "0"])
    if tap.ok(job.status == 0, f"{mpi.name}: the job runs without it", job):
        tap.ok("reaches MPI_Finalize" not in report(job), f"{mpi.name}: nothing to tell", report(job))


jobs.check_each(check)
