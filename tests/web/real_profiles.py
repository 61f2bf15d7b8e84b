"""Profiles of real programs for tests of pages: the ocean model with everything on, LAMMPS, hpcc, a killed job with
and without samples, a program without MPI, and profiles of the first version of Fathom, one of them of several hosts."""
import pathlib
import shutil

from web import jobs

import debian
import ocean_model

KILLED = r"""
#include <mpi.h>
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, value = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++)
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 1)
        kill(getpid(), SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

PLAIN = r"""
#include <stdio.h>
volatile double x;
static void work(long n) { for (long i = 0; i < n; i++) x += 1.0 / (double)(i + 1); }
int main(void)
{
    work(200000000);
    printf("%g\n", x);
    return 0;
}
"""


def measure(name, mpi, ranks, command, files=(), env=None):
    job = jobs.run(jobs.AROUND, mpi, ranks, command, files=files, env={"FATHOM_SAMPLE": "500", **(env or {})})
    found = job.profiles()
    if len(found) != 1:
        raise LookupError(f"{name}: {job}")
    return pathlib.Path(found[0])


def ocean():
    """The ocean model with everything on."""
    openmpi = jobs.BOTH[0]
    return measure("miniocean", openmpi, 4, [ocean_model.build(openmpi, timed=True), "--steps", "10"],
                   env={"FATHOM_COUNTERS": "task-clock,page-faults"})


def make():
    """Paths by what they are of."""
    mpich = jobs.BOTH[1]
    lammps, hpcc = debian.lammps(), debian.hpcc()
    made = {
        "miniocean": ocean(),
        "LAMMPS": measure("LAMMPS", lammps.mpi, 2, lammps.command),
        "hpcc": measure("hpcc", hpcc.mpi, 4, hpcc.command, hpcc.files),
        "killed job": measure("killed job", mpich, 2, [mpich.compile("killed", KILLED)]),
        "killed job without samples": measure("killed job", mpich, 2, [mpich.compile("killed", KILLED)],
                                              env={"FATHOM_SAMPLE": "off"}),
        "without MPI": measure("without MPI", None, 1, [jobs.compile_plain("plain", PLAIN)]),
    }
    for name in ("hosts-openmpi", "killed-mpich"):
        made[f"old profile {name}"] = pathlib.Path(
            shutil.copy(jobs.SOURCE / "tests/format/old/0.1.0" / f"{name}.fathom", jobs.SCRATCH))
    return made
