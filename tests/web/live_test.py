#!/usr/bin/env python3
"""A job that runs is watched in a browser from its start to its report."""
import subprocess
import sys

import web
from web import jobs


def main():
    web.install()
    mpi = jobs.BOTH[1]
    program = mpi.compile("until_told", jobs.text("until_told.c"))
    folder = jobs.SCRATCH / "live"
    folder.mkdir()
    job, env = jobs.prepare(jobs.AROUND, {"FATHOM_SAMPLE": "500"})
    stop = job.work / "enough"
    with web.Server(folder, env=env) as server:
        command = [jobs.FATHOM, "run", "--quiet", "-o", str(folder / "live.fathom"), "--", *mpi.mpirun(2), program]
        with subprocess.Popen(command, cwd=job.work, env=env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as run:
            try:
                status = web.run_node("live.mjs", server.enter, stop)
            finally:
                stop.touch()
            run.wait(timeout=100)
    sys.exit(status)


main()
