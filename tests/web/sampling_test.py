#!/usr/bin/env python3
"""A job that is not measured is sampled in a browser, on request."""
import subprocess
import sys

import web
from web import jobs

PROGRAM = r"""
#include <mpi.h>
#include <unistd.h>
static double __attribute__((noinline)) work(double x)
{
    for (long i = 0; i < 3000000; i++)
        x = x * 0.5 + 1;
    return x;
}
int main(int argc, char **argv)
{
    int rank, stop = 0;
    double value = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (!stop) { /* until the test has seen enough */
        value = work(value);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        stop = access(argv[1], F_OK) == 0;
        MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum < 0;
}
"""


def main():
    web.install()
    mpi = jobs.BOTH[0]
    program = mpi.compile("until", PROGRAM)
    stop = jobs.SCRATCH / "stop"
    folder = jobs.SCRATCH / "empty"
    folder.mkdir()
    job, env = jobs.prepare(jobs.BARE)
    with web.Server(folder, env=env) as server:
        with subprocess.Popen([*mpi.mpirun(2), program, str(stop)], cwd=job.work, env=env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as run:
            try:
                status = web.run_node("sampling.mjs", server.enter, run.pid, stop)
            finally:
                stop.touch()
            run.wait(timeout=100)
    sys.exit(status)


main()
