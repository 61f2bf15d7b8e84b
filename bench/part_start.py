# SPDX-License-Identifier: BSD-3-Clause
"""A job that does nothing, on more ranks than cores: how much longer it takes under `fathom run`, and what of that is
computing. Instructions are those of one rank from its first to its last, with the profile of its job."""
import os
import subprocess
import time

import common

MANY = 64
GOAL_S = 0.5
GOAL_INSTRUCTIONS = 4_500_000  # see doc/DECISIONS.md, "What `make bench` judges"
WAYS = {"plain": None, "without samples": "off", "fathom run": ""}  # what FATHOM_SAMPLE is; plain: not measured


def seconds(program, mpi, ranks, sample):
    """(elapsed, processor time, page faults) of one job with all its processes"""
    output = common.MADE / "bench.fathom"
    output.unlink(missing_ok=True)
    words = [f"mpirun.{mpi}", "-n", str(ranks), str(program)]
    if sample is not None:
        words = [str(common.FATHOM), "run", "-o", str(output), "--", *words]
    started = time.monotonic()
    job = subprocess.Popen(words, cwd=common.MADE, env=common.environment((), output, {"FATHOM_SAMPLE": sample or ""}),
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(job.pid, 0)
    job.returncode = status
    if status or (sample is not None and not output.exists()):
        raise SystemExit(f"bench: {' '.join(words)} ended with status {status}, or left no profile.")
    return time.monotonic() - started, used.ru_utime + used.ru_stime, used.ru_minflt


def main(quick):
    alternations, ranks = 1 if quick else 7, common.scaled(MANY, 4)
    common.heading(f"A job that does nothing, {ranks} ranks (s, minima of {alternations} alternations)")
    rows, goals = [], []
    for mpi, name in common.MPIS.items():
        program = common.mpicc(mpi, "start", "start.c")
        found = common.alternate(alternations, WAYS, lambda way: seconds(program, mpi, ranks, WAYS[way]))
        least = {way: tuple(map(min, zip(*runs))) for way, runs in found.items()}
        # one rank waits for nobody; a sample a second: how many more there are under valgrind says nothing
        plain, ours = (common.all_instructions([program], preload, ranks=(mpi, 1), FATHOM_SAMPLE="1")
                       for preload in ((), (common.LIBRARY,)))
        more_s, more = least["fathom run"][0] - least["plain"][0], ours - plain
        rows += [[f"{name}, {way}", f"{elapsed:.2f}", f"{used:.2f}", f"{1e3 * (used - least['plain'][1]) / ranks:.1f} ms",
                  f"{(faults - least['plain'][2]) / ranks:.0f}",
                  {"plain": f"{plain / 1e6:.1f} M", "fathom run": f"{ours / 1e6:.1f} M"}.get(way, "")]
                 for way, (elapsed, used, faults) in least.items()]
        goals.append(([[run[0] for run in found["plain"]]], more_s <= GOAL_S, f"{name}: {more_s:+.2f} s (goal + {GOAL_S} s)",
                      (more <= GOAL_INSTRUCTIONS, f"{name}: {more / 1e6:+.1f} M instructions a rank "
                                                  f"(goal + {GOAL_INSTRUCTIONS / 1e6:.1f} M)")))
    common.table(["", "elapsed", "processors", "more a rank", "faults more", "instr. of one rank"], rows)
    for goal in goals:
        common.time_goal(*goal)
