#!/usr/bin/env python3
"""Timers of the application: in the profile without a report call, on some ranks only, nested, of several threads,
used wrongly, after a kill, from Fortran, and in a program that is linked with the library and knows nothing else."""
import subprocess

import counting
import jobs

RANKS = 4
LINKED = [f"-I{jobs.SOURCE / 'include'}", f"-L{jobs.BUILD}", "-lfathom", f"-Wl,-rpath,{jobs.BUILD}", "-pthread"]
SOURCE_FORTRAN = str(jobs.SOURCE / "fortran" / "fathom.f90")


def timers(report):
    """Name -> (ranks, parent, fewest and most events of a rank, all events)."""
    return {t["name"]: (t["ranks"], t["parent"], t["events"]["min"], t["events"]["max"], counted(t))
            for t in report["timers"]}


def counted(timer):
    """All events, as the histograms have them."""
    total = 0
    for histogram in timer["histograms"]:
        tasks = sum(last - first + 1 for first, last in ranges(histogram["ranks"]))
        total += sum(b["avg"] * tasks for b in histogram["bins"])
    return round(total)


def ranges(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield int(first), int(last or first)


PLAIN = {"step": ("0-3", "", 20, 20, 80), "inner": ("0-3", "step", 40, 40, 160), "odd": ("1,3", "", 5, 5, 10)}


def check(tap, mpi, program, case, way, wanted, ranks=RANKS, status=0):
    title = f"{mpi.short if mpi else 'no MPI'}, {case}, {way}"
    job = jobs.run(way, mpi, ranks, [program, case])
    if status == 0:
        tap.ok(job.status == 0 and not job.stdout, f"{title}: the program ends well", job)
    if not job.profiles():
        job.collect("--wait", "10")  # Hydra does not wait for the ranks that it kills
    report = job.report()
    tap.equal(timers(report), wanted, f"{title}: timers")
    return job, report


def check_mpi(tap, mpi):
    program = counting.compile_program(mpi, "timers", "timers.c", flags=LINKED)
    for way in (jobs.BARE, jobs.AROUND, jobs.INSIDE, jobs.PRELOAD):  # linked, so it is measured in any case
        job, report = check(tap, mpi, program, "plain", way, PLAIN)
    step = next(t for t in report["timers"] if t["name"] == "step")
    inner = next(t for t in report["timers"] if t["name"] == "inner")
    tap.ok(step["in_other_timers_s"] == inner["time_s"] and step["time_s"] >= inner["time_s"],
           f"{mpi.short}: the time of inner timers is known", step, inner)
    tap.equal(step["first_half"]["events"] + step["second_half"]["events"], 80, f"{mpi.short}: halves of the run")
    text = subprocess.run([jobs.FATHOM, "report", "--view", "timers", job.profiles()[0]], capture_output=True,
                          check=True, text=True).stdout
    tap.ok(text.startswith("*** profile for 4 tasks ***\n") and "\n*** odd\ntasks: 1,3\nevents per task: 5 max" in text,
           f"{mpi.short}: the report in text", text)
    _, report = check(tap, mpi, program, "misuse", jobs.BARE, {"first": ("0-3", "", 1, 1, 4),
                                                               "second": ("0-3", "", 1, 1, 4)})
    tap.equal({n["text"]: n["amount"] for n in report["job"]["notes"] if "timer" in n["text"]},
              {"starts of timers that were running": RANKS, "stops of timers that were not running": RANKS,
               "handles of timers that belong to another name": RANKS},
              f"{mpi.short}: wrong use is counted")
    check(tap, mpi, program, "threads", jobs.BARE, {"work": ("0-3", "", 400, 400, 1600)})
    check(tap, mpi, program, "kill", jobs.PRELOAD,
          {"step": ("0-3", "", 10, 20, 70), "inner": ("0-3", "step", 20, 40, 140), "odd": ("3", "", 5, 5, 5)},
          status=None)
    check_reports(tap, mpi, program)
    for flags in ([], ["-DUSE_F08"]):
        fortran = counting.compile_program(mpi, "fortran-timers" + "".join(flags), "timers.F90", first=[SOURCE_FORTRAN],
                                           flags=[*flags, f"-J{jobs.SCRATCH}", *LINKED])
        job, _ = check(tap, mpi, fortran, "-", jobs.AROUND, {"step": ("0-3", "", 30, 30, 120),
                                                             "pcg iteration": ("0,2", "step", 30, 30, 60)})
        text = (job.work / "report.txt").read_text(encoding="utf-8")
        tap.ok(text.startswith("*** profile for 4 tasks ***\n") and "\n*** pcg iteration\ntasks: 0,2\n" in text,
               f"{mpi.short}, Fortran {' '.join(flags)}: report_timers", text)
    return program


def check_reports(tap, mpi, program):
    """A program's own reports have the same numbers as the profile, and the ranks of their communicator."""
    job, _ = check(tap, mpi, program, "report", jobs.AROUND, PLAIN)
    whole, odd = ((job.work / f"{name}.txt").read_text(encoding="utf-8") for name in ("all", "odd"))
    later = subprocess.run([jobs.FATHOM, "report", "--view", "timers", job.profiles()[0]], capture_output=True,
                           check=True, text=True).stdout
    tap.equal(whole, later, f"{mpi.short}: report_timers and fathom report agree")
    tap.ok("\n*** odd\ntasks: 0-1\nevents per task: 5 max, 5 min, 5 avg (2 tasks)\n" in odd,
           f"{mpi.short}: the report of a sub-communicator", odd)
    job = jobs.run(jobs.BARE, mpi, RANKS, [program, "report"], env={"FATHOM_TICK": "1s"})
    text = (job.work / "all.txt").read_text(encoding="utf-8")
    tap.ok(job.status == 0 and "\n0 tick(s): 20 max (task 0)" in text, f"{mpi.short}: in ticks of a second", text)


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = check_mpi(tap, mpi)
    alone = {"step": ("0", "", 20, 20, 20), "inner": ("0", "step", 40, 40, 40)}
    check(tap, None, program, "alone", jobs.AROUND, alone)
    job = jobs.run(jobs.BARE, None, 1, [program, "alone"])
    tap.ok(job.status == 0 and not job.profiles() and not job.left(), "no MPI and no fathom run: nothing is left", job)
    tap.ok(b"*** profile for 1 task ***" in job.stderr, "no MPI: its own report", job)
    job = jobs.run(jobs.BARE, jobs.MPIS[0], 2, [program, "plain"], env={"FATHOM_DISABLE": "1"})
    tap.ok(job.status == 0 and not job.profiles() and not job.left(), "switched off", job)
    tap.done()


main()
