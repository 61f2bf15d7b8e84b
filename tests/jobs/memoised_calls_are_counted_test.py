#!/usr/bin/env python3
"""Calls that Fathom remembers by their site are counted right when what they mean changes: handles that are freed and used
again, communicators that number ranks anew, pauses, and a child forked in the middle of a call."""
import counting
import jobs

RANKS = 3
CASES = ("types", "communicators", "pauses", "forks")


def pairs(job):
    """(from, to) -> (messages, bytes), as the ranks tell."""
    found = {}
    for path in job.work.glob("pairs.[0-9]"):
        for line in path.read_text(encoding="utf-8").splitlines():
            to, messages, size = (int(word) for word in line.split())
            found[int(path.suffix[1:]), to] = (messages, size)
    return found


def check_mpi(tap, mpi):
    program = counting.compile_program(mpi, "remembered", "remembered.c", "tally.c")
    for case in CASES:
        for way in jobs.WAYS:
            title = f"{mpi.short}, {case}, {way}"
            job = jobs.run(way, mpi, RANKS, [program, case])
            if not tap.ok(job.status == 0, f"{title}: the program ends well", job):
                continue
            report, told = job.report(), counting.sums(counting.read_lines(job, "tally"))
            seen = counting.figures(report)
            seen.pop("MPI_Pcontrol", None)
            wrong = counting.differences(seen, told)
            tap.ok(not wrong and told, f"{title}: calls and bytes of {len(told)} routines", *wrong)
            tap.equal(counting.topology(report), pairs(job), f"{title}: who sends to whom")


jobs.check_each(check_mpi)
