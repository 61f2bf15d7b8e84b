#!/usr/bin/env python3
"""Root may look at everybody's processes, but neither executes their launchers nor loads their libraries: that would make
whoever has such a process root. With one's own that is how other hosts are reached."""
import os
import pathlib
import shutil
import subprocess
import time

import attaching
from attaching import jobs

# The directories above that of a test are root's alone: another user needs help to reach what is in there.
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=+dac_read_search",
          "--ambient-caps=+dac_read_search"]
EVIDENCE = jobs.SCRATCH / "evidence"


def prepare():
    """The launcher, the rank, and the library that it has, whose path is given."""
    program = attaching.compile_program("launches")
    library = jobs.SCRATCH / "libmpi.so.40"
    subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", str(library),
                    str(attaching.HERE / "programs" / "loaded.c")], check=True)
    for name in ("mpirun", "rank"):
        shutil.copy(program, jobs.SCRATCH / name)
    return library


def executable_of(pid):
    try:
        return pathlib.Path(os.readlink(f"/proc/{pid}/exe")).name
    except OSError:
        return ""


def children_of(pid):
    return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()]


def launched(process):
    return any(executable_of(child) == "rank" for child in children_of(process.pid))


def has_library(process):
    return "libmpi.so.40" in pathlib.Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")


def left_behind(prefix, command, is_ready, words):
    """What `fathom attach` with these words has said of the process, and what it has executed or loaded."""
    shutil.rmtree(EVIDENCE, ignore_errors=True)
    EVIDENCE.mkdir()
    EVIDENCE.chmod(0o777)
    env = {**jobs.environment(jobs.SCRATCH / "none"), "EVIDENCE": str(EVIDENCE)}
    process = subprocess.Popen([*prefix, *map(str, command)], env=env)
    while not is_ready(process):
        if process.poll() is not None:
            raise ChildProcessError(f"{command} has ended with {process.returncode}")
        time.sleep(0.01)
    seen = subprocess.run([jobs.FATHOM, "attach", *[str(process.pid) if word == "PID" else word for word in words]],
                          capture_output=True, text=True, timeout=jobs.LIMIT_S, check=False, env=env)
    process.kill()
    process.wait()
    return seen, [path.name for path in EVIDENCE.iterdir()]


def check_launcher(tap):
    job = ([jobs.SCRATCH / "mpirun", "-n", "2", "rank"], launched, ["PID", "--samples", "3"])
    seen, found = left_behind([], *job)
    tap.equal(found, ["executed"], "a launcher of one's own is executed to reach other hosts")
    seen, found = left_behind(NOBODY, *job)
    tap.equal(found, [], "that of another user is not")
    tap.ok(seen.returncode == 0 and "cannot sample ranks 1 on other hosts" in seen.stderr and
           "the launcher belongs to another user" in seen.stderr,
           "which is said, and what is here is seen", seen.stdout, seen.stderr)


def check_library(tap, library):
    job = ([jobs.SCRATCH / "rank", library], has_library, ["--agents", "rank", "--samples", "3"])
    tap.equal(left_behind([], *job)[1], ["loaded"], "the MPI library of a job of one's own is loaded by agents")
    tap.equal(left_behind(NOBODY, *job)[1], [], "that of another user's is not")


def main():
    if os.getuid() != 0 or not shutil.which("setpriv"):
        print("1..0 # skip needs root and setpriv")
        return
    tap = jobs.Tap()
    library = prepare()
    check_launcher(tap)
    check_library(tap, library)
    tap.done()


main()
