#!/usr/bin/env python3
"""A process whose first thread has left by pthread_exit lives as long as others of its threads do: it is looked at
through them. One of which only the exit status is left is gone."""
import json
import pathlib
import subprocess
import time

import attaching
from attaching import jobs


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]


def left(job):
    """Until the first thread is gone."""
    while state_of(job.pid) != "Z":
        time.sleep(0.01)


def paths_of(profile):
    exported = subprocess.run([jobs.FATHOM, "export", "--to", "collapsed", str(profile)], capture_output=True, text=True,
                              check=False).stdout
    return [line.rpartition(" ")[0] for line in exported.splitlines()]


def looked_at(tap, program, pid_of, title):
    """All threads that live are seen, and those of them that go on when one ends."""
    job = attaching.start(*program)
    pid = pid_of(job)
    profile = jobs.SCRATCH / f"{title.split()[0]}.fathom"
    seen = attaching.attach(pid, "--samples", 300, "--hz", 100, "--save", profile)
    out = job.communicate()[0]
    tap.equal((seen.returncode, job.returncode, out), (0, 7, "worked\n"), f"{title}: attached, and it ends as ever")
    paths = paths_of(profile) if seen.returncode == 0 else [seen.stderr]
    for names in (("short_work", "work"), ("rest", "pause"), ("long_work", "work")):
        tap.ok(any(all(name in path for name in names) for path in paths), f"{title}: {names[0]} is seen", *paths)
    report = subprocess.run([jobs.FATHOM, "report", str(profile), "--format", "json"], capture_output=True, text=True,
                            check=False).stdout
    command = json.loads(report)["job"]["command"] if report else []
    tap.ok(command and command[0].endswith("leaves"), f"{title}: its words are known", command)


def itself(job):
    left(job)
    return job.pid


def below(job):
    """The shell, when what it has started is there without its first thread."""
    children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children")
    while not children.read_text(encoding="utf-8"):
        time.sleep(0.01)
    while state_of(int(children.read_text(encoding="utf-8"))) != "Z":
        time.sleep(0.01)
    return job.pid


def ended(tap):
    job = attaching.start("true")
    left(job)
    seen = attaching.attach(job.pid)
    tap.equal((seen.returncode, seen.stderr),
              (2, f"fathom attach: process {job.pid} has ended (it is a zombie).\n"),
              "one that has ended but was not waited for is gone")
    job.communicate()


def main():
    tap = jobs.Tap()
    program = attaching.compile_program("leaves")
    looked_at(tap, [program, 4], itself, "itself")
    looked_at(tap, ["sh", "-c", f"{program} 4; exit $?"], below, "below a shell")
    ended(tap)
    tap.done()


main()
