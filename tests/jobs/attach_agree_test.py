#!/usr/bin/env python3
"""The shares of modules that are known of one and the same run in three ways agree: from 300 samples by `fathom attach`
from outside, from the segments while it runs, and from the profile at its end. The model has planted costs, and
REPETITIONS says how often it is run (make agree)."""
import json
import os
import pathlib
import subprocess
import sys
import time

import jobs
import planted

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "attach"))
import attaching  # noqa: E402

REPETITIONS = int(os.environ.get("REPETITIONS", "1"))
SAMPLES, HZ, RANKS = 300, 40, 2
AGAIN = 2  # runs that may be disturbed by other load
NEEDED_S = SAMPLES / HZ + 5  # with the start of the ranks, and a look at their segments
LEAST = 0.02  # what is less may be known as badly as it likes
OCEAN = ["--grid", "128x96", "--levels", "8"]


def by_attach(process, *options):
    out = attaching.attach(process.pid, *options, "--json", "--modules", planted.MODULES)
    return attaching.stream(out.stdout)[-1] if out.returncode == 0 else None


def shares_of(report):
    costs = {m["name"]: m["work_s"] + m["transfer_s"] + m["waiting_s"] for m in report["modules"]["list"]}
    return {name: cost / sum(costs.values()) for name, cost in costs.items()}


def start(mpi, program, steps):
    job, env = jobs.prepare(jobs.AROUND)
    env["FATHOM_SAMPLE"] = "500"
    words = jobs.command_line(jobs.AROUND, mpi, RANKS, [str(program), *OCEAN, "--steps", str(steps)])
    process = subprocess.Popen(words, cwd=job.work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    return job, process


def one_run(mpi, program, steps):
    """What attach, segments and the profile have to say; or the seconds of a run that was too short."""
    job, process = start(mpi, program, steps)
    started = time.monotonic()
    try:
        attaching.wait_for_ranks(process, RANKS)
    except TimeoutError:
        return None, time.monotonic() - started
    seen = by_attach(process, "--outside", "--samples", SAMPLES, "--hz", HZ)
    segments = by_attach(process) if process.poll() is None else None
    long_enough = process.poll() is None
    process.wait()
    took = time.monotonic() - started
    profiles = job.profiles()
    if not (long_enough and seen and segments and len(profiles) == 1):
        return None, took
    report = json.loads(subprocess.run([jobs.FATHOM, "report", str(profiles[0]), "--format", "json", "--modules",
                                        str(planted.MODULES)], capture_output=True, check=True).stdout)
    return (attaching.shares(seen), {n: s for n, (s, _) in attaching.shares(segments).items()}, shares_of(report)), took


def apart(seen, segments, whole):
    """Modules whose shares do not agree."""
    far = []
    for name in sorted(set(seen) | set(segments) | set(whole)):
        share, width = seen.get(name, (0, 0))
        others = (segments.get(name, 0), whole.get(name, 0))
        if max(share, *others) > LEAST and any(abs(share - other) > max(width / 2, LEAST / 2) for other in others):
            far.append((name, round(share, 3), round(width / 2, 3), *(round(other, 3) for other in others)))
    return far


def disturbed(found):
    """Other load on the machine changes the shares while the job runs: what attach has seen is then not the whole run."""
    return len(apart(*found)) > 1 or sum(share > LEAST for share, _ in found[0].values()) < 2


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = planted.ocean(mpi, 20000)
        steps, n, modules, far, again = 200, 0, 0, [], AGAIN
        while n < REPETITIONS and steps < 1 << 20:
            found, took = one_run(mpi, program, steps)
            if not found:
                steps = attaching.more_steps(steps, took, NEEDED_S)
                continue
            print(f"# {mpi.short}, run {n + 1}, {steps} steps:", *apart(*found), flush=True)
            if disturbed(found) and again:
                again -= 1
                continue
            n += 1
            modules += sum(share > LEAST for share, _ in found[0].values())
            far += apart(*found)
        tap.ok(n == REPETITIONS and modules >= 2 * n, f"{mpi.short}: {modules} shares of {n} runs")
        # each interval holds with 95 %: so many of them may fail
        tap.ok(len(far) <= max(2, modules // 10), f"{mpi.short}: they agree, but for {len(far)}", *far)
    tap.done()


main()
