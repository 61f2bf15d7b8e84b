#!/usr/bin/env python3
"""Functions that ended with a tail call are back in call paths where only one sequence is possible, marked as inferred;
where several are possible, this is marked too. MPI calls are attributed to the function that makes them by a tail
call."""
import csv
import itertools
import os
import re
import subprocess

import jobs
from trees import check_agreement, walk

PROGRAMS = jobs.SOURCE / "tests/jobs/programs"
COMPILERS = {
    "gcc": ("mpicc", "OMPI_CC", "MPICH_CC", "tail_calls.c"),
    "clang": ("mpicc", "OMPI_CC", "MPICH_CC", "tail_calls.c"),
    "g++": ("mpicxx", "OMPI_CXX", "MPICH_CXX", "tail_calls.c"),
    "gfortran": ("mpifort", "OMPI_FC", "MPICH_FC", "tail_calls.f90"),
}


def build(mpi, compiler, level):
    wrapper, openmpi, mpich, source = COMPILERS[compiler]
    target = jobs.SCRATCH / f"tail_calls.{compiler}.{level}.{mpi.name}"
    flags = ["-x", "c++"] if compiler == "g++" else ["-fno-inline"] if compiler == "gfortran" else []
    subprocess.run([f"{wrapper}.{mpi.name}", level, "-g", *flags, "-o", target, PROGRAMS / source], check=True,
                   env={**os.environ, openmpi: compiler, mpich: compiler})
    return target


def plain(name):
    """steps::work, work(int): work"""
    return name.split("(")[0].rpartition("::")[2]


def frames_of(calls):
    """(caller, function) -> the nodes, of all frames and routines."""
    found = {}
    for node, way in walk(calls["root"]):
        if node["kind"] in ("frame", "routine") and way[-1]["kind"] == "frame":
            found.setdefault((plain(way[-1]["name"]), plain(node["name"])), []).append(node)
    return found


def check_paths(tap, title, frames):
    def nodes(*edge):
        return frames.get(edge, [])
    callers = {caller for caller, function in frames if function == "force"}
    tap.equal(callers, {"update_h", "choose"}, f"{title}: nothing else seems to call force")
    tap.equal({caller for caller, function in frames if function == "work"} - {"either"},
              {"update_h", "force", "choose"}, f"{title}: nor work")
    tap.ok(any(node["inferred"] for up, function in frames for node in frames[up, function] if function == "update_h"),
           f"{title}: a function that left is inferred", frames)
    tap.ok(all(not node["callers_missing"] and node["line"] for node in nodes("update_h", "force")),
           f"{title}: the only way is known, and its line", nodes("update_h", "force"))
    unknown = nodes("choose", "force") + nodes("choose", "work")
    tap.ok(unknown and all(node["callers_missing"] for node in unknown),
           f"{title}: of several ways none is chosen", unknown)


def check_routine(tap, title, frames, report):
    callers = {caller for caller, function in frames if function == "MPI_Allreduce"}
    sites = [site for site in report["mpi"]["sites"] if site["routine"] == "MPI_Allreduce"]
    tap.equal(callers, {"global_sum"}, f"{title}: a routine is below the function that ends with it")
    tap.equal([(plain(site["function"]), site["inferred"]) for site in sites], [("global_sum", True)],
              f"{title}: its call site is there")


def check_pointers(tap, title, frames, report):
    """A function that ends with a call by a pointer may have reached any function."""
    found = frames.get(("either", "work"), [])
    tap.ok(found and all(node["callers_missing"] for node in found), f"{title}: by a pointer, the way is unknown", frames)
    tap.ok(not any("rare" in edge or "barrier" in edge for edge in frames), f"{title}: no function that was not called",
           sorted(frames))
    sites = [site for site in report["mpi"]["sites"] if site["routine"] == "MPI_Barrier"]
    tap.equal({(plain(site["function"]), site["inferred"], site["callers_missing"]) for site in sites},
              {("meet", True, True)}, f"{title}: nor at call sites")


def check_cache(tap, title, job):
    """A second report, from the cache of symbols, is the same."""
    def view(kind="calls", *options):
        return subprocess.run([jobs.FATHOM, "report", "--view", kind, *options, "--all", job.profiles()[0]],
                              capture_output=True, text=True, check=True,
                              env={**os.environ, "XDG_CACHE_HOME": str(job.work)}).stdout
    first, second, callers = view(), view(), view("callers")
    tap.ok("(t)" in first and "(?)" in first and "(t): inferred" in first, f"{title}: marks in the text", first)
    tap.equal(second, first, f"{title}: the same from the cache")
    rows = list(csv.DictReader(view("calls", "--format", "csv").splitlines()))
    tap.ok(re.search(r"<- .*update_h.* \(t\)", callers), f"{title}: marks of callers", callers)
    tap.ok(all(any(row[mark] == "1" for row in rows) for mark in ("inferred", "callers_missing")),
           f"{title}: columns for marks in CSV", rows[:5])


def check(tap, mpi):
    for compiler, level in itertools.product(COMPILERS, ("-O2", "-O3")):
        title = f"{mpi.short}, {compiler} {level}"
        job = jobs.run(jobs.AROUND, mpi, 2, [build(mpi, compiler, level)], env={"FATHOM_SAMPLE": "1000"})
        if not tap.ok(job.status == 0, f"{title}: the program runs", job):
            continue
        report = job.report()
        frames = frames_of(report["calls"])
        check_paths(tap, title, frames)
        check_agreement(tap, title, report["calls"])
        if compiler != "gfortran":
            check_routine(tap, title, frames, report)
            check_pointers(tap, title, frames, report)
        if level == "-O2":
            check_cache(tap, title, job)


jobs.check_each(check)
