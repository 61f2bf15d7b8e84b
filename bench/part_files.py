# SPDX-License-Identifier: BSD-3-Clause
"""Requests of 4 kB to a file, and small ones to a stream, with and without Fathom: nanoseconds, ratios and instructions."""
import common

LOOPS = {"write": "write, 4 kB", "read": "pread, 4 kB", "fwrite": "fwrite, 64 B", "null": "write to /dev/null"}
CALLS = 1000  # as in files.c
GOAL_NS, GOAL_RATIO = 30, 1.01
# two clock reads, the descriptor and the counters of the file
GOAL_INSTRUCTIONS = {"write": 130, "read": 120, "fwrite": 185, "null": 100}
BATCHES, WARM_BATCHES = 200, 3


def nanoseconds(program, preload, batches):
    return {word: float(number) for word, number in
            (line.split() for line in common.run([program, batches], preload).splitlines())}


def main(quick):
    common.heading("File I/O: ns and instructions per call")
    mpi = "mpich"
    common.make("instructions.o", "gcc", "-O2", "-c", "instructions.c")
    program = common.mpicc(mpi, "files", "files.c", common.MADE / "instructions.o")
    ways = {"plain": (), "fathom": (common.LIBRARY,)}
    runs = common.alternate(2 if quick else 12, ways, lambda way: nanoseconds(program, ways[way], 20 if quick else BATCHES))
    count = {way: common.instructions([program, WARM_BATCHES], preload) for way, preload in ways.items()}
    rows, goals = [], []
    for loop, name in LOOPS.items():
        plain, measured = ([run[loop] for run in runs[way]] for way in ways)
        more = min(measured) - min(plain)
        instructions = (count["fathom"][loop] - count["plain"][loop]) / CALLS
        rows.append([name, f"{min(plain):.0f}", f"{min(measured):.0f}", f"{more:.0f}", f"{min(measured) / min(plain):.3f}",
                     f"{instructions:.0f}"])
        few = (instructions <= GOAL_INSTRUCTIONS[loop],
               f"{name}: {instructions:.0f} instructions more (goal {GOAL_INSTRUCTIONS[loop]})")
        goals.append(([plain], more <= GOAL_NS, f"{name}: {more:.0f} ns more (goal {GOAL_NS})", few))
    common.table(["per call", "plain", "fathom", "more ns", "ratio", "more instr."], rows)
    for goal in goals:
        common.time_goal(*goal)
    common.time_goal([[run["write"] for run in runs["plain"]]],
                     min(run["write"] for run in runs["fathom"]) <= GOAL_RATIO * min(run["write"] for run in runs["plain"]),
                     f"a loop of 4 kB writes takes at most {GOAL_RATIO} times as long")
