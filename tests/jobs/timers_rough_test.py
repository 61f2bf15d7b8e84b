#!/usr/bin/env python3
"""Timers on bad days: in signal handlers, in more threads than there is room for, in children, stopped in any order, with
names that cannot be shown, and reports of communicators that have none."""
import counting
import jobs
from timers_test import LINKED, counted

THREADS, EVENTS, SLOTS = 300, 10, 254  # as timers_rough.c has them; one of 255 slots is for the threads beyond


def run(tap, mpi, program, case, ranks=1):
    job = jobs.run(jobs.AROUND, mpi, ranks, [program, case])
    tap.ok(job.status == 0 and not job.stdout, f"{mpi.short}, {case}: the program ends well, with the same output", job)
    report = job.report()
    return report, {t["name"]: t for t in report["timers"]}


def note(report, word):
    return sum(n["amount"] for n in report["job"]["notes"] if word in n["text"])


def check_mpi(tap, mpi):
    program = counting.compile_program(mpi, "timers-rough", "timers_rough.c", flags=LINKED)
    _, found = run(tap, mpi, program, "signals")
    tap.ok(counted(found["interrupted"]) > 3000 and found["outer"]["parent"] == "",
           f"{mpi.short}: a handler may use the timer that it interrupts", found["outer"])
    report, found = run(tap, mpi, program, "threads")
    kept = counted(found["shared"])
    tap.ok(kept % EVENTS == 0 and kept >= (SLOTS - 1) * EVENTS and not found["shared"]["wrong_use"],
           f"{mpi.short}: threads with room lose nothing", kept, found["shared"]["wrong_use"])
    tap.equal(note(report, "ignored"), 2 * (THREADS * EVENTS - kept), f"{mpi.short}: what the others lose is counted")
    _, found = run(tap, mpi, program, "child")
    tap.equal(counted(found["parent's"]), 11, f"{mpi.short}: a child does not count for its parent")
    _, found = run(tap, mpi, program, "crossed")
    tap.equal((counted(found["b"]), found["b"]["parent"]), (101, "*"), f"{mpi.short}: a parent that ended first")
    report, found = run(tap, mpi, program, "names")
    tap.equal({name[:5]: (counted(t), t["ranks"]) for name, t in found.items()},
              {"a?b": (7, "0"), "(*)": (1, "0"), "b??": (1, "0"), "xxxxx": (4, "0")},
              f"{mpi.short}: names that look the same are the same timer")
    tap.equal(note(report, "timer names truncated"), 1, f"{mpi.short}: a name that was cut is noted")
    _, found = run(tap, mpi, program, "comms", 3)
    tap.equal(counted(found["mine"]), 6, f"{mpi.short}: communicators that have no report")


jobs.check_each(check_mpi)
