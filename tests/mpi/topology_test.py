#!/usr/bin/env python3
"""Who sends how much to whom is told in ranks of the world, whatever the communicator calls them."""
import counting
import jobs

# what pairs.c gives as the count in every call, or on the average
COUNTS = {"MPI_Send": 3, "MPI_Sendrecv": 5, "MPI_Isend": 8, "MPI_Irecv": 64, "MPI_Recv": 64, "MPI_Send_init": 11,
          "MPI_Put": 13, "MPI_Get": 2, "MPI_Waitall": 2}


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
        report = job.report()
        tap.equal(counting.topology(report), wanted, f"{title}: each pair's messages and bytes")
        counts = {r["name"]: r["count_arguments"] / r["calls"] for r in report["mpi"]["routines"]}
        tap.equal([counts[name] for name in COUNTS], list(COUNTS.values()), f"{title}: sums of the count arguments")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        check_mpi(tap, mpi)
    tap.done()


main()
