#!/usr/bin/env python3
"""Calls that fail: the program sees the same codes with Fathom as without, and every call is counted, whether errors
return, go to a handler, or leave by longjmp."""
import counting
import jobs

CASES = ("arguments", "truncated", "handled", "longjmp", "reductions")


def results(job):
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(job.work.glob("result.[0-9]"))}


def first_difference(got, wanted):
    for name in wanted:
        for number, (a, b) in enumerate(zip(got.get(name, "").splitlines(), wanted[name].splitlines()), 1):
            if a != b:
                return f"{name}, line {number}: got {a!r}, wanted {b!r}"
    return "one is longer"


def check(tap, mpi, program, case):
    title = f"{mpi.short}, {case}"
    bare = jobs.run(jobs.BARE, mpi, 2, [program, case])
    job = jobs.run(jobs.PRELOAD, mpi, 2, [program, case])
    if not tap.ok(bare.status == 0 and job.status == 0, f"{title}: the program ends well", bare, job):
        return
    same = results(job) == results(bare)
    tap.ok(same, f"{title}: the program sees the same", "" if same else first_difference(results(job), results(bare)))
    told = counting.read_lines(job, "tally")
    wrong = counting.differences(counting.figures(job.report()), counting.sums(told))
    tap.ok(not wrong, f"{title}: every call is counted", *wrong)


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = counting.compile_program(mpi, "errors", "errors.c", "tally.c")
        for case in CASES:
            check(tap, mpi, program, case)
    tap.done()


main()
