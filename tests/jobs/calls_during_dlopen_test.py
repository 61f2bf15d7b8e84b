#!/usr/bin/env python3
"""A thread's first calls of MPI do not wait for a dlopen that waits for that thread, nor do those of a child made by _Fork
meanwhile; they are counted, the child's are not."""
import subprocess

import jobs

PROGRAMS = jobs.SOURCE / "tests/jobs/programs"
CALLS = {"MPI_Init_thread": 2, "MPI_Sendrecv": 2, "MPI_Allreduce": 2, "MPI_Irecv": 2, "MPI_Send": 2, "MPI_Wait": 2,
         "MPI_Iprobe": 2, "MPI_Finalize": 2}

jobs.LIMIT_S = 60  # for a second of work


def check(tap, mpi):
    plugin = jobs.SCRATCH / "plugin.so"
    source = jobs.SOURCE / "tests/runtime/programs/loader_lock_plugin.c"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(plugin), str(source)], check=True)
    program = mpi.compile("loader", (PROGRAMS / "loader.c").read_text(encoding="utf-8"), "-rdynamic", "-pthread")
    job = jobs.run(jobs.AROUND, mpi, 2, [program, plugin])
    if not tap.ok((job.status, job.stdout) == (0, b"0 wrong\n0 wrong\n"), f"{mpi.short}: it ends", job):
        return
    tap.equal(jobs.calls(job.report()), CALLS, f"{mpi.short}: and the calls are counted")


jobs.check_each(check)
