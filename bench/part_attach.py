"""A job that is looked at from outside: how much longer it takes, how long its threads are stopped, and what the tool
itself uses."""
import json
import os
import subprocess
import time

import common

RANKS, HZ = 2, 10
SLOWER, STOP_US = 3, 2000  # goals: percent, and at most so long a sample


def start(program, mpi, steps):
    words = [f"mpirun.{mpi}", "-n", str(RANKS), str(program), "--steps", str(steps)]
    return subprocess.Popen(words, cwd=common.MADE, env=common.environment((), common.MADE / "none", {}),
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def plain(program, mpi, steps):
    started = time.monotonic()
    start(program, mpi, steps).wait()
    return time.monotonic() - started


def attached(program, mpi, steps):
    """Seconds of the job, seconds of attaching, processor seconds of the tool, the last line that it says."""
    started = time.monotonic()
    job = start(program, mpi, steps)
    time.sleep(0.5)
    began = time.monotonic()
    tool = subprocess.Popen([str(common.FATHOM), "attach", str(job.pid), "--for", "600", "--hz", str(HZ), "--json"],
                            stdout=subprocess.PIPE)
    job.wait()
    seconds, looked = time.monotonic() - started, time.monotonic() - began
    out = tool.stdout.read()
    usage = os.wait4(tool.pid, 0)[2]
    tool.returncode = 0
    return seconds, looked, usage.ru_utime + usage.ru_stime, json.loads(out.splitlines()[-1])


def main(quick):
    alternations, steps = (1, 10) if quick else (7, 40)
    common.heading(f"The mini ocean model, {RANKS} ranks, while fathom attach looks at it {HZ} times a second "
                   f"(s, minima of {alternations} alternations)")
    rows, slower, stops = [], [], []
    for mpi, name in common.MPIS.items():
        program = common.miniocean(mpi)
        without = seen = float("inf")
        used, median, most = [], [], []
        for _ in range(alternations):
            without = min(without, plain(program, mpi, steps))
            seconds, looked, cpu, last = attached(program, mpi, steps)
            seen = min(seen, seconds)
            used.append(cpu / looked)
            median.append(last["stops"]["median_ns"] / 1000)
            most.append(last["stops"]["max_ns"] / 1000)
        slower.append(100 * (seen / without - 1))
        stops.append(min(most))
        rows.append([name, f"{without:.2f}", f"{seen:.2f}", f"{slower[-1]:+.1f} %", f"{min(median):.0f} us",
                     f"{min(most):.0f} us", f"{100 * min(used):.1f} %"])
    common.table(["", "alone", "looked at", "longer", "stop, median", "at most", "tool, of a core"], rows)
    common.goal(max(slower) < SLOWER, f"less than {SLOWER} % longer")
    common.goal(max(stops) < STOP_US, f"no stop of {STOP_US / 1000:.0f} ms")
