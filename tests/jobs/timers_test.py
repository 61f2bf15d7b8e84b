#!/usr/bin/env python3
"""Timers of the application: in the profile without a report call, on some ranks only, nested, of several threads,
used wrongly, after a kill, from Fortran, and in a program that is linked with the library and knows nothing else."""
import os
import pathlib
import re
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


def text_report(job, *options):
    return subprocess.run([jobs.FATHOM, "report", "--view", "timers", *options, job.profiles()[0]],
                          capture_output=True, check=True, encoding="utf-8",
                          env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout


def without_drift(text):
    """The halves of a run depend on when the report is made."""
    return [line for line in text.splitlines() if not line.startswith("  drift ")]


def ranges(text):
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        yield int(first), int(last or first)


PLAIN = {"step": ("0-3", "", 20, 20, 80), "inner": ("0-3", "step", 40, 40, 160), "odd": ("1,3", "", 5, 5, 10)}
NOTHING = ("", "", 0, 0, 0)  # a timer without a finished event


def misused(ranks):
    once = (ranks, "", 1, 1, len(counting.ranks_of(ranks)))
    return {"first": once, "second": once, "third": NOTHING, "fourth": once, "fifth": NOTHING, "(none)": NOTHING}


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
    text = text_report(job, "--layout", "paper")
    tap.ok(text.startswith("*** profile for 4 tasks ***\n") and "\n*** odd\ntasks: 1,3\nevents per task: 5 max" in text,
           f"{mpi.short}: the report in text", text)
    text = text_report(job)
    tap.ok(text.startswith("3 timers on 4 tasks.") and "\n  inner " in text and "\ninner, in step\n" in text and
           "\nodd\n  tasks        2 (1,3), 5 events each\n" in text, f"{mpi.short}: the rich report in text", text)
    job, _ = check(tap, mpi, program, "grid", jobs.BARE, PLAIN)
    tap.ok("\nodd\n  tasks        2 (block [0-1, 1] of 2x2), 5 events each\n" in text_report(job),
           f"{mpi.short}: a block of a grid", text_report(job))
    tap.equal(text_report(job, "--histograms", "cluster", "--groups", "1").count("|  0-3"), 2,
              f"{mpi.short}: one group of each timer")
    job, _ = check(tap, mpi, program, "misuse", jobs.BARE, misused("0-3"))
    check_misuse(tap, f"{mpi.short}, C", job, program, "timers.c")
    job, report = check(tap, mpi, program, "threads", jobs.BARE, {"work": ("0-3", "", 400, 400, 1600)})
    tap.ok(report["timers"][0]["threads"] == 16 and "(16 threads)\n" in text_report(job),
           f"{mpi.short}: threads of a timer", report["timers"])
    job, report = check(tap, mpi, program, "kill", jobs.PRELOAD,
                        {"step": ("0-3", "life", 10, 20, 70), "inner": ("0-3", "step", 20, 40, 140),
                         "odd": ("3", "life", 5, 5, 5), "life": NOTHING}, status=None)
    tap.equal([(t["name"], t["wrong_use"], [(u["ranks"], line_of(program, u["offset"] - 1))
                                            for u in t["running_at_end"]]) for t in report["timers"]],
              [("inner", [], []), ("life", [], [("0-3", marks("timers.c", "RUNNING")[0][0])]), ("odd", [], []),
               ("step", [], [])], f"{mpi.short}: a timer that was running is no wrong use")
    check_reports(tap, mpi, program)
    check_examples(tap, mpi)
    for flags in ([], ["-DUSE_F08"]):
        fortran = counting.compile_program(mpi, "fortran-timers" + "".join(flags), "timers.F90", first=[SOURCE_FORTRAN],
                                           flags=[*flags, f"-J{jobs.SCRATCH}", *LINKED])
        job, _ = check(tap, mpi, fortran, "-", jobs.AROUND, {"step": ("0-3", "", 30, 30, 120),
                                                             "pcg iteration": ("0,2", "step", 30, 30, 60)})
        text = (job.work / "report.txt").read_text(encoding="utf-8")
        tap.ok(text.startswith("*** profile for 4 tasks ***\n") and "\n*** pcg iteration\ntasks: 0,2\n" in text,
               f"{mpi.short}, Fortran {' '.join(flags)}: report_timers", text)
        job, _ = check(tap, mpi, fortran, "misuse", jobs.BARE, {"first": ("0-3", "", 1, 1, 4)})
        check_misuse(tap, f"{mpi.short}, Fortran {' '.join(flags)}", job, fortran, "timers.F90")
    return program


def check_examples(tap, mpi):
    """Those of the man page do what they say."""
    page = (jobs.SOURCE / "man" / "fathom-timers.3").read_text(encoding="utf-8")
    examples = page[page.index(".Sh EXAMPLES"):]
    for language, suffix, first in (("C", "c", []), ("Fortran", "F90", [SOURCE_FORTRAN])):
        source = jobs.SCRATCH / f"example.{suffix}"
        text = re.search(rf"^In {language}:\n\.Bd [^\n]*\n(.*?)^\.Ed", examples, re.DOTALL | re.MULTILINE).group(1)
        source.write_text(text, encoding="utf-8")
        program = counting.compile_program(mpi, f"example-{language}", source, first=first,
                                           flags=[f"-J{jobs.SCRATCH}"] * len(first) + LINKED)
        job = jobs.run(jobs.BARE, mpi, RANKS, [program])
        printed = job.stdout.decode()
        tap.ok(job.status == 0 and "\n*** solver\ntasks: 0-3\nevents per task: 100 max, 100 min" in printed,
               f"{mpi.short}: the example in {language}", job, printed)


def marks(source, word):
    """(line number, what follows the word) of every line of a program that has it in a comment."""
    lines = (counting.PROGRAMS / source).read_text(encoding="utf-8").splitlines()
    found = [(number, re.search(rf"[!*] {word}\b *([^*]*)", line)) for number, line in enumerate(lines, 1)]
    return [(number, match.group(1).strip()) for number, match in found if match]


def line_of(program, address):
    """The line number of an address, as a user would ask for it."""
    out = subprocess.run(["addr2line", "-e", program, hex(address)], capture_output=True, check=True, text=True).stdout
    return int(re.search(r":(\d+)", out).group(1))


def check_misuse(tap, title, job, program, source, ranks="0-3"):
    """Every wrong use is in the reports, once for each rank, with the line that the source marks."""
    n = len(counting.ranks_of(ranks))
    wanted = sorted((number, n * (3 if text.startswith("(none)") else 1), ranks, *text.split(": ", 1))
                    for number, text in marks(source, "WRONG"))
    report, text = job.report(), text_report(job)
    uses = [(line_of(program, u["offset"] - 1), u["count"], u["ranks"], t["name"], u["what"])
            for t in report["timers"] for u in t["wrong_use"] if u["module"] == program]
    tap.equal(sorted(uses), wanted, f"{title}: wrong use and its place, in JSON")
    table = text[text.index("*** misuse of timers"):].splitlines()[2:]
    rows = [re.split("  +", line.strip()) for line in table]
    tap.equal(sorted((int(re.fullmatch(rf".+ \({source}:~?(\d+)\)", where).group(1)), int(count), tasks, timer, what)
                     for count, what, timer, where, tasks in rows), wanted, f"{title}: the same in text")
    tap.equal([n["amount"] for n in report["job"]["notes"] if "timer" in n["text"]], [sum(use[1] for use in wanted)],
              f"{title}: the summary notes it")


def check_reports(tap, mpi, program):
    """A program's own reports have the same numbers as the profile, and the ranks of their communicator."""
    job, _ = check(tap, mpi, program, "report", jobs.AROUND, PLAIN)
    whole, odd = ((job.work / f"{name}.txt").read_text(encoding="utf-8") for name in ("all", "odd"))
    tap.equal(whole, text_report(job, "--layout", "paper"), f"{mpi.short}: report_timers and fathom report agree")
    tap.ok("\n*** odd\ntasks: 0-1\nevents per task: 5 max, 5 min, 5 avg (2 tasks)\n" in odd,
           f"{mpi.short}: the report of a sub-communicator", odd)
    job = jobs.run(jobs.BARE, mpi, RANKS, [program, "report"], env={"FATHOM_TICK": "1s"})
    text = (job.work / "all.txt").read_text(encoding="utf-8")
    tap.ok(job.status == 0 and "\n0 tick(s): 20 max (task 0)" in text, f"{mpi.short}: in ticks of a second", text)
    check_wishes(tap, mpi, program)
    check_rich(tap, mpi, program)


def check_wishes(tap, mpi, program):
    """Wishes that are not understood are the first lines of the report; where there is nothing, a line says so."""
    def lines_of(env, case="report", sentences=0):
        job = jobs.run(jobs.BARE, mpi, RANKS, [program, case], env=env)
        text = (job.work / "all.txt").read_text(encoding="utf-8")
        tap.ok(job.status == 0 and len(job.stderr.splitlines()) == sentences, f"{mpi.short}: the program ends well with {env}", job)
        return text.splitlines()
    table = "*** profile for 4 tasks ***"
    tap.equal(lines_of({"FATHOM_TIMERS": "rihc", "FATHOM_TICK": "7us"}, sentences=2)[:3],
              ["FATHOM_TIMERS must be rich or paper, not 'rihc'; using paper.",
               "FATHOM_TICK must be 1ns, 10ns, 100ns, 1us ... 1s, not '7us'; using 1ns.", table],
              f"{mpi.short}: wishes that are ignored")
    tap.equal(lines_of({"FATHOM_TIMERS": "paper", "FATHOM_TICK": "1us"})[0], table, f"{mpi.short}: and those that are not")
    tap.equal(lines_of({}, "nothing"), ["No timers: none has been started and stopped on these tasks."],
              f"{mpi.short}: a report without timers")
    tap.equal(lines_of({"FATHOM_DISABLE": "1"}), ["No timers: nothing is measured here (is FATHOM_DISABLE set?)."],
              f"{mpi.short}: a report of nothing")


def check_rich(tap, mpi, program):
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program, "report"], env={"FATHOM_TIMERS": "rich", "LC_ALL": "C.UTF-8"})
    text = (job.work / "all.txt").read_text(encoding="utf-8")
    tap.ok(job.status == 0 and "\u2588" in text, f"{mpi.short}: a rich report of its own", text)
    tap.equal(without_drift(text), without_drift(text_report(job)), f"{mpi.short}: as fathom report has it")
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program, "report"], env={"FATHOM_TIMERS": "rich", "LC_ALL": "C"})
    text = (job.work / "all.txt").read_text(encoding="utf-8")
    tap.ok(text.isascii() and "@" in text, f"{mpi.short}: in ASCII where the locale has no more", text)
    tap.equal(without_drift(text), without_drift(text_report(job, "--ascii")), f"{mpi.short}: as fathom report --ascii")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = check_mpi(tap, mpi)
    alone = {"step": ("0", "", 20, 20, 20), "inner": ("0", "step", 40, 40, 40)}
    check(tap, None, program, "alone", jobs.AROUND, alone)
    job, _ = check(tap, None, program, "misuse-alone", jobs.AROUND, misused("0"))
    check_misuse(tap, "no MPI", job, program, "timers.c", "0")
    job, _ = check(tap, None, program, "alone", jobs.BARE, alone)
    tap.ok(not job.left(), "no MPI and no fathom run: the profile is written at the end", job)
    tap.ok(b"*** profile for 1 task ***" in job.stderr, "no MPI: its own report", job)
    job = jobs.run(jobs.BARE, jobs.MPIS[0], 2, [program, "plain"], env={"FATHOM_DISABLE": "1"})
    tap.ok(job.status == 0 and not job.profiles() and not job.left(), "switched off", job)
    tap.done()


if __name__ == "__main__":
    main()
