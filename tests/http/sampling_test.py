#!/usr/bin/env python3
"""MPI jobs that are not measured: they are in the list, and are sampled on request, as by fathom attach; they run on
whatever happens to the server."""
import os
import pathlib
import signal
import subprocess
import time

import live_test
import serving
from serving import jobs

RANKS = 2


def start(mpi, program, way=jobs.BARE):
    job, env = jobs.prepare(way)
    process = subprocess.Popen(jobs.command_line(way, mpi, RANKS, [program]), cwd=job.work, env=env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    while process.poll() is None and not (job.work / "ready").exists():  # who was seen to sleep in MPI_Init is never stopped
        time.sleep(0.05)
    return job, process


def below(pid):
    """All descendants of a process, whichever of its threads has started them."""
    found = []
    for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text(encoding="ascii").split():
            found += [int(child), *below(child)]
    return found


def wait_for(server, process):
    """The job in the list, as soon as all of its ranks are there. Other tests may have jobs, too."""
    while process.poll() is None:
        for row in server.document("/api/jobs")["not_measured"]:
            if row["pid"] in (process.pid, *below(process.pid)) and row["processes_here"] == RANKS:
                return row
        time.sleep(0.1)
    raise LookupError(process.stdout.read())


def states(pids):
    """State and tracer of each process."""
    lines = [pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines() for pid in pids]
    values = [dict(line.split(":", 1) for line in text if ":" in line) for text in lines]
    return [(value["State"].split()[0], int(value["TracerPid"])) for value in values]


def attachers(pid):
    return [child for child in below(pid) if b"--fed" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes()]


def is_free(pids):
    """Whether all of them soon run without a tracer, and are not stopped."""
    for _ in range(200):
        if all(state in "RS" and not tracer for state, tracer in states(pids)):
            return True
        time.sleep(0.05)
    return False


def soon(is_so):
    for _ in range(400):
        if is_so():
            return True
        time.sleep(0.05)
    return False


def post(server, path, headers=(), **how):
    return server.ask(path, method="POST", headers=["Content-Length: 0", *headers], **how)


def sample(tap, mpi):
    title = mpi.short
    program = mpi.compile("until_told", jobs.text("until_told.c"))
    job, process = start(mpi, program)
    with serving.Server(serving.old_profiles()) as server:
        row = wait_for(server, process)
        tap.ok(row["program"] == f"until_told.{mpi.name}" and row["ranks"] == RANKS and not row["under_fathom"] and
               row["other_hosts"] == "" and row["seconds"] >= 0, f"{title}: a job without Fathom is in the list", row)
        tap.ok(all(row["key"] != other["key"] for other in server.document("/api/jobs")["jobs"]), f"{title}: as not measured")
        base = f"/api/job/{row['key']}"
        tap.equal((server.ask(f"{base}/stream").status, server.ask(f"{base}/summary").status), (404, 404),
                  f"{title}: nobody has asked to sample it")
        tap.equal(attachers(server.process.pid), [], f"{title}: so it is not")
        tap.equal((server.ask(f"{base}/sample").status, post(server, f"{base}/sample", token=None).status,
                   post(server, f"{base}/sample", ["Origin: http://attacker.example"]).status,
                   post(server, f"{base}/sample", [f"Cookie: fathom-{server.port}={server.token}"], token=None).status,
                   post(server, "/api/job/pid-1-1/sample").status, post(server, f"{base}/stop").status),
                  (405, 403, 403, 403, 404, 404), f"{title}: not by GET, without token, from elsewhere, without origin; nor others")
        tap.equal(attachers(server.process.pid), [], f"{title}: all this samples nothing")
        asked = post(server, f"{base}/sample", [f"Cookie: fathom-{server.port}={server.token}",
                                                f"Origin: http://{server.host}"], token=None)
        tap.ok(asked.status == 200 and asked.json()["key"] == row["key"], f"{title}: it is sampled on request", asked)
        stream = live_test.Stream(server, row["key"])
        event = stream.next()
        while not event["live"] or not any(module["interval_width"] for module in event["live"]["modules"]):
            event = stream.next()
        live = event["live"]
        tap.ok(live["ranks"] == RANKS and live["stops"] and live["moments"] >= 100 and event["sampling"]["runs"] and
               event["unseen"] is None and any(m["name"] == "until_told.c" and m["share"] > 0.1 for m in live["modules"]),
               f"{title}: shares of modules, with intervals", event)
        slices = {part: server.document(f"{base}/{part}") for part in ("summary", "ranks", "modules", "sequence", "tree/calls")}
        tap.ok(slices["summary"]["job"]["ranks"] == RANKS and len(slices["sequence"]["sequence"]["ranks"]) == RANKS and
               all(rank["runs"] for rank in slices["sequence"]["sequence"]["ranks"]), f"{title}: and the state of each rank",
               slices["sequence"])
        pids = slices["ranks"]["processes"]["pid"]
        tap.equal(len(attachers(server.process.pid)), 1, f"{title}: by one fathom attach")
        tap.equal(post(server, f"{base}/stop").status, 200, f"{title}: it can be stopped")
        while event["sampling"]["runs"]:
            event = stream.next()
        tap.ok(is_free(pids) and not attachers(server.process.pid), f"{title}: then nothing is traced", states(pids))
        tap.equal(server.document(f"{base}/summary")["job"]["ranks"], RANKS, f"{title}: what was found stays")
        post(server, f"{base}/sample")
        while not event["sampling"]["runs"]:
            event = stream.next()
        first = attachers(server.process.pid)
        post(server, f"{base}/stop")
        tap.equal(post(server, f"{base}/sample").status, 200, f"{title}: it is asked for again while it ends")
        tap.ok(soon(lambda: attachers(server.process.pid) not in ([], first)), f"{title}: and begins again", first)
        stream.close()
        while attachers(server.process.pid):
            time.sleep(0.1)
        tap.ok(is_free(pids), f"{title}: it ends when nobody looks any more", states(pids))
        post(server, f"{base}/sample")
        stream = live_test.Stream(server, row["key"])
        while not (event := stream.next())["sampling"]["runs"]:
            pass
        (job.work / "enough").touch()
        while "ended" not in event:
            event = stream.next()
        tap.equal((process.wait(jobs.LIMIT_S), event), (0, {"fathom": 1, "ended": True, "profile": None}),
                  f"{title}: the job ends as ever, and so does its stream")
        stream.close()
        tap.equal((server.end(), server.process.stderr.read()), (0, ""), f"{title}: the server ends well")


def kill(tap, mpi):
    """The server is killed while it samples."""
    program = mpi.compile("until_told", jobs.text("until_told.c"))
    job, process = start(mpi, program)
    for sent in (signal.SIGTERM, signal.SIGKILL):
        title = f"{mpi.short}, {sent.name}"
        with serving.Server(serving.old_profiles()) as server:
            row = wait_for(server, process)
            post(server, f"/api/job/{row['key']}/sample")
            stream = live_test.Stream(server, row["key"])
            stream.next()
            pids = server.document(f"/api/job/{row['key']}/ranks")["processes"]["pid"]
            children = attachers(server.process.pid)
            server.end(sent)
            while any(os.path.exists(f"/proc/{child}") and states([child])[0][0] != "Z" for child in children):
                time.sleep(0.05)
            tap.ok(len(children) == 1 and is_free(pids), f"{title}: with the server its sampling ends, and the ranks run on",
                   children, states(pids))
            stream.close()
    (job.work / "enough").touch()
    tap.equal(process.wait(jobs.LIMIT_S), 0, f"{mpi.short}: the job does not notice")


if __name__ == "__main__":
    jobs.check_each(sample, kill)
