# SPDX-License-Identifier: BSD-3-Clause
"""From entering MPI_Finalize to the end of the process, with and without Fathom."""
import common

MANY = 64
GOAL_S = 0.15


def measure(program, mpi, ranks, preload):
    """(longest of any rank, from the last rank's entry to the last rank's end) in seconds"""
    results = common.MADE / "finalize.txt"
    results.unlink(missing_ok=True)
    common.run([program, results], preload, ranks=(mpi, ranks))
    times = [[int(n) for n in line.split()] for line in results.read_text(encoding="ascii").splitlines()]
    if len(times) != ranks:
        raise SystemExit(f"bench: {len(times)} of {ranks} ranks told their times.")
    longest = max(end - entered for entered, end in times)
    return longest / 1e9, (max(end for _, end in times) - max(entered for entered, _ in times)) / 1e9


def main(quick):
    alternations, ranks = 1 if quick else 7, common.scaled(MANY, 4)
    common.heading(f"MPI_Finalize to the end of the process, {ranks} ranks (s, minima of {alternations} alternations)")
    rows, goals = [], []
    for mpi, name in common.MPIS.items():
        program = common.mpicc(mpi, "finalize", "finalize.c")
        found = common.alternate(alternations, ((), (common.LIBRARY,)),
                                 lambda preload: measure(program, mpi, ranks, preload))
        (plain, plain_all), (fathom, fathom_all) = (tuple(map(min, zip(*times))) for times in found.values())
        rows.append([name, f"{plain:.3f}", f"{fathom:.3f}", f"{fathom - plain:+.3f}", f"{plain_all:.3f}",
                     f"{fathom_all:.3f}", f"{fathom_all - plain_all:+.3f}"])
        goals.append(([[longest for longest, _ in found[()]]], fathom - plain <= GOAL_S,
                      f"{name}: {fathom - plain:+.3f} s for the slowest rank (goal + {GOAL_S} s)"))
    common.table(["", "slowest rank", "Fathom", "more", "all in to all out", "Fathom", "more"], rows)
    for goal in goals:
        common.time_goal(*goal)
