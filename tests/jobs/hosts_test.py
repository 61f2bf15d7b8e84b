#!/usr/bin/python3
"""Jobs on several hosts have one profile: the leaders merge over MPI, or each host adds its part to the file."""
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


# The last one: the library is known to be on every host, and the leaders merge over MPI.
PRELOADED, AROUND, CERTAIN = "bare preload", "fathom run -- mpirun", "fathom run -- mpirun, FATHOM_EVERYWHERE=1"


def start(fleet, mpi, words, way, apart=()):
    """apart: hosts on which the job's directory is another one."""
    more = {"FATHOM_DIR": None, "FATHOM_EVERYWHERE": "1" if way == CERTAIN else None}
    job, env = jobs.prepare(jobs.PRELOAD if way == PRELOADED else jobs.BARE, more)
    for name in apart:
        fleet.hide(name, job.work)
    launcher = fleet.mpirun(mpi, SLOTS)
    if mpi.name == "openmpi" and way == PRELOADED:
        launcher += ["-x", "LD_PRELOAD"]
    command = ([jobs.FATHOM, "run", "--"] if way != PRELOADED else []) + launcher + words
    done = subprocess.run(command, cwd=job.work, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=jobs.LIMIT_S, check=False)
    job.status, job.stdout, job.stderr = done.returncode, done.stdout, done.stderr
    return job


def left_on(fleet):
    return [name for name in SLOTS if fleet.on(name, "find", "/dev/shm", "-name", "'*.segment'").stdout.strip()]


def check_whole(tap, fleet, mpi, program, way, apart=()):
    how = f"{mpi.short}, {way}{', no directory in common' if apart else ''}"
    job = start(fleet, mpi, [program], way, apart)
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
    tap.equal(jobs.notes(report), [], f"{how}: nothing is to be noted")
    tap.equal(left_on(fleet), [], f"{how}: no host has segments left")


def check_apart(tap, fleet, mpi, program):
    """Nothing is in common: each host has a profile, which says what it lacks and where to look."""
    how = f"{mpi.short}, no directory in common"
    job = start(fleet, mpi, [program], AROUND, ("nodeb", "nodec"))
    tap.equal(job.status, 0, f"{how}: the job ends well")
    report = job.report()
    tap.equal((report["job"]["complete"], report["job"]["ranks"], jobs.ends(report)),
              (False, RANKS, [("2-4", "left no data", None)]), f"{how}: the profile says which ranks it lacks")
    tap.ok(any("profile of their own" in note for note in jobs.notes(report)), f"{how}: and why that may be",
           jobs.notes(report))
    found = [fleet.on(name, "ls", str(job.work), cwd="/").stdout.count(".fathom") for name in ("nodeb", "nodec")]
    tap.equal(found, [1, 1], f"{how}: the other hosts have theirs")


# What srun tells its tasks; the ranks are Hydra's.
SRUN = r"""#!/bin/sh
export SLURM_JOB_ID=77 SLURM_STEP_ID=0 SLURM_PROCID=$PMI_RANK SLURM_STEP_NUM_TASKS=5 SLURM_STEP_NUM_NODES=3
export SLURM_STEP_TASKS_PER_NODE="2(x2),1" SLURM_NODEID=$((PMI_RANK / 2))
unset MPI_LOCALNRANKS
exec "$@"
"""


def check_slurm(tap, fleet, mpi, program):
    script = jobs.SCRATCH / "task"
    script.write_text(SRUN, encoding="utf-8")
    script.chmod(0o755)
    job = start(fleet, mpi, [str(script), program], PRELOADED)
    tap.equal(job.status, 0, "tasks of srun with a bare preload: the job ends well")
    try:
        report = job.report()["job"]
    except LookupError as error:
        tap.ok(False, "tasks of srun: one profile", error, job)
        return
    tap.equal((report["id"], report["complete"], left_on(fleet)), ("77", True, []),
              "tasks of srun: one profile of all hosts, and nothing is left")


def main():
    hosts.require()
    tap = jobs.Tap()
    with hosts.Hosts(*SLOTS) as fleet:
        for mpi in jobs.MPIS:
            program = mpi.compile("hosts", PROGRAM)
            for way in (PRELOADED, AROUND, CERTAIN):
                check_whole(tap, fleet, mpi, program, way)
            check_whole(tap, fleet, mpi, program, CERTAIN, ("nodeb", "nodec"))
            check_apart(tap, fleet, mpi, program)
            if mpi.name == "mpich":
                check_slurm(tap, fleet, mpi, program)
    tap.done()


main()
