#!/usr/bin/python3
"""Every part of `make bench` is built and runs to its end, at the smallest scale; what it measures then says nothing."""
import os
import subprocess

from jobs import BUILD, SOURCE, Tap

LIMIT_S = 300

tap = Tap()
for path in sorted((SOURCE / "bench").glob("part_*.py")):
    part = path.stem.removeprefix("part_")
    done = subprocess.run([SOURCE / "bench" / "run", "--try", part], env={**os.environ, "BUILD": str(BUILD)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT_S, check=False)
    tap.ok(done.returncode == 0 and done.stdout.rstrip().endswith(("missed", "all goals met")), f"{part} runs to its end",
           *done.stdout.splitlines()[-20:])
tap.done()
