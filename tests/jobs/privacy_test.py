#!/usr/bin/env python3
"""What is recorded of a job is for its user alone, and has no secrets of its command line in it: neither the profile nor
the segments, which live on when a process is killed."""
import os

import jobs
from jobs import MPIS, PRELOAD, WAYS, Tap, run

WORK = """
#include <mpi.h>
#include <signal.h>
#include <string.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[argc - 1], "die") == 0)
        raise(SIGKILL);
    MPI_Finalize();
}
"""
ARGUMENTS = ["-n", "64", "--password=hunter2", "--api-token", "hunter2", "-phunter2", "DB_KEY=hunter2",
             "https://me:hunter2@host/x", "input.nml"]
KEPT = ["-n", "64", "--password=***", "--api-token", "***", "-p***", "DB_KEY=***", "https://me:***@host/x", "input.nml"]
VARIABLES = {"MPICH_SECRET": "hunter2", "UCX_PROXY": "http://me:hunter2@host", "OMP_NUM_THREADS": "3"}


def check_arguments(tap, mpi):
    program = mpi.compile("work", WORK)
    for way in WAYS:
        job = run(way, mpi, 2, [program, *ARGUMENTS], env=VARIABLES)
        report = job.report()["job"]
        tap.equal(report["command"][1:], KEPT, f"{mpi.short}, {way}: secrets are not in the command")
        found = {name: report["environment"].get(name) for name in VARIABLES}
        tap.equal(found, {"MPICH_SECRET": "***", "UCX_PROXY": "http://me:***@host", "OMP_NUM_THREADS": "3"},
                  f"{mpi.short}, {way}: nor in the environment")
        job = run(way, mpi, 2, [program, *ARGUMENTS], env={"FATHOM_ARGUMENTS": "off"})
        tap.equal(job.report()["job"]["command"], [program], f"{mpi.short}, {way}: FATHOM_ARGUMENTS=off")


def check_segments(tap, mpi):
    program = mpi.compile("work", WORK)
    job = run(PRELOAD, mpi, 2, [program, *ARGUMENTS, "die"], env=VARIABLES)
    segments = list(job.segments.glob("*.segment"))
    tap.ok(segments and all(b"input.nml" in path.read_bytes() for path in segments), f"{mpi.short}: segments are left", job)
    tap.ok(not any(b"hunter2" in path.read_bytes() for path in segments), f"{mpi.short}: they have no secrets in them")


def check_modes(tap, mpi):
    program = mpi.compile("work", WORK)
    mask = os.umask(0)
    cases = [(way, None, 0o600) for way in WAYS] + [(way, "0640", 0o640) for way in WAYS]
    if mpi == MPIS[0]:
        cases += [(PRELOAD, "644", 0o644), (PRELOAD, "0777", 0o666), (PRELOAD, "0", 0o600), (PRELOAD, "rw-r--r--", 0o600)]
    for way, wish, mode in cases:
        job = run(way, mpi, 2, [program], env={"FATHOM_MODE": wish})
        found = [oct(os.stat(path).st_mode & 0o7777) for path in job.profiles()]
        tap.equal(found, [oct(mode)], f"{mpi.short}, {way}: FATHOM_MODE {wish}")
    os.umask(0o777)
    job = run(PRELOAD, mpi, 2, [program], env={"FATHOM_MODE": "0640"}) if mpi.name == "mpich" else None
    os.umask(mask)
    if job:
        tap.equal([oct(os.stat(path).st_mode & 0o7777) for path in job.profiles()], ["0o640"], "whatever the umask is")


def check_collected(tap, mpi):
    program = mpi.compile("work", WORK)
    job = run(PRELOAD, mpi, 2, [program, "die"])
    job.collect()
    tap.equal([oct(os.stat(path).st_mode & 0o7777) for path in job.profiles()], ["0o600"], f"{mpi.short}: what is collected")


jobs.check_each(check_arguments, check_segments, check_modes, check_collected)
