#!/usr/bin/env python3
"""A job that runs is watched in a browser from its start to its report."""
import subprocess
import sys

import web
from web import jobs

import ocean_model


def main():
    web.install()
    mpi = jobs.BOTH[1]
    program = ocean_model.build(mpi)
    folder = jobs.SCRATCH / "live"
    folder.mkdir()
    job, env = jobs.prepare(jobs.AROUND, {"FATHOM_SAMPLE": "500"})
    with web.Server(folder, env=env) as server:
        command = [jobs.FATHOM, "run", "--quiet", "-o", str(folder / "live.fathom"), "--", *mpi.mpirun(2), str(program),
                   "--steps", "400"]
        with subprocess.Popen(command, cwd=job.work, env=env, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as run:
            status = web.run_node("live.mjs", server.enter)
            run.wait(timeout=200)
    sys.exit(status)


main()
