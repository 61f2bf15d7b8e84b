#!/usr/bin/env python3
"""A function that is called from many lines of another is one row of the view calls, through which the hot path leads;
--lines shows every line. Long names are shortened to fit the terminal, and keep their lines. Percentages of the views of call paths do not count internal threads of MPI, in CSV and JSON neither."""
import csv
import itertools
import json
import os
import re
import subprocess

import jobs
import terminal

PROGRAMS = jobs.SOURCE / "tests/jobs/programs"
COMPILERS = {"gcc": "CC", "clang": "CC", "g++": "CXX"}


def build(mpi, compiler, level):
    variable = COMPILERS[compiler]
    target = jobs.SCRATCH / f"call_lines.{compiler}{level}.{mpi.name}"
    flags = ["-x", "c++"] if compiler == "g++" else []
    subprocess.run([f"mpi{variable.lower()}.{mpi.name}", level, "-g", *flags, "-o", target, PROGRAMS / "call_lines.c"],
                   check=True, env={**os.environ, f"OMPI_{variable}": compiler, f"MPICH_{variable}": compiler})
    return target


def view(job, *options):
    return subprocess.run([jobs.FATHOM, "report", job.profiles()[0], *options], capture_output=True, text=True,
                          check=True).stdout


def rows_of(text, function):
    return [line for line in text.splitlines() if re.search(rf"\b{function}\b.*  (at|from) ", line)]


def check_rows(tap, title, job):
    text = view(job, "--view", "calls")
    shift = rows_of(text, "shift")
    tap.ok(len(shift) == 1 and shift[0].startswith("*") and
           re.search(r"  from [6-9] lines \(call_lines\.c:\d+-\d+\)$", shift[0]),
           f"{title}: calls from many lines are one row of the hot path", text)
    spin = rows_of(text, "spin")
    tap.ok(len(spin) == 1 and spin[0].startswith("*") and re.search(r"from 2 lines \(call_lines\.c:\d+, \d+\)", spin[0]),
           f"{title}: it continues below, merged", text)
    tap.ok(re.search(r"call_lines\.c:\d+ and others +.*shift\(n\)", text) and "--lines shows" in text,
           f"{title}: the source of the heaviest line, and how to see all", text)
    tap.ok(re.search(r"Hot path: .*force.* > .*shift.* > .*spin", view(job).replace("\n ", "")),
           f"{title}: the hot path of the summary continues, too", view(job))
    lines = view(job, "--view", "calls", "--lines", "--all")
    tap.ok(len(rows_of(lines, "shift")) > 5 and " lines (" not in lines, f"{title}: --lines shows each", lines)
    calls = [row for row in view(job, "--view", "calls", "--format", "csv").splitlines() if ",shift" in row]
    tap.ok(len(calls) > 5, f"{title}: so does CSV", calls)


def check_widths(tap, title, job):
    """On a terminal no line is wider, and the line of a call is always there."""
    for columns in (60, 80, 120):
        wide, texts = [], []
        for kind in ("summary", "mpi", "calls", "callers", "flat", "modules"):
            text = terminal.shown(columns, [jobs.FATHOM, "report", job.profiles()[0], "--view", kind])
            wide += [line for line in text.splitlines() if len(line) > columns]
            texts.append(text)
        tap.equal(wide, [], f"{title}: no line is wider than a terminal of {columns} columns")
        tap.ok(re.search(r"solve  at call_names\.cc:\d+$", texts[2], re.MULTILINE) and
               re.search(r"apply  from 3 lines", texts[2]), f"{title}: {columns}: function and line",
               texts[2])
        solvers = re.findall(r"<.*[12]>::solve", texts[4])
        tap.ok(columns < 120 or len(solvers) == len(set(solvers)) == 2, f"{title}: {columns}: different names stay different",
               texts[4])
    tap.ok("operator()" in texts[4] and "(unknown source)" not in texts[4].partition("lib")[0],
           f"{title}: a lambda has a source", texts[4])


def seconds(root):
    return sum(child["inclusive_s"] for child in root["children"])


def check_helpers(tap, title, job):
    """Open MPI has internal threads, MPICH need not."""
    report = job.report()
    whole, left_out = report["calls"]["root"]["inclusive_s"], report["modules"]["left_out_s"]
    tap.ok(abs(seconds(report["calls"]["root"]) - whole) < 1e-6 * whole and report["calls"]["left_out_s"] == left_out and
           abs(whole + left_out - report["calls"]["time_s"]) < 1e-6 * whole, f"{title}: JSON has the same whole",
           report["calls"])
    complete = json.loads(view(job, "--format", "json", "--inside-mpi"))["calls"]
    tap.ok(complete["left_out_s"] == 0 and abs(seconds(complete["root"]) - complete["time_s"]) < 1e-6 * whole,
           f"{title}: or everything with --inside-mpi", complete)
    for options, main in (((), 1), (("--inside-mpi",), whole / (whole + left_out))):
        rows = csv.DictReader(view(job, "--view", "calls", "--format", "csv", *options).splitlines())
        fraction = sum(float(row["fraction"]) for row in rows if row["name"] == "main" and row["depth"] == "1")
        tap.ok(0.98 * main < fraction <= main * 1.001, f"{title}: fractions in CSV {options}", fraction)
    for kind in ("calls", "callers", "flat"):
        text, inside = view(job, "--view", kind), view(job, "--view", kind, "--inside-mpi")
        tap.equal("left out; --inside-mpi shows them" in text, left_out > 0, f"{title}, {kind}: what is left out is said")
        tap.ok("internal threads" not in inside and "main" in inside, f"{title}, {kind}: --inside-mpi", inside)
    top = re.search(r"^\* +([\d.]+) .* main  \[", view(job, "--view", "calls"), re.MULTILINE)
    tap.ok(top and float(top[1]) > 98, f"{title}: the main thread is the whole", view(job, "--view", "calls"))


def check(tap, mpi):
    for compiler, level in itertools.product(COMPILERS, ("-O2", "-O3")):
        title = f"{mpi.short}, {compiler} {level}"
        job = jobs.run(jobs.AROUND, mpi, 2, [build(mpi, compiler, level)], env={"FATHOM_SAMPLE": "500"})
        if not tap.ok(job.status == 0, f"{title}: the program runs", job):
            continue
        check_rows(tap, title, job)
        check_helpers(tap, title, job)


    program = jobs.SCRATCH / f"call_names.{mpi.name}"
    subprocess.run([f"mpicxx.{mpi.name}", "-O2", "-g", "-o", program, PROGRAMS / "call_names.cc"], check=True)
    job = jobs.run(jobs.AROUND, mpi, 2, [program], env={"FATHOM_SAMPLE": "500"})
    if tap.ok(job.status == 0, f"{mpi.short}: templates: the program runs", job):
        check_widths(tap, f"{mpi.short}: templates", job)


jobs.check_each(check)
