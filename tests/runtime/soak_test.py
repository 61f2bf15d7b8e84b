#!/usr/bin/env python3
"""A program that forks, throws, loads and unloads modules, starts threads, sends signals and waits without pause, at
5,000 samples a second: no crash, no deadlock, no leaked timer. SOAK_SECONDS says for how many seconds (make soak)."""
import os

import sampling
import jobs

SECONDS = int(os.environ.get("SOAK_SECONDS", "15"))


def main():
    tap = jobs.Tap()
    jobs.LIMIT_S = 2 * SECONDS + 60
    program = sampling.compile_program("soak", compiler="g++")
    plugins = [sampling.compile_program("plugin", "-shared", "-fPIC", f"-DNAME={name}", target=f"{name}.so") for name in "AB"]
    job = sampling.run([program, SECONDS, *plugins])
    tap.equal((job.status, job.stdout), (0, b"0 faults, 0 idle, 0 timers too many\n"), f"{SECONDS} s of everything at once")
    counts = sampling.Samples(job, sampling.reader()).counts
    tap.note(f"{counts}\n{job.stderr.decode()}")
    tap.ok(counts["samples"] > SECONDS, "and samples of it", counts)
    tap.done()


main()
