#!/usr/bin/python3
"""Jobs on several hosts: the leaders merge over MPI into one profile."""
import subprocess

import hosts
import jobs

PROGRAM = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, size, sum, i;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 0; i < 10 + rank; i++)
        MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (i = 0; i < 5; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""
SLOTS = {"nodea": 2, "nodeb": 2, "nodec": 1}
RANKS = sum(SLOTS.values())


def start(fleet, mpi, words, around):
    """Around: fathom run -- mpirun; else a bare preload, handed to all hosts by the launcher."""
    job, env = jobs.prepare(jobs.AROUND if around else jobs.PRELOAD, {"FATHOM_DIR": None})
    env.pop("FATHOM_DIR", None)
    launcher = fleet.mpirun(mpi, SLOTS)
    if mpi.name == "openmpi" and not around:
        launcher += ["-x", "LD_PRELOAD"]
    command = ([jobs.FATHOM, "run", "--"] if around else []) + launcher + words
    done = subprocess.run(command, cwd=job.work, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=jobs.LIMIT_S, check=False)
    job.status, job.stdout, job.stderr = done.returncode, done.stdout, done.stderr
    return job


def left_on(fleet):
    return [name for name in SLOTS if fleet.on(name, "find", "/dev/shm", "-name", "'*.segment'").stdout.strip()]


def check_whole(tap, fleet, mpi, program, around):
    how = f"{mpi.short}, {'fathom run -- mpirun' if around else 'bare preload'}"
    job = start(fleet, mpi, [program], around)
    tap.equal(job.status, 0, f"{how}: the job on three hosts ends well")
    try:
        report = job.report()
    except LookupError as error:
        tap.ok(False, f"{how}: one profile", error, job)
        return
    tap.equal(report["job"]["complete"], True, f"{how}: the profile is complete")
    tap.equal([(h["name"], h["ranks"]) for h in report["job"]["hosts_list"]],
              [("nodea", "0-1"), ("nodeb", "2-3"), ("nodec", "4")], f"{how}: each host has its ranks")
    calls = jobs.calls(report)
    tap.equal((calls["MPI_Comm_size"], calls["MPI_Allreduce"], calls["MPI_Finalize"]),
              (11 * RANKS + sum(range(RANKS)), 5 * RANKS, RANKS), f"{how}: every rank's calls are in it")
    tap.equal(left_on(fleet), [], f"{how}: no host has segments left")


def main():
    why_not = hosts.possible()
    if why_not:
        print(f"1..0 # skip {why_not}")
        return
    tap = jobs.Tap()
    with hosts.Hosts(*SLOTS) as fleet:
        for mpi in jobs.MPIS:
            program = mpi.compile("hosts", PROGRAM)
            for around in (False, True):
                check_whole(tap, fleet, mpi, program, around)
    tap.done()


main()
