#!/usr/bin/env python3
"""MPI_THREAD_MULTIPLE loses no count: 8 threads, 300 in waves that reuse slots, and 300 at the same time, more than
there are slots for."""
import counting
import jobs

# threads in waves: waves, threads, rounds of each
CASES = {"8 threads": (1, 8, 2000), "300 threads in waves of 30": (10, 30, 60), "300 threads at once": (1, 300, 40),
         "waves of 30 in a small table": (10, 30, 60)}


def check(tap, mpi, program, case, arguments):
    title = f"{mpi.short}, {case}"
    job = jobs.run(jobs.PRELOAD, mpi, 2, [program, *arguments], env={"FATHOM_MEMORY": "256K" if "small" in case else None})
    if job.status == 77:
        tap.skip(title, "this MPI has no MPI_THREAD_MULTIPLE")
        return
    if not tap.ok(job.status == 0, f"{title}: the program ends well", job):
        return
    report = job.report()
    wanted = counting.sums(counting.read_lines(job, "tally"))
    got = counting.figures(report)
    if case == "300 threads at once":
        # threads that share a slot may have to give up the lengths of their receives, and then it is noted
        tap.equal(got["MPI_Irecv"][0], wanted["MPI_Irecv"][0], f"{title}: receives")
        lost = got.pop("MPI_Irecv")[3] < wanted.pop("MPI_Irecv")[3]
        noted = any("length" in text for text in jobs.notes(report))
        tap.ok(not lost or noted, f"{title}: lengths are there, or noted to be missing", *jobs.notes(report))
    wrong = counting.differences(got, wanted)
    tap.ok(not wrong, f"{title}: no call and no byte is lost", *wrong)
    tap.equal(report["job"]["thread_level"], 3, f"{title}: the thread level is told")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = counting.compile_program(mpi, "threads", "threads.c", flags=["-pthread"])
        for case, arguments in CASES.items():
            check(tap, mpi, program, case, arguments)
    tap.done()


main()
