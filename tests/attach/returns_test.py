#!/usr/bin/env python3
"""A thread that is stopped in the last instructions of a function, where the caller's frame pointer is back already, is
followed to main."""
import subprocess

import attaching
from attaching import jobs

SAMPLES = 400


def main():
    tap = jobs.Tap()
    job = attaching.start(attaching.compile_program("returns"), 60)
    profile = jobs.SCRATCH / "returns.fathom"
    seen = attaching.attach(job.pid, "--samples", SAMPLES, "--hz", 200, "--save", profile)
    job.kill()
    job.communicate()
    tap.equal(seen.returncode, 0, "attached")
    exported = subprocess.run([jobs.FATHOM, "export", "--to", "collapsed", str(profile)], capture_output=True, text=True,
                              check=False).stdout.splitlines()
    tap.ok(any(line.startswith("main;many;small ") for line in exported), "the small function is seen", *exported)
    tap.equal([line for line in exported if not line.startswith("main")], [], "all stacks begin at main")
    tap.done()


main()
