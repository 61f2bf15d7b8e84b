#!/usr/bin/python3
"""Ranks on several hosts of which some filter their system calls (seccomp): nobody waits for them in vain, and `fathom
collect` finds what could not be merged over MPI."""
import subprocess

import hosts
import jobs

SLOTS = {"nodea": 2, "nodeb": 2}
PROGRAM = jobs.SOURCE / "tests/jobs/programs/filtered.c"


def main():
    hosts.require()
    tap = jobs.Tap()
    with hosts.Hosts(*SLOTS) as fleet:
        for mpi in jobs.MPIS:
            program = mpi.compile("filtered", PROGRAM.read_text(encoding="utf-8"), "-DWITH_MPI", "-pthread")
            for rank in ("0", "2", "3"):
                job, env = jobs.prepare(jobs.BARE, {"FATHOM_DIR": None, "FATHOM_EVERYWHERE": "1"})
                command = [jobs.FATHOM, "run", "--quiet", "--", *fleet.mpirun(mpi, SLOTS), program, "prctl", rank]
                done = subprocess.run(command, cwd=job.work, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                                      timeout=jobs.LIMIT_S, check=False)
                tap.equal(done.returncode, 0, f"{mpi.short}: a job whose rank {rank} has a filter ends well")
                for name in SLOTS:  # what a host keeps
                    fleet.on(name, jobs.FATHOM, "collect", cwd=job.work)
                calls = sum(jobs.calls(job.report(path)).get("MPI_Barrier", 0) for path in job.profiles())
                tap.equal(calls, 40, f"{mpi.short}, rank {rank}: every call is in a profile")
    tap.done()


main()
