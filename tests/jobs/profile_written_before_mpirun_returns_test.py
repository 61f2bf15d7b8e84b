#!/usr/bin/python3
"""Whoever is told that a job has ended finds its profile: when `mpirun fathom run` returns, everything is written and
nothing is left behind, also when a rank was killed and the collecting takes a while.
"""
import fcntl
import os
import re
import subprocess
import time

from jobs import INSIDE, LIMIT_S, calls, check_each, command_line, ends, prepare

RANKS = 4
HOLD_S = 0.3  # the collector is kept from its work so long; Open MPI gives what it ends one second

PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, value = 1, sum;
    char name[20];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(name, sizeof name, "ready.%d", rank);
    FILE *file = fopen(name, "w");
    fprintf(file, "%d", (int)getpid());
    fclose(file);
    if (rank == 1) {
        while (access("go", F_OK) != 0)
            usleep(1000);
        raise(SIGKILL);
    }
    sleep(30);
    return 0;
}
"""


def is_dead(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def wait_until(condition):
    limit = time.monotonic() + LIMIT_S
    while not condition() and time.monotonic() < limit:
        time.sleep(0.005)


def check(tap, mpi):
    program = mpi.compile("told", PROGRAM)
    job, env = prepare(INSIDE)
    marks = [job.work / f"ready.{rank}" for rank in range(RANKS)]
    with open(job.work / "output.txt", "wb") as out:
        with subprocess.Popen(command_line(INSIDE, mpi, RANKS, [program]), cwd=job.work, env=env, stdout=out, stderr=out,
                              stdin=subprocess.DEVNULL) as process:
            wait_until(lambda: all(mark.exists() and mark.read_text() for mark in marks) or process.poll() is not None)
            pids = [int(mark.read_text()) for mark in marks]
            held = os.open(job.segments, os.O_RDONLY)
            fcntl.flock(held, fcntl.LOCK_EX)
            (job.work / "go").touch()
            wait_until(lambda: all(is_dead(pid) for pid in pids))
            time.sleep(HOLD_S)
            os.close(held)
            job.status = process.wait(LIMIT_S)
    found, left = job.profiles(), job.left()
    tap.equal((len(found), left), (1, []), f"{mpi.short}: one profile and nothing else when mpirun returns")
    if found:
        report = job.report()
        tap.equal(calls(report)["MPI_Allreduce"], 5 * RANKS, f"{mpi.short}: with all that was measured")
        tap.ok(any(re.search("signal 9", how) for _, how, _ in ends(report)), f"{mpi.short}: and how it ended",
               ends(report))


check_each(check)
