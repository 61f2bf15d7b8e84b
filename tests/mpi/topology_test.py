#!/usr/bin/env python3
"""Who sends how much to whom is told in ranks of the world, whatever the communicator calls them."""
import counting
import jobs


def check_mpi(tap, mpi):
    program = counting.compile_program(mpi, "pairs", "pairs.c")
    for ranks in (2, 4):
        title = f"{mpi.short}, {ranks} ranks"
        job = jobs.run(jobs.PRELOAD, mpi, ranks, [program])
        if not tap.ok(job.status == 0, f"{title}: the program ends well", job):
            continue
        wanted = {}
        for path in job.work.glob("pairs.[0-9]"):
            to, messages, size = (int(word) for word in path.read_text(encoding="utf-8").split())
            wanted[int(path.suffix[1:]), to] = (messages, size)
        tap.equal(counting.topology(job.report()), wanted, f"{title}: each pair's messages and bytes")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        check_mpi(tap, mpi)
    tap.done()


main()
