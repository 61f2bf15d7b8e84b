#!/usr/bin/env python3
"""A program that uses MPI sessions only (MPICH) is measured too: its segments are collected when it has ended."""
import counting
import jobs


def check(tap, title, job):
    if not tap.ok(job.status == 0, f"{title}: the program ends well", job):
        return
    report = job.report()
    wrong = counting.differences(counting.figures(report), counting.sums(counting.read_lines(job, "tally")))
    tap.ok(not wrong, f"{title}: calls and bytes", *wrong)
    tap.equal((report["job"]["ranks"], report["job"]["complete"]), (3, True), f"{title}: all ranks, complete")
    tap.equal(job.left(), [], f"{title}: nothing is left behind")


def main():
    tap = jobs.Tap()
    mpi = next((m for m in jobs.MPIS if m.name == "mpich"), None)
    if mpi is None:
        tap.skip("sessions", "MPICH is not installed, and Open MPI 4.1 has no sessions")
        tap.done()
    program = counting.compile_program(mpi, "sessions", "sessions.c", "tally.c")
    for way in (jobs.AROUND, jobs.INSIDE):
        check(tap, way, jobs.run(way, mpi, 3, [program]))
    job = jobs.run(jobs.PRELOAD, mpi, 3, [program])
    if job.left():
        job.collect()
    check(tap, "bare preload and fathom collect", job)
    tap.done()


main()
