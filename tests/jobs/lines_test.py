#!/usr/bin/env python3
"""Lines of Fortran programs are lines that can be: no call is at a declaration, and a statement that continues over
several lines is shown with its first one."""
import re
import subprocess

import jobs
from trees import walk

SOURCE = jobs.SOURCE / "tests/jobs/programs/lines.f90"
DECLARATION = re.compile(r"(use|implicit|integer|real\(dp\)|subroutine|program|module|contains)\b", re.IGNORECASE)


def check_lines(tap, title, report):
    """Every line with something below it is an executable statement."""
    texts = {}
    wrong, calls = [], {}
    for node, way in walk(report["calls"]["root"]):
        if not (node["path"] or "").endswith(".f90"):
            continue
        text = texts.setdefault(node["path"], open(node["path"], encoding="utf-8").read().splitlines())
        line = text[node["line"] - 1].strip() if node["line"] else ""
        if DECLARATION.match(line) or not line and node["line"]:
            wrong.append((node["kind"], node["name"], node["line"], line))
        if node["kind"] == "frame" and way[-1]["kind"] == "frame":
            calls.setdefault(node["name"], set()).add(line)
    tap.equal(wrong, [], f"{title}: no line is a declaration")
    return calls


def check_program(tap, level):
    title = f"gfortran {level}"
    program = jobs.SCRATCH / f"lines{level}"
    subprocess.run(["gfortran", level, "-g", "-J", jobs.SCRATCH, "-o", program, SOURCE], check=True)
    job = jobs.run(jobs.AROUND, None, 1, [program], env={"FATHOM_SAMPLE": "2000"})
    if not tap.ok(job.status == 0, f"{title}: the program runs", job):
        return
    calls = check_lines(tap, title, job.report())
    tap.ok(calls.get("halo::exchange", set()) <= {"call exchange(x, n)", "call exchange(x(1:n), & ! continued",
                                                  "if (t > 3) call exchange(x(1:n:2), n/2)", "call exchange( &"} and
           len(calls.get("halo::exchange", ())) > 1, f"{title}: calls are where they are", calls)
    tap.ok(calls.get("lines::run", {"call run"}) == {"call run"} and calls.get("solver::solve") == {"call solve(x, 1000)"},
           f"{title}: from the main program on", calls)


def check_model(tap, mpi):
    where = jobs.SCRATCH / f"ocean.{mpi.name}"
    subprocess.run(["make", "-s", "-C", str(jobs.SOURCE / "examples/miniocean"), f"FC=mpifort.{mpi.name}",
                    f"BUILD={where}"], check=True, stdout=subprocess.DEVNULL)
    job = jobs.run(jobs.AROUND, mpi, 2, [where / "miniocean", "--steps", 3], env={"FATHOM_SAMPLE": "1000"})
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
    for mpi in jobs.MPIS:
        check_model(tap, mpi)
    tap.done()


main()
