#!/usr/bin/python3
"""Jobs on several hosts of which Fathom measures some ranks only, and one that leaves work to MPI_Finalize: they end
as they do without Fathom."""
import pathlib
import subprocess

import hosts
import jobs

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf("sum %d\n", sum);
    return 0;
}
"""

# Rank 0 leaves a large message to MPI_Finalize, and rank 1 beside it ends only when rank 2 has it.
BUFFERED = r"""
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
enum { BYTES = 8 << 20 };
int main(int argc, char **argv)
{
    int rank, done = 1;
    char *message = calloc(BYTES, 1), *room = calloc(BYTES + MPI_BSEND_OVERHEAD, 1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Buffer_attach(room, BYTES + MPI_BSEND_OVERHEAD);
        MPI_Bsend(message, BYTES, MPI_CHAR, 2, 1, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&done, 1, MPI_INT, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        sleep(1);
        MPI_Recv(message, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&done, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""

tap = jobs.Tap()


def forget_environment(fleet):
    """As ssh does: the other host gets none of the variables of this one."""
    agent = pathlib.Path(fleet.agent)
    kept = "PATH=$PATH PWD=$PWD OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
    agent.write_text(agent.read_text(encoding="utf-8").replace("exec nsenter", f"exec env -i {kept} nsenter"),
                     encoding="utf-8")


def start(way, words):
    job, env = jobs.prepare(way, {"FATHOM_DIR": None})
    try:
        done = subprocess.run(words, cwd=job.work, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=40,
                              check=False)
        job.status, job.stdout, job.stderr = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        job.status = "no end"
    return job


def check_partly(mpi, fleet):
    """This host and another one, to which Open MPI passes nothing on."""
    program = mpi.compile("partly", PROGRAM)
    launcher = fleet.mpirun(mpi, {"localhost": 2, "nodea": 2})
    script = jobs.SCRATCH / "job.sh"
    script.write_text("#!/bin/sh\nexec " + " ".join([*launcher, program]) + "\n", encoding="utf-8")
    script.chmod(0o755)
    some = 'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then exec "$0" run --quiet "$1"; else exec "$1"; fi'
    for what, way, words in (
            ("a bare preload", jobs.PRELOAD, [*launcher, program]),
            ("a script under fathom run", jobs.BARE, [jobs.FATHOM, "run", "--quiet", script]),
            ("one program of two", jobs.BARE, [*launcher[:-1], "2", jobs.FATHOM, "run", "--quiet", program, ":", "-n", "2",
                                               program]),
            ("one rank of four", jobs.BARE, [*launcher, "sh", "-c", some, jobs.FATHOM, program])):
        job = start(way, words)
        tap.equal((job.status, job.stdout), (0, b"sum 6\n"), f"{mpi.short}, {what} is measured: the job ends")
        if what == "a bare preload":
            report = job.report()
            tap.equal((report["job"]["complete"], report["job"]["ranks"], report["job"]["ranks_measured"]),
                      (False, 4, 2), f"{mpi.short}, {what}: the profile says what it lacks")


def check_buffered(mpi, fleet):
    launcher = fleet.mpirun(mpi, {"nodea": 2, "nodeb": 1})
    job = start(jobs.BARE, [jobs.FATHOM, "run", "--quiet", "--", *launcher, mpi.compile("buffered", BUFFERED)])
    tap.equal(job.status, 0, f"{mpi.short}: a message that is left to MPI_Finalize arrives")
    tap.ok(len(job.profiles()) == 1 and job.report()["job"]["complete"], f"{mpi.short}: and the profile is complete", job)


def main():
    why_not = hosts.possible()
    if why_not:
        print(f"1..0 # skip {why_not}")
        return
    with hosts.Hosts("nodea", "nodeb") as fleet:
        for mpi in jobs.MPIS:
            check_buffered(mpi, fleet)
        forget_environment(fleet)
        for mpi in jobs.MPIS:
            if mpi.name == "openmpi":  # MPICH's launcher passes every variable on
                check_partly(mpi, fleet)
    tap.done()


main()
