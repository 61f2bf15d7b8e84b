#!/usr/bin/env python3
"""Stacks are complete: of programs in many languages, built with optimisation and without frame pointers, 99.9 % of the
samples and more are followed to their end, main or the start of a thread, and the functions in which they compute have
their names."""
import math
import os
import re
import subprocess

import counting
import debian
import jobs
from trees import check_agreement, check_csv, gap_ns, is_function, ns, walk

RANKS, HZ, COMPLETE = 2, 997, 0.999
# In C++ exceptions are thrown all the time; as one lands, the frame of the function that throws is taken apart. That is
# 1 to 4 of 1,000 samples there.
COMPLETE_THROWING = 0.99
AT_START = 0.995  # of the time; before main and after it there are others than main
ENOUGH, MOST_RUNS = 1000, 4
OURS = 0.05  # of the time below main that may be spent on the way into calls of MPI and out of them
# where threads start that are not the program's own: of MPI, of OpenMP and of OpenBLAS
THREADS = re.compile(r"lib(gomp|openblas|pmix|open-pal|open-rte|ucs|uct|ucp|mpi|mpich|fabric|psm2|event_\w+)\b")
LIBC = ("start_thread", "clone", "__clone3", "thread_start")  # before the first function of a thread

PYTHON = """
import math, time
from mpi4py import MPI

def compute(n):
    return sum(math.sqrt(i) for i in range(n))

end = time.monotonic() + 1
while MPI.COMM_WORLD.bcast(time.monotonic() < end):
    compute(20000)
"""


def outermost(root):
    """(name, load module) -> ns of what is called by nobody, without the gaps."""
    return {(node["name"], node["module"]): ns(node, "inclusive_s") for node in root["children"] if node["kind"] != "gap"}


def is_start(name, module, starts):
    return name in (*starts, *LIBC) or bool(module and THREADS.match(module))


def ours_ns(root):
    """Below main: on the way into calls that Fathom stands in front of, and out of them."""
    return sum(ns(node, "inclusive_s") for node, way in walk(root)
               if is_ours(node) and not any(is_ours(up) for up in way) and any(up["name"] == "main" for up in way))


def is_ours(node):
    return is_function(node) and (node["module"] or "").startswith("libfathom")


def gaps(root):
    """What hangs below nobody knows what, as a reader of a failure wants to see it."""
    return [" > ".join(n["name"] for n in (*way[2:], node)) for top in root["children"] if top["kind"] == "gap"
            for node, way in walk(top, (root,)) if not node["children"]]


def check_one(tap, title, job, kernels, starts):
    """One run: its samples, and how many of them are not complete."""
    calls = job.report()["calls"]
    root, total = calls["root"], ns(calls, "time_s")
    partial = round(calls["samples"] * (1 - calls["complete_fraction"]))
    tap.note(f"{title}: {calls['samples']} samples, {partial} not complete, {ours_ns(root) / total:.3%} in Fathom")
    tap.equal(gap_ns(root) > 0, partial > 0, f"{title}: what is not complete is told of in the tree")
    for path in gaps(root):
        tap.note(f"{title}: not complete: {path}")
    elsewhere = {key: time for key, time in outermost(root).items() if not is_start(*key, starts)}
    tap.ok(sum(elsewhere.values()) <= (1 - AT_START) * total, f"{title}: samples end at the start of a thread", elsewhere)
    seen = {node["name"].rpartition("::")[2] for node, _ in walk(root) if is_function(node)}
    tap.equal(sorted(set(kernels) - seen), [], f"{title}: functions have their names")
    tap.ok(ours_ns(root) <= OURS * total, f"{title}: Fathom is not in the way", ours_ns(root), total)
    check_agreement(tap, title, calls)
    check_csv(tap, title, job.profiles()[0], calls)
    return calls["samples"], partial


def check(tap, title, mpi, command, kernels, starts=("main",), files=(), ranks=RANKS, complete=COMPLETE):
    """kernels: functions that take time; starts: where threads of the program begin. On a busy machine a sample stands for
    many periods: so it is run until there are enough."""
    samples = partial = runs = 0
    while samples < ENOUGH and runs < MOST_RUNS:
        job = jobs.run(jobs.AROUND, mpi, ranks, command, env={"FATHOM_SAMPLE": str(HZ)}, files=files)
        if not tap.ok(job.status == 0 and len(job.profiles()) == 1, f"{title}: runs", job):
            return
        more = check_one(tap, title, job, kernels, starts)
        samples, partial, runs = samples + more[0], partial + more[1], runs + 1
    # a few thousand samples tell a rate of 0.1 % only so well: three deviations of a count are chance
    expected = (1 - complete) * samples
    tap.ok(samples and partial <= expected + 3 * math.sqrt(expected), f"{title}: stacks are complete", partial, samples)


def check_sources(tap, mpi):
    for language, source, flags, kernels in (
            ("C", "truth.c", ["-O2"], ["main", "rounds", "lead", "outer", "inner", "nap", "MPI_Recv"]),
            ("C++", "paths.cpp", ["-O3"], ["main", "area", "value", "fall", "throw_often", "sort_much"]),
            ("Fortran", "truth.F90", ["-O3"], ["main", "truth", "outer", "inner", "MPI_Recv"]),
            ("OpenMP in C", "team.c", ["-O2", "-fopenmp", "-lm"], ["main", "work", "MPI_Allreduce"]),
            ("OpenMP in Fortran", "team.f90", ["-O3", "-fopenmp"], ["main", "team", "work"])):
        name = f"complete-{source.replace('.', '-')}"
        program = counting.compile_program(mpi, name, source, flags=["-fomit-frame-pointer", *flags])
        check(tap, f"{language}, {mpi.short}", mpi, [program, "1000"] if "truth" in source else [program], kernels,
              complete=COMPLETE_THROWING if language == "C++" else COMPLETE)


def check_coarrays(tap, mpi):
    title = f"Coarray Fortran, {mpi.short}"
    compiler = f"/usr/bin/caf.{mpi.name}"
    if not os.path.exists(compiler):
        tap.skip(title, "OpenCoarrays is not installed")
        return
    program = jobs.SCRATCH / f"images.{mpi.name}"
    subprocess.run([compiler, "-O2", "-g", "-fomit-frame-pointer", "-o", str(program),
                    str(counting.PROGRAMS / "images.f90")], check=True, cwd=jobs.SCRATCH)
    # OpenCoarrays initialises MPI in a constructor, before main
    check(tap, title, mpi, [program], ["main", "images", "relax"], starts=("main", "call_init"))


def check_debian(tap):
    for title, program, kernels, starts, ranks in (
            ("hpcc", debian.hpcc(), ["main", "MPI_Waitall"], ["main"], 4),  # nothing else in it has a name
            ("LAMMPS", debian.lammps(cells=10), ["main", "file", "run", "compute", "reverse_comm", "MPI_Send"], ["main"], 2),
            # main jumps into Py_BytesMain, which leaves no frame behind
            ("mpi4py", debian.python(PYTHON), ["_PyEval_EvalFrameDefault", "MPI_Bcast"], ["Py_BytesMain"], 2)):
        if program:
            check(tap, title, program.mpi, program.command, kernels, starts, program.files, ranks)
        else:
            tap.skip(title, "it is not installed")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        check_sources(tap, mpi)
        check_coarrays(tap, mpi)
    check_debian(tap)
    tap.done()


main()
