#!/usr/bin/env python3
"""Threads that were started before MPI_Init: no wait of theirs is broken by the first sample."""
import jobs


def main():
    tap = jobs.Tap()
    source = (jobs.SOURCE / "tests/mpi/programs/sampled_early.c").read_text(encoding="utf-8")
    for mpi in jobs.MPIS:
        program = mpi.compile("sampled_early", source, "-pthread")
        bare = jobs.run(jobs.BARE, mpi, 1, [program])
        tap.equal((bare.status, bare.stdout), (0, b"0 broken, not sampled\n"), f"{mpi.short}: without Fathom")
        job = jobs.run(jobs.PRELOAD, mpi, 1, [program], env={"FATHOM_SAMPLE": "1000"})
        tap.equal((job.status, job.stdout), (0, b"0 broken, sampled\n"), f"{mpi.short}: waits end as they should")
    tap.done()


main()
