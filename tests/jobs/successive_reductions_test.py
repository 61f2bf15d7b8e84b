#!/usr/bin/env python3
"""Reductions that follow each other are counted exactly, by pair of lines; only those whose results nobody uses in
between are said to be mergeable, however busy the machine is."""
import collections
import os
import re
import subprocess

import jobs

PROGRAMS = jobs.SOURCE / "tests/jobs/programs"
RANKS, STEPS, LOOPS, TIMES = 2, 100, 2, 480
MARK = re.compile(r"(?:/\*|!) ([a-z]+(?: \d)?)(?: \*/)?$")
# (first, second): how often on a rank, whether the second sends what the first has received, whether they may be one
PAIRS = {
    ("norm 1", "norm 2"): (STEPS, False, True),
    ("alpha", "beta"): (STEPS, False, False),
    ("chain 1", "chain 2"): (STEPS, True, False),
    ("chain 3", "chain 4"): (STEPS, True, False),
    ("loop", "loop"): (LOOPS * (TIMES - 1), False, True),
}
ONLY_C = {
    ("chain 4", "apart 1"): (STEPS, False, True),
    ("reduce 1", "reduce 2"): (STEPS, False, True),
    ("pair 1", "pair 2"): (STEPS, True, False),
}
COMPILERS = [("successive.c", "gcc"), ("successive.c", "clang"), ("successive.f90", "gfortran")]


def marks_of(source):
    """{line: mark}"""
    found = {}
    for number, line in enumerate((PROGRAMS / source).read_text(encoding="utf-8").splitlines(), 1):
        match = MARK.search(line)
        if match:
            found[number] = match[1]
    return found


def build(mpi, source, compiler, flag):
    target = jobs.SCRATCH / f"{compiler}{flag}.{mpi.name}"
    env = {**os.environ, "OMPI_CC": compiler, "MPICH_CC": compiler, "OMPI_FC": compiler, "MPICH_FC": compiler}
    # -w: with MPICH's module mpi, gfortran warns of buffers of different types
    wrapper = [f"mpifort.{mpi.name}", "-w"] if source.endswith("f90") else [f"mpicc.{mpi.name}"]
    subprocess.run([*wrapper, flag, "-g", "-pthread", "-o", str(target), str(PROGRAMS / source), "-lm"], env=env, check=True)
    return str(target)


def pairs_of(job, source):
    """{(first, second): [count, dependent, mergeable]}; a line can have several call sites."""
    marks = marks_of(source)
    found = collections.defaultdict(lambda: [0, False, True])
    for item in job.report()["mpi"]["successions"]:
        pair = found[marks.get(item["first"]["line"]), marks.get(item["second"]["line"])]
        pair[0] += item["count"]
        pair[1] |= item["dependent"]
        pair[2] &= item["mergeable"]
    return {names: tuple(values) for names, values in found.items()}


def check(tap, title, mpi, source, program, ranks=RANKS):
    job = jobs.run(jobs.PRELOAD, mpi, ranks, [program])
    if not tap.ok(job.status == 0, f"{title}: the program ends well", job):
        return
    pairs = {**PAIRS, **(ONLY_C if source.endswith(".c") else {})}
    wanted = {names: (count * ranks, dependent, mergeable) for names, (count, dependent, mergeable) in pairs.items()}
    tap.equal(pairs_of(job, source), wanted, f"{title}: each pair is counted, and which of them may be one")


def check_threads(tap, mpi):
    source = "successive_threads.c"
    job = jobs.run(jobs.PRELOAD, mpi, RANKS, [build(mpi, source, "gcc", "-O2")])
    if job.status == 77:
        tap.skip(f"{mpi.short}: threads", "it has no MPI_THREAD_MULTIPLE")
        return
    all_rounds = RANKS * 4 * 2 * 300
    got = {names: values[0] for names, values in pairs_of(job, source).items()} if job.status == 0 else job
    tap.equal(got, {("first", "second"): all_rounds, ("second", "first"): all_rounds - RANKS * 4 * 2},
              f"{mpi.short}: threads do not follow each other, nor those that had their slot before")


def check_late(tap, mpi):
    """Also with a dependence that begins later; and no call is left out when it is looked for."""
    source = "successive_late.c"
    job = jobs.run(jobs.PRELOAD, mpi, RANKS, [build(mpi, source, "gcc", "-O2")])
    got = pairs_of(job, source) if job.status == 0 else job
    tap.equal(got, {("late 1", "late 2"): (int(job.stdout or 0) * RANKS, True, False)},
              f"{mpi.short}: a dependence that begins after thousands of calls")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        for source, compiler in COMPILERS:
            for flag in ("-O2", "-O3"):
                check(tap, f"{mpi.short}, {compiler} {flag}", mpi, source, build(mpi, source, compiler, flag))
        check_threads(tap, mpi)
        check_late(tap, mpi)
    tap.done()


main()
