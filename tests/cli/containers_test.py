#!/usr/bin/env python3
"""Programs in containers that share /dev/shm and the directory of profiles: same pid, same start, two profiles."""
import os
import pathlib
import subprocess
import sys
import time

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parent.parent.parent))
sys.path.insert(0, str(SOURCE / "tests" / "jobs"))
import jobs  # noqa: E402

CONTAINER = ["unshare", "--pid", "--fork", "--mount-proc"]
AT_MOST = 40
tap = jobs.Tap()


def child_of(pid):
    """Its only one, once there is one."""
    for _ in range(500):
        words = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
        if words:
            return int(words[0])
        time.sleep(0.005)
    raise LookupError(f"process {pid} has no child")


def start():
    """A program that waits in a container, and when it was started in ticks of the clock."""
    words = [*CONTAINER, jobs.FATHOM, "run", "-q", "-o", "profiles/", "sh", "-c", "read go"]
    process = subprocess.Popen(words, cwd=jobs.SCRATCH, env=jobs.environment(jobs.SCRATCH / "segments"),
                               stdin=subprocess.PIPE)
    program = child_of(child_of(process.pid))
    stat = pathlib.Path(f"/proc/{program}/stat").read_text(encoding="utf-8")
    return process, stat.rpartition(")")[2].split()[19]


def twins():
    """Two that were started in the same tick, and all the others."""
    started = {}
    for _ in range(AT_MOST):
        with jobs.concurrent.futures.ThreadPoolExecutor() as pool:
            pair = [task.result() for task in [pool.submit(start), pool.submit(start)]]
        if pair[0][1] == pair[1][1]:
            return [process for process, _ in pair], started
        started.update(pair)
    return [], started


def let_go(processes):
    for process in processes:
        process.communicate(b"\n", timeout=jobs.LIMIT_S)


def main():
    if subprocess.run([*CONTAINER, "true"], capture_output=True, check=False).returncode != 0:
        tap.skip("containers", "needs namespaces of its own")
        tap.done()
    pair, others = twins()
    let_go(others)
    for path in (jobs.SCRATCH / "profiles").glob("*"):
        path.unlink()
    let_go(pair)
    profiles = list((jobs.SCRATCH / "profiles").glob("*.fathom"))
    if pair:
        tap.equal(len(profiles), 2, "two containers, the same pid and start: two profiles")
        tap.equal(list((jobs.SCRATCH / "segments").glob("*")), [], "and nothing is left")
    else:
        tap.skip("the same start", f"{AT_MOST} pairs of containers never started at once")
    tap.done()


main()
