#!/usr/bin/env python3
"""Lines of Fortran programs are lines that can be: no call is at a declaration, and a statement that continues over
several lines is shown with its first one."""
import re
import subprocess

import jobs
import ocean_model
from trees import walk

PROGRAMS = jobs.SOURCE / "tests/jobs/programs"
DECLARATION = re.compile(r"(use|implicit|integer|real\(dp\)|subroutine|program|module|contains)\b", re.IGNORECASE)


def check_lines(tap, title, report):
    """Every line with something below it is an executable statement."""
    texts = {}
    wrong, calls = [], {}
    for node, way in walk(report["calls"]["root"]):
        if not (node["path"] or "").endswith((".f90", ".f")):
            continue
        text = texts.setdefault(node["path"], open(node["path"], encoding="utf-8").read().splitlines())
        line = text[node["line"] - 1].strip() if node["line"] else ""
        if DECLARATION.match(line) or not line and node["line"]:
            wrong.append((node["kind"], node["name"], node["line"], line))
        if node["kind"] == "frame" and way[-1]["kind"] == "frame":
            calls.setdefault(node["name"], set()).add(line)
    tap.equal(wrong, [], f"{title}: no line is a declaration")
    return calls


def calls_of(tap, source, *flags):
    """The lines from which each function is called."""
    title = f"{source}, gfortran {' '.join(flags)}"
    program = jobs.SCRATCH / f"{source}{''.join(flags)}"
    subprocess.run(["gfortran", *flags, "-g", "-J", jobs.SCRATCH, "-o", program, PROGRAMS / source], check=True)
    job = jobs.run(jobs.AROUND, None, 1, [program], env={"FATHOM_SAMPLE": "2000"})
    if not tap.ok(job.status == 0, f"{title}: the program runs", job):
        return title, {}
    return title, check_lines(tap, title, job.report())


def check_program(tap, level):
    title, calls = calls_of(tap, "lines.f90", level)
    tap.ok(calls.get("halo::exchange", set()) <= {"call exchange(x, n)", "call exchange(x(1:n), & ! continued",
                                                  "if (t > 3) call exchange(x(1:n:2), n/2)", "call exchange( &"} and
           len(calls.get("halo::exchange", ())) > 1, f"{title}: calls are where they are", calls)
    tap.ok(calls.get("lines::run", {"call run"}) == {"call run"} and calls.get("solver::solve") == {"call solve(x, 1000)"},
           f"{title}: from the main program on", calls)


def check_other_names(tap, level):
    """A line with a call stays, though another line has the name of the procedure."""
    title, calls = calls_of(tap, "generic_calls.f90", level)
    tap.equal([calls.get(f"kernels::{name}") for name in ("relax_r8", "field_step")],
              [{"call relax(4000000, x)"}, {"call f%advance(4000000)"}], f"{title}: calls by a generic name")


def check_free_form(tap, level):
    """Compilers have an option for the form; the suffix does not tell."""
    title, calls = calls_of(tap, "free_form.f", level, "-ffree-form", "-fno-inline")
    tap.equal([calls.get(f"free_form::{name}") for name in ("first", "second")],
              [{"call first(x)"}, {"call second(x, &", "call second(a, 4000000)"}], f"{title}: free form")


def check_model(tap, mpi):
    job = jobs.run(jobs.AROUND, mpi, 2, [ocean_model.build(mpi), "--steps", 3], env={"FATHOM_SAMPLE": "1000"})
    if not tap.ok(job.status == 0, f"{mpi.short}: the model runs", job):
        return
    calls = check_lines(tap, f"{mpi.short}: the model", job.report())
    wrong = {name: lines for name in ("pcg::sum_products", "pcg::pcg_solve", "halo::halo_exchange")
             for lines in [{line for line in calls.get(name, ()) if name.rpartition("::")[2] not in line}] if lines}
    tap.equal(wrong, {}, f"{mpi.short}: procedures are called where they are named")


def main():
    tap = jobs.Tap()
    for level in ("-O1", "-O2", "-O3"):
        check_program(tap, level)
        check_other_names(tap, level)
    check_free_form(tap, "-O2")
    for mpi in jobs.MPIS:
        check_model(tap, mpi)
    tap.done()


main()
