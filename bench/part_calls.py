"""What Fathom adds to an MPI call, beside what the bare interposer adds: nanoseconds and instructions."""
import common

ROUTINES = {"comm_rank": ("Comm_rank", 1), "test": ("Test", 1), "sendrecv": ("Sendrecv", 1),
            "waitall": ("Irecv, Isend, Waitall", 3), "allreduce": ("Allreduce", 1)}
VARIANTS = {"one": "1 site, 8 B", "many": "64 sites, 100 sizes"}
GOAL_NS = {"C": 20, "Fortran": 40}
GOAL_INSTRUCTIONS = 200
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
    """{how: {loop: ns per call}}, each the minimum over the alternations."""
    best = {how: {} for how in preloads(mpi)}
    for _ in range(alternations):
        for how, preload in preloads(mpi).items():
            for line in common.run([program, BATCHES], preload).splitlines():
                loop, ns = line.split()
                best[how][loop] = min(best[how].get(loop, float("inf")), float(ns))
    return best


def instructions(program, mpi):
    """{how: {loop: instructions per call}}"""
    counts = {}
    for how, preload in preloads(mpi).items():
        counted = common.instructions([program, WARM_BATCHES], preload)
        counts[how] = {loop: n / (LOOP_CALLS * ROUTINES[loop.split("/")[0]][1]) for loop, n in counted.items()}
    return counts


def report(language, mpi, ns, count):
    rows = []
    worst_ns = worst_count = float("-inf")
    ratios = []
    for loop in ns["plain"]:
        routine, variant = loop.split("/")
        bare, fathom = (ns[how][loop] - ns["plain"][loop] for how in ("bare", "fathom"))
        bare_count, fathom_count = (count[how][loop] - count["plain"][loop] for how in ("bare", "fathom"))
        worst_ns, worst_count = max(worst_ns, fathom - bare), max(worst_count, fathom_count - bare_count)
        ratios.append(fathom / bare if bare > 0 else float("inf"))
        rows.append([f"{ROUTINES[routine][0]}, {VARIANTS[variant]}", f"{ns['plain'][loop]:.1f}", f"{bare:.1f}",
                     f"{fathom:.1f}", f"{fathom - bare:+.1f}", f"{ratios[-1]:.1f}", f"{bare_count:.0f}",
                     f"{fathom_count:.0f}", f"{fathom_count - bare_count:+.0f}"])
    print(f"  {language}, {common.MPIS[mpi]}: per MPI call; what the bare interposer and what Fathom add")
    common.table(["routine", "plain ns", "bare ns", "Fathom ns", "more", "ratio", "bare instr.", "Fathom instr.", "more"],
                 rows)
    name = f"{language}, {common.MPIS[mpi]}"
    limit = GOAL_NS[language]
    common.goal(worst_count <= GOAL_INSTRUCTIONS,
                f"{name}: bare + {worst_count:.0f} instructions at most (goal + {GOAL_INSTRUCTIONS})")
    common.goal(worst_ns <= limit, f"{name}: bare + {worst_ns:.1f} ns at most (goal + {limit} ns)")
    common.goal(max(ratios) <= 1.2, f"{name}: {min(ratios):.1f} to {max(ratios):.1f} times the bare interposer (aim 1.2)")
    print(flush=True)


def main(quick):
    alternations = 2 if quick else 12
    common.heading(f"An MPI call (minima of {alternations} alternations; instructions by callgrind)")
    build()
    for language in GOAL_NS:
        for mpi in common.MPIS:
            program = common.MADE / f"calls_{language}.{mpi}"
            report(language, mpi, nanoseconds(program, mpi, alternations), instructions(program, mpi))
