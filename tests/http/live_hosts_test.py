#!/usr/bin/env python3
"""A job on two hosts, watched by a server on each: ranks of the other one are said not to be visible, and are shown on
request; and a job whose key changes in MPI_Init goes on."""
import re
import subprocess
import time

import live_test
import sampling_test
import serving
from serving import jobs

import hosts
import machines

RANKS = 2
SLOTS = {"nodea": 1, "nodeb": 1}
# Rank 0 waits for a file "go" before MPI_Init. The other one waits for it in MPI_Init, and has until then the key of another job.
LATE = jobs.text("until_told.c").replace("    MPI_Init(", """
    if (getenv("OMPI_COMM_WORLD_RANK")[0] == '1')
        setenv("OMPI_MCA_orte_precondition_transports", "1-2", 1);
    else
        while (access("go", F_OK) != 0)
            usleep(10000);
    MPI_Init(""")


class Server(serving.Server):
    """On one of the hosts."""

    def __init__(self, fleet, where, folder, env):
        self.process = fleet.start(where, [jobs.FATHOM, "serve", str(folder)], env=env, cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.path = None
        self.line = self.process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})\n", self.line)
        self.port, self.token = (int(match[1]), match[2]) if match else (None, "")


def wait_for_jobs(server, process, ready):
    while process.poll() is None:
        found = server.document("/api/jobs")["jobs"]
        if found and ready(found[0]):
            return found
        time.sleep(0.1)
    raise LookupError(process.communicate())


def end_of(stream):
    while "ended" not in (event := stream.next()):
        pass
    stream.close()
    return event["profile"]


def check(tap, fleet, mpi):
    program = mpi.compile("late", LATE)
    job, env = jobs.prepare(jobs.BARE, {"FATHOM_DIR": None, "FATHOM_EVERYWHERE": "1"})
    process = fleet.start("nodea", [jobs.FATHOM, "run", "--quiet", "-o", str(job.work / "late.fathom"), "--",
                                    *fleet.mpirun(mpi, SLOTS), program],
                          cwd=job.work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with Server(fleet, "nodea", job.work, env) as first, Server(fleet, "nodeb", job.work, env) as second:
        key = wait_for_jobs(second, process, lambda row: True)[0]["key"]
        other = live_test.Stream(second, key)
        tap.ok(other.next()["version"], "nodeb: watched under its first key")
        (job.work / "go").touch()
        now = wait_for_jobs(second, process, lambda row: row["key"] != key)
        tap.equal(len(now), 1, "nodeb: in MPI_Init the key changes")
        event = [other.next() for _ in range(4)][-1]
        tap.equal(event.get("unseen"), {"ranks": "0", "hosts": ""}, "nodeb: but the stream goes on, and tells who is not visible")
        row = wait_for_jobs(first, process, lambda row: row["ranks"] == RANKS)[0]
        stream = live_test.Stream(first, row["key"])
        event = stream.next()
        while not event["unseen"] or not event["unseen"]["hosts"]:
            event = stream.next()
        tap.equal((row["processes_here"], event["unseen"], event["sampling"]), (1, {"ranks": "1", "hosts": "nodeb"}, None),
                  "nodea: the host that is not visible has a name")
        asked = sampling_test.post(first, f"/api/job/{row['key']}/sample")
        tap.equal(asked.status, 200, "nodea: all hosts are asked for")
        while not event["live"] or event["live"]["ranks"] < RANKS:
            event = stream.next()
        tap.ok(event["unseen"] is None and event["sampling"]["runs"] and event["live"]["stops"] is None,
               "nodea: then all ranks are visible, and nothing is stopped", event)
        summary = first.document(f"/api/job/{row['key']}/summary")["job"]
        tap.equal((summary["ranks"], [host["name"] for host in summary["hosts_list"]]), (RANKS, ["nodea", "nodeb"]),
                  "nodea: in all views")
        (job.work / "enough").touch()
        ends = [end_of(stream), end_of(other)]
        process.communicate(timeout=jobs.LIMIT_S)
        found = [row["id"] for row in first.profiles().values()]
        tap.equal((ends, process.returncode), (found * 2, 0), "on both hosts the page becomes its report")


def main():
    hosts.require()
    tap = jobs.Tap()
    mpi = jobs.BOTH[0]
    if mpi.installed:
        with machines.Machines(*SLOTS) as fleet:
            check(tap, fleet, mpi)
    tap.done()


main()
