#!/usr/bin/env python3
"""A job that is not measured is sampled in a browser, on request."""
import subprocess
import sys

import web
from web import jobs


def main():
    web.install()
    mpi = jobs.BOTH[0]
    program = mpi.compile("until_told", jobs.text("until_told.c"))
    folder = jobs.SCRATCH / "empty"
    folder.mkdir()
    job, env = jobs.prepare(jobs.BARE)
    stop = job.work / "enough"
    with web.Server(folder, env=env) as server:
        with subprocess.Popen([*mpi.mpirun(2), program], cwd=job.work, env=env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as run:
            try:
                status = web.run_node("sampling.mjs", server.enter, run.pid, stop)
            finally:
                stop.touch()
            run.wait(timeout=100)
    sys.exit(status)


main()
