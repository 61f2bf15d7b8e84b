#!/usr/bin/env python3
"""Who sends how much to whom is told in ranks of the world, whatever the communicator calls them; and the Cartesian grid
of the job, where there is one."""
import subprocess

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


GRIDS = {"plain": [2, 2], "three": [1, 2, 2], "several": [], "reversed": [], "part": [], "five": [], "none": []}
GRID_LINE = "The program arranges its ranks in a grid of 2 x 2; the last dimension varies fastest.\n"


def check_grids(tap, mpi):
    program = counting.compile_program(mpi, "grid", "grid.c")
    for case, wanted in GRIDS.items():
        job = jobs.run(jobs.PRELOAD, mpi, 4, [program, case])
        report = job.report()
        tap.equal((job.status, report["job"]["cart_dims"]), (0, wanted), f"{mpi.short}: the grid of case {case}")
        text = subprocess.run([jobs.FATHOM, "report", "--view", "topology", job.profiles()[0]], capture_output=True,
                              check=True, text=True).stdout
        tap.equal(GRID_LINE in text, wanted == [2, 2], f"{mpi.short}: its line in text, case {case}")
    for flags in ([], ["-DUSE_F08"]):
        program = counting.compile_program(mpi, "fortran-grid" + "".join(flags), "grid.F90", flags=flags)
        report = jobs.run(jobs.PRELOAD, mpi, 4, [program]).report()
        tap.equal(report["job"]["cart_dims"], [4, 1], f"{mpi.short}: a grid from Fortran {' '.join(flags)}")
        tap.equal(jobs.calls(report)["MPI_Cart_create"], 4, f"{mpi.short}: and its calls {' '.join(flags)}")


jobs.check_each(check_mpi, check_grids)
