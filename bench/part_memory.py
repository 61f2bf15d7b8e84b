# SPDX-License-Identifier: BSD-3-Clause
"""Memory of a process of one rank beyond the segment, and allocations while it calls MPI. Its own pages are those that no
other process can use; pages of libraries are there once for all processes of a host."""
import common

SEGMENT_KB = 4096
GOAL_OWN_KB, GOAL_SHARED_KB = 512, 2048
GOAL_PEAK_KB = SEGMENT_KB + 1024


def measure(program, preload):
    words = {line.split()[0]: [int(n) for n in line.split()[1:]] for line in common.run([program], preload).splitlines()}
    own, shared = words["during"]
    return {"own": own, "shared": shared, "peak": words["after"][0], "allocations": words["allocations"][0]}


def main(quick):
    common.heading("Memory of a process (kB)")
    counter = common.make("allocations.so", "gcc", "-O2", "-D_GNU_SOURCE", "-shared", "-fPIC", "allocations.c")
    rows, goals = [], []
    for mpi, name in common.MPIS.items():
        program = common.mpicc(mpi, "memory", "memory.c")
        found = {"plain": [], "fathom": []}
        for _ in range(1 if quick else 3):
            found["plain"].append(measure(program, [counter]))
            found["fathom"].append(measure(program, [counter, common.LIBRARY]))
        least = {how: {k: min(f[k] for f in all_found) for k in all_found[0]} for how, all_found in found.items()}
        plain, fathom = least["plain"], least["fathom"]
        more = {k: fathom[k] - plain[k] for k in plain}
        rows.append([name, *(figure for k in plain for figure in (plain[k], f"{more[k]:+}"))])
        goals.append((more["own"] <= GOAL_OWN_KB, f"{name}: {more['own']} kB of its own while running, the segment apart "
                                                  f"(goal {GOAL_OWN_KB} kB)"))
        goals.append((more["shared"] <= GOAL_SHARED_KB, f"{name}: {more['shared']} kB of libraries, which the processes of a "
                                                        f"host share (goal {GOAL_SHARED_KB} kB)"))
        goals.append((more["peak"] <= GOAL_PEAK_KB, f"{name}: {more['peak']} kB at the peak, segment and merge included "
                                                    f"(goal {GOAL_PEAK_KB} kB)"))
        goals.append((more["allocations"] == 0, f"{name}: {more['allocations']} more allocations in 12,000 calls (goal 0)"))
    common.table(["", "own, plain", "more", "libraries", "more", "peak", "more", "allocations", "more"], rows)
    for met, text in goals:
        common.goal(met, text)
