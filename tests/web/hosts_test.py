#!/usr/bin/env python3
"""Every view of jobs that ran on three hosts, the ocean model with everything on, with each MPI, in one file and from the
server: what it shows is what `--format json` has."""
import json
import pathlib
import shutil
import subprocess
import sys

import web
from web import jobs

import hosts
import ocean_model

SLOTS = {"nodea": 2, "nodeb": 3, "nodec": 1}
EXPECTED = [("nodea", "0-1"), ("nodeb", "2-4"), ("nodec", "5")]
SETTINGS = {"FATHOM_DIR": None, "FATHOM_EVERYWHERE": "1", "FATHOM_SAMPLE": "500",
            "FATHOM_COUNTERS": "task-clock,page-faults"}


def measure(fleet, mpi, folder):
    """The profile of the model on all hosts."""
    job, env = jobs.prepare(jobs.BARE, SETTINGS)
    command = [jobs.FATHOM, "run", "--quiet", "--", *fleet.mpirun(mpi, SLOTS), ocean_model.build(mpi, timed=True), "--steps", "10"]
    done = subprocess.run(list(map(str, command)), cwd=job.work, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=jobs.LIMIT_S,
                          check=False)
    job.status, job.stdout, job.stderr = done.returncode, done.stdout, done.stderr
    seen = job.report()["job"]
    found = [(host["name"], host["ranks"]) for host in seen["hosts_list"]]
    if found != EXPECTED or not seen["complete"]:
        raise LookupError(f"{mpi.short}: hosts {found}\n{job}")
    return pathlib.Path(shutil.copy(job.profiles()[0], folder / f"{mpi.name}.fathom"))


def main():
    hosts.require()
    web.install()
    folder = jobs.SCRATCH / "hosts"
    folder.mkdir()
    with hosts.Hosts(*SLOTS) as fleet:
        made = {f"three hosts, {mpi.short}": measure(fleet, mpi, folder) for mpi in jobs.MPIS}
    with web.Server(folder) as server:
        ids = server.ids()
        plan = []
        for name, profile in made.items():
            document = str(web.document(profile))
            plan += [{"name": name, "address": web.page(profile), "json": document},
                     {"name": f"served {name}", "address": f"{server.at}#/profile/{ids[profile.name]}", "enter": server.enter,
                      "json": document}]
        path = jobs.SCRATCH / "plan.json"
        path.write_text(json.dumps(plan), encoding="utf8")
        sys.exit(web.run_node("check_views.mjs", path))


main()
