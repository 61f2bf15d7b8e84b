# SPDX-License-Identifier: BSD-3-Clause
"""A job that is looked at from outside: how much longer it takes, how long its threads are stopped, and what the tool
itself uses."""
import json
import os
import shutil
import subprocess
import time

import common

HZ = 10
SLOWER, STOP_US = 3, 2000  # goals: percent, and at most so long a sample


def ocean(mpi, ranks, steps):
    return [f"mpirun.{mpi}", "-n", str(ranks), str(common.miniocean(mpi)), "--steps", str(steps)]


def lammps(steps):
    melt = common.SOURCE / "tests/jobs/programs/melt.in"
    return ["mpirun.openmpi", "-n", "4", "lmp", "-in", str(melt), "-log", "none", "-var", "cells", "12", "-var", "steps",
            str(steps)]


def cases(part):
    """Title, command, alternations, and whether each rank has a core."""
    for mpi, name in common.MPIS.items():
        yield f"ocean, {name}, 2 ranks", ocean(mpi, 2, 40 // part), 7, True
    if common.trial:
        return
    yield "ocean, Open MPI, 16 ranks", ocean("openmpi", 16, 60 // part), 5, False
    yield "ocean, MPICH, 16 ranks", ocean("mpich", 16, 4), 3, False  # its ranks do not give way to each other
    if shutil.which("lmp"):
        yield "LAMMPS, Open MPI, 4 ranks", lammps(2500 // part), 5, False


def start(words):
    return subprocess.Popen(words, cwd=common.MADE, env=common.environment((), common.MADE / "none", {}),
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def plain(words):
    started = time.monotonic()
    start(words).wait()
    return time.monotonic() - started


def attached(words):
    """Seconds of the job, seconds of attaching, processor seconds of the tool, the last line that it says."""
    started = time.monotonic()
    job = start(words)
    time.sleep(0.5)
    began = time.monotonic()
    tool = subprocess.Popen([str(common.FATHOM), "attach", str(job.pid), "--for", "600", "--hz", str(HZ), "--json"],
                            stdout=subprocess.PIPE)
    job.wait()
    seconds, looked = time.monotonic() - started, time.monotonic() - began
    out = tool.stdout.read()
    _, tool.returncode, usage = os.wait4(tool.pid, 0)
    return seconds, looked, usage.ru_utime + usage.ru_stime, json.loads(out.splitlines()[-1]) if out else None


def measure(words, alternations):
    without = seen = most = float("inf")
    used, median = [], []
    while len(used) < alternations:
        without = min(without, plain(words))
        seconds, looked, cpu, last = attached(words)
        if not last:  # on a busy machine a job may end before it was seen
            words = [*words[:-1], str(2 * int(words[-1]))]
            without = seen = most = float("inf")
            used, median = [], []
            continue
        seen = min(seen, seconds)
        used.append(cpu / looked)
        median.append(last["stops"]["median_ns"] / 1000)
        most = min(most, last["stops"]["max_ns"] / 1000)
    return without, seen, min(median), most, min(used)


def main(quick):
    common.heading(f"Jobs while fathom attach looks at them {HZ} times a second (s, minima of several alternations)")
    rows, slower, stops = [], [], []
    for title, words, alternations, cores in cases(8 if quick else 1):
        without, seen, median, most, used = measure(words, 1 if quick else alternations)
        slower.append(100 * (seen / without - 1))
        if cores or os.geteuid() == 0:
            stops.append(most)
        rows.append([title, f"{without:.2f}", f"{seen:.2f}", f"{slower[-1]:+.1f} %", f"{median:.0f} us", f"{most:.0f} us",
                     f"{100 * used:.1f} %"])
    common.table(["", "alone", "looked at", "longer", "stop, median", "at most", "tool, of a core"], rows)
    common.goal(max(slower) < SLOWER, f"less than {SLOWER} % longer")
    common.goal(max(stops) < STOP_US, f"no stop of {STOP_US / 1000:.0f} ms where a core can be had at once")
