# SPDX-License-Identifier: BSD-3-Clause
"""What Fathom adds to an MPI call, beside the floor: a bare interposer with a pair of clock reads and five counters."""
import common

ROUTINES = {"comm_rank": ("Comm_rank", 1), "test": ("Test", 1), "sendrecv": ("Sendrecv", 1),
            "waitall": ("Irecv, Isend, Waitall", 3), "allreduce": ("Allreduce", 1),
            "made": ("Allreduce, communicator of its own", 1)}
VARIANTS = {"one": "1 site, 8 B", "many": "64 sites, 100 sizes"}
LANGUAGES = ("C", "Fortran")
GOAL_NS, GOAL_INSTRUCTIONS = 20, 120  # above the floor, per call
GOAL_NONBLOCKING = 140  # instructions: see doc/DECISIONS.md, "What `make bench` judges"
LOOP_CALLS = 6400  # statements in a loop between the brackets of instructions.c
BATCHES = 30
WARM_BATCHES = 5  # before the instructions are counted: by then the extremes of most keys are known


def build():
    common.make("instructions.o", "gcc", "-O2", "-c", "-fPIC", "instructions.c")
    brackets = common.MADE / "instructions.o"
    for mpi in common.MPIS:
        common.mpicc(mpi, "bare", "-shared", "-fPIC", "bare.c")
        common.mpicc(mpi, "calls_C", "calls.c", brackets)
        common.make(f"calls_Fortran.{mpi}", f"mpifort.{mpi}", "-O2", "-g", "-cpp", "-ffree-line-length-none",
                    "-J", str(common.MADE), "calls.f90", str(brackets))


def preloads(mpi):
    return {"plain": (), "bare": (common.MADE / f"bare.{mpi}",), "fathom": (common.LIBRARY,)}


def nanoseconds(program, mpi, alternations):
    """{how: {loop: [ns per call, of each alternation]}}"""
    found = {how: {} for how in preloads(mpi)}
    for _ in range(alternations):
        for how, preload in preloads(mpi).items():
            for line in common.run([program, common.scaled(BATCHES, 2)], preload).splitlines():
                loop, ns = line.split()
                found[how].setdefault(loop, []).append(float(ns))
    return found


def instructions(program, mpi):
    """{how: {loop: (instructions per call, those of the interposer among them)}}. Without samples, which have a part of their
    own: after one a second, memos are made anew, and under callgrind few calls are a second."""
    counts = {}
    for how, preload in preloads(mpi).items():
        counted = common.instructions([program, common.scaled(WARM_BATCHES, 1)], preload, own=preload[0].name if preload else "",
                                      FATHOM_SAMPLE="off")
        counts[how] = {loop: tuple(n / (LOOP_CALLS * ROUTINES[loop.split("/")[0]][1]) for n in both)
                       for loop, both in counted.items()}
    return counts


def report(language, mpi, ns, count):
    rows, goals = [], []
    name = f"{language}, {common.MPIS[mpi]}"
    for loop, plain in ns["plain"].items():
        routine, variant = loop.split("/")
        title = f"{ROUTINES[routine][0]}, {VARIANTS[variant]}"
        bare, fathom = (min(ns[how][loop]) - min(plain) for how in ("bare", "fathom"))
        bare_count, fathom_count = (count[how][loop][1] for how in ("bare", "fathom"))
        of_mpi = count["fathom"][loop][0] - fathom_count - count["plain"][loop][0]
        more, more_count = fathom - bare, fathom_count - bare_count
        rows.append([title, f"{min(plain):.1f}", f"{bare:.1f}", f"{fathom:.1f}", f"{more:+.1f}", f"{bare_count:.0f}",
                     f"{fathom_count:.0f}", f"{more_count:+.0f}", f"{of_mpi:+.0f}"])
        goal = GOAL_NONBLOCKING if routine == "waitall" else GOAL_INSTRUCTIONS
        enough = (more_count <= goal, f"{name}: {title}: floor {more_count:+.0f} instructions (goal + {goal})")
        goals.append(([plain], more <= GOAL_NS, f"{name}: {title}: floor {more:+.1f} ns (goal + {GOAL_NS} ns)", enough))
    print(f"  {name}: per MPI call; what the bare interposer (the floor) and what Fathom add; the last column is what MPI")
    print("  itself runs more, because it is asked for the status of what it received")
    common.table(["routine", "plain ns", "floor ns", "Fathom ns", "more", "floor instr.", "Fathom instr.", "more", "MPI"],
                 rows)
    for plain, met, text, enough in goals:
        if max(map(common.apart, plain)) <= common.AGREE:  # else the next line says it
            common.goal(*enough)
        common.time_goal(plain, met, text, enough)
    print(flush=True)


def main(quick):
    alternations = common.scaled(2 if quick else 12, 1)
    common.heading(f"An MPI call (minima of {alternations} alternations; instructions by callgrind)")
    build()
    for language in common.scaled(LANGUAGES, LANGUAGES[-1:]):
        for mpi in common.MPIS:
            program = common.MADE / f"calls_{language}.{mpi}"
            report(language, mpi, nanoseconds(program, mpi, alternations), instructions(program, mpi))
