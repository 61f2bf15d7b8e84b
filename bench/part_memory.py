"""Memory of a process of one rank beyond the segment, and allocations while it calls MPI."""
import common

SEGMENT_KB = 4096
GOAL_KB = 1024


def measure(program, preload):
    words = {line.split()[0]: [int(n) for n in line.split()[1:]] for line in common.run([program], preload).splitlines()}
    return {"own": sum(words["during"]), "peak": words["after"][0], "allocations": words["allocations"][0]}


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
        own, peak = fathom["own"] - plain["own"], fathom["peak"] - plain["peak"]
        allocated = fathom["allocations"] - plain["allocations"]
        rows.append([name, plain["own"], fathom["own"], own, plain["peak"], fathom["peak"], peak, allocated])
        goals.append((own <= GOAL_KB, f"{name}: {own} kB while running, the segment apart (goal {GOAL_KB} kB)"))
        goals.append((peak <= SEGMENT_KB + GOAL_KB,
                      f"{name}: {peak} kB at the peak, segment and merge included (goal {SEGMENT_KB + GOAL_KB} kB)"))
        goals.append((allocated == 0, f"{name}: {allocated} more allocations in 12,000 calls (goal 0)"))
    common.table(["", "plain", "Fathom", "more", "peak plain", "peak Fathom", "more", "more allocations"], rows)
    for met, text in goals:
        common.goal(met, text)
