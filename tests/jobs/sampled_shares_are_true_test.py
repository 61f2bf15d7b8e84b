#!/usr/bin/env python3
"""Samples tell the truth: programs measure what their functions really took, and every share above 5 % lies in the 99 %
interval of as many samples. Turns are about as long as the time between samples, so that there is less chance in them
than in throws of dice; what a busy machine adds is mended by a second run, in which the same share must be wrong again.
"""
import math

import counting
import jobs
from trees import check_agreement, check_csv, is_function, ns, walk

RANKS, RUN_MS, LEAST = 2, 3000, 0.05
HZ = 997  # prime: 1000 is in step with the clock of the kernel, by which a busy machine gives turns to programs
FLAGS = ("-O2", "-fomit-frame-pointer")
Z = 2.576  # of 99 %


def short(node):
    """A name without the module of Fortran."""
    return node["name"].rpartition("::")[2]


def is_wrapper(node):
    """Samples on the way into a routine and out of it are not in the routine."""
    return node["kind"] == "frame" and "MPI_" in node["name"]


def sampled(calls):
    """What the tree says of the functions, in ns, below the rounds: by the names of the programs, and with sums of them."""
    found = {}

    def add(name, value):
        found[name] = found.get(name, 0) + value

    for node, way in walk(calls["root"]):
        names = [short(up) for up in way if is_function(up)]
        if not is_function(node) or is_wrapper(node) or "rounds" not in names + [short(node)]:
            continue
        name = short(node)
        if name in ("rounds", "outer", "inner", "nap", "MPI_Recv"):
            add(f"{name} in all", ns(node, "inclusive_s"))
        if name in ("alpha", "outer", "late", "inner", "MPI_Recv"):
            add(name, ns(node, "exclusive_s"))
        if name == "inner":
            add("inner below outer" if "outer" in names else "inner below rounds", ns(node, "inclusive_s"))
    return found


def told(job):
    """What the program says of itself, in the same words."""
    spent = {name: int(value) for name, value in map(str.split, job.stdout.decode().splitlines())}
    inner = spent["inner"] + spent["inner_of_outer"]
    return {"rounds in all": sum(spent.values()), "alpha": spent["alpha"], "outer": spent["outer"],
            "outer in all": spent["outer"] + spent["inner_of_outer"], "inner": inner, "inner in all": inner,
            "inner below outer": spent["inner_of_outer"], "inner below rounds": spent["inner"], "late": spent["late"],
            "nap in all": spent["nap"], "MPI_Recv": spent["receive"], "MPI_Recv in all": spent["receive"]}


def outside(tap, title, got, wanted, periods):
    """The names whose shares are not what they should be."""
    wrong = set()
    for name, ns_told in wanted.items():
        share = ns_told / wanted["rounds in all"]
        if not LEAST <= share < 1:
            continue
        seen, half = got.get(name, 0) / got["rounds in all"], Z * math.sqrt(share * (1 - share) / periods)
        inside = abs(seen - share) <= half
        tap.note(f"{title}: {name}: {seen:.2%} of {periods} samples, in truth {share:.2%} ± {half:.2%}"
                 f"{'' if inside else ': OUTSIDE'}")
        wrong |= set() if inside else {name}
    return wrong


def flat_agrees(calls, got):
    """Functions that are called in the rounds alone: flat and callers have the same, to the ns."""
    flat = {short(n): n for n, _ in walk(calls["flat"]) if is_function(n) and not is_wrapper(n)}
    callers = {short(n): n for n in calls["callers"]["children"] if not is_wrapper(n)}
    return all(ns(tree[name], f"{kind}_s") == got[name + words] for tree in (flat, callers)
               for kind, words in (("exclusive", ""), ("inclusive", " in all"))
               for name in ("outer", "inner", "late", "nap", "MPI_Recv") if name + words in got)


def measure(tap, title, mpi, program):
    """One run; the names that are wrong in it, or None."""
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program, RUN_MS], env={"FATHOM_SAMPLE": str(HZ)})
    if not tap.ok(job.status == 0 and len(job.profiles()) == 1, f"{title}: runs", job):
        return None
    report = job.report()
    calls, wanted = report["calls"], told(job)
    got = sampled(calls)
    if not tap.ok(got.keys() == wanted.keys(), f"{title}: its functions are there", got, *ways(calls)):
        return None
    check_agreement(tap, title, calls)
    check_csv(tap, title, job.profiles()[0], calls)
    tap.ok(flat_agrees(calls, got), f"{title}: its functions in flat and in callers", got)
    periods = got["rounds in all"] * HZ // 1000000000
    wrong = outside(tap, title, got, wanted, periods)
    wrapped = next(r["time_s"] for r in report["mpi"]["routines"] if r["name"] == "MPI_Recv")
    wrong |= outside(tap, f"{title}, wrappers", got, {"rounds in all": wanted["rounds in all"],
                                                      "MPI_Recv": round(wrapped * 1e9)}, periods)
    # of the rounds not one is lost; at their two ends one may be
    tap.note(f"{title}: {periods} samples in {wanted['rounds in all'] / 1e9} s; {calls['complete_fraction']:.3%} of all "
             "are complete, and others are not known to be of the rounds")
    if abs(periods - wanted["rounds in all"] * HZ / 1e9) > 0.01 * periods:
        wrong.add("number of samples")
    return wrong


def ways(calls):
    return ["/".join(up["name"] for up in (*way, node)) for node, way in walk(calls["root"])]


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        for language, source in (("C", "truth.c"), ("Fortran", "truth.F90")):
            title = f"{language}, {mpi.short}"
            program = counting.compile_program(mpi, f"truth-{language}", source, flags=FLAGS)
            wrong = measure(tap, title, mpi, program)
            if wrong:
                again = measure(tap, f"{title}, again", mpi, program)
                wrong = None if again is None else wrong & again
            tap.ok(wrong == set(), f"{title}: shares are within the 99 % interval", wrong)
    tap.done()


main()
