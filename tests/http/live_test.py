#!/usr/bin/env python3
"""Jobs that run while fathom serve looks at them, from their start to their profile."""
import json
import os
import subprocess
import time

import serving
from serving import jobs

RANKS = 2


class Stream:
    """Server-sent events of a job."""

    def __init__(self, server, key):
        self.connection = server.connect()
        self.connection.sendall(server.text(f"/api/job/{key}/stream"))
        self.stream = self.connection.makefile("rb")
        self.status = int(self.stream.readline().split()[1])
        self.headers = b""
        while (line := self.stream.readline()) != b"\r\n":
            self.headers += line
        self.text = b""

    def next(self):
        """The next event; None at the end."""
        while b"\n\n" not in self.text:
            size = int(self.stream.readline() or b"0", 16)
            if not size:
                return None
            self.text += self.stream.read(size)
            self.stream.readline()
        event, self.text = self.text.split(b"\n\n", 1)
        return json.loads(event.removeprefix(b"data: ")) if event.startswith(b"data: ") else self.next()

    def close(self):
        self.stream.close()
        self.connection.close()


def start(mpi, program, env=None):
    job, variables = jobs.prepare(jobs.AROUND, env)
    process = subprocess.Popen(jobs.command_line(jobs.AROUND, mpi, RANKS, [program]), cwd=job.work, env=variables,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    while process.poll() is None and not any(name.endswith(".segment") for name in job.left()):
        time.sleep(0.05)
    return job, process


def wait_for_job(server, process):
    """The job, as soon as all of its ranks are there."""
    while process.poll() is None:
        found = server.document("/api/jobs")["jobs"]
        if found and found[0]["ranks"] == found[0]["processes_here"] == RANKS:
            return found[0]
        time.sleep(0.1)
    raise LookupError(process.stdout.read())


def watch(tap, mpi):
    title = mpi.short
    program = mpi.compile("until_told", jobs.text("until_told.c"))
    job, process = start(mpi, program)
    with serving.Server(job.work, env={"FATHOM_DIR": str(job.segments)}, cwd=jobs.SCRATCH) as server:
        found = wait_for_job(server, process)
        tap.ok(found["program"] == f"until_told.{mpi.name}" and found["seconds"] >= 0 and found["since"].endswith("Z"),
               f"{title}: the job is in the list", found)
        tap.equal([row["key"] for row in server.document("/api/list")["jobs"]], [found["key"]], f"{title}: in both")
        stream = Stream(server, found["key"])
        other = Stream(server, found["key"])
        tap.ok(stream.status == 200 and b"text/event-stream" in stream.headers, f"{title}: there is a stream", stream.headers)
        events = [stream.next()]
        while not events[0]["live"]:  # before the first sample
            events = [stream.next()]
        events += [stream.next() for _ in range(3)]
        tap.ok([event["version"] for event in events] == sorted({event["version"] for event in events}) and
               events[-1]["seconds"] > events[0]["seconds"], f"{title}: versions follow each other", events)
        live = events[-1]["live"]
        tap.ok(live["ranks"] == RANKS and live["samples"] > events[0]["live"]["samples"] and
               any(module["name"] == "until_told.c" and module["share"] > 0.1 for module in live["modules"]),
               f"{title}: with the shares of modules", live)
        base = f"/api/job/{found['key']}"
        slices = {part: server.document(f"{base}/{part}") for part in ("summary", "ranks", "mpi", "modules", "tree/calls")}
        calls = {row["name"]: row["calls"] for row in slices["mpi"]["mpi"]["routines"]}
        tap.ok(slices["summary"]["job"]["ranks"] == RANKS and len(slices["ranks"]["processes"]["rank"]) == RANKS and
               calls["MPI_Bcast"] > 0, f"{title}: slices of a running job", calls)
        later = server.document(f"{base}/mpi")
        while later == slices["mpi"]:
            time.sleep(0.1)
            later = server.document(f"{base}/mpi")
        more = {row["name"]: row["calls"] for row in later["mpi"]["routines"]}
        tap.ok(more["MPI_Bcast"] > calls["MPI_Bcast"], f"{title}: which grow", more, calls)
        tap.equal(server.ask(f"{base}/nothing").status, 404, f"{title}: no such slice")
        tap.equal(server.ask("/api/job/somebody-elses/stream").status, 404, f"{title}: no such job")
        other.close()  # a client that has gone does no harm
        (job.work / "enough").touch()
        while "ended" not in (event := stream.next()):
            events.append(event)
        tap.equal(process.wait(jobs.LIMIT_S), 0, f"{title}: the job was not disturbed")
        rows = server.profiles()
        row = next(iter(rows.values()))
        tap.ok(len(rows) == 1 and event == {"fathom": 1, "ended": True, "profile": row["id"]},
               f"{title}: the last event names its profile", event, rows)
        tap.equal(stream.next(), None, f"{title}: and the stream ends")
        stream.close()
        whole = job.report()
        tap.equal(server.document(f"/api/profile/{event['profile']}/mpi")["mpi"]["routines"], whole["mpi"]["routines"],
                  f"{title}: which is its report")
        tap.ok(job.left() == [] and server.document("/api/jobs")["jobs"] == [], f"{title}: nothing is left", job.left())
        again = Stream(server, found["key"])
        tap.ok([again.next().get("version", 0) > 0, again.next(), again.next()] == [True, event, None],
               f"{title}: a stream that comes later tells the same")
        again.close()
        tap.equal((server.end(), server.process.stderr.read()), (0, ""), f"{title}: the server ends well")


def kill(tap, mpi):
    """A job whose launcher and ranks are killed, and whose profile nobody writes; and a server that ends while it is
    watched."""
    title = f"{mpi.short}, killed"
    program = mpi.compile("until_told", jobs.text("until_told.c"))
    job, process = start(mpi, program, {"FATHOM_HZ": "0"})
    elsewhere = serving.old_profiles()
    with serving.Server(elsewhere, env={"FATHOM_DIR": str(job.segments)}) as server:
        found = wait_for_job(server, process)
        stream = Stream(server, found["key"])
        tap.ok(stream.next()["version"] > 0, f"{title}: watched")
        pids = server.document(f"/api/job/{found['key']}/ranks")["processes"]["pid"]
        process.kill()
        for pid in pids:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass
        process.wait()
        while "ended" not in (event := stream.next()):
            pass
        tap.ok(event["ended"], f"{title}: the stream ends", event)
        summary = server.document(f"/api/job/{found['key']}/summary")
        tap.equal(summary["job"]["ranks"], RANKS, f"{title}: what was known stays")
        tap.equal(server.end(), 0, f"{title}: the server ends well")
    job.collect()
    job, process = start(mpi, program)
    with serving.Server(elsewhere, env={"FATHOM_DIR": str(job.segments)}) as server:
        found = wait_for_job(server, process)
        stream = Stream(server, found["key"])
        stream.next()
        tap.equal(server.end(), 0, f"{title}: a server that is watching ends when told to")
        while stream.next():
            pass
        tap.ok(True, f"{title}: and its streams end")
    (job.work / "enough").touch()
    tap.equal(process.wait(jobs.LIMIT_S), 0, f"{title}: the job does not notice")


if __name__ == "__main__":
    jobs.check_each(watch, kill)
