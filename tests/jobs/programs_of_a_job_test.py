#!/usr/bin/python3
"""A job of several programs (mpirun ./atm : ./ocean) names each with its ranks."""
import pathlib
import shutil
import subprocess

import jobs

TEXT = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def check(tap, mpi):
    atm = mpi.compile("atm", TEXT)
    ocean = str(pathlib.Path(atm).with_name(f"ocean.{mpi.name}"))
    shutil.copy(atm, ocean)
    job = jobs.run(jobs.AROUND, mpi, 1, [atm, ":", "-n", 2, ocean])
    report = job.report()
    named = [(pathlib.Path(p["executable"]).name, p["ranks"]) for p in report["job"]["programs"]]
    tap.equal(named, [(f"atm.{mpi.name}", "0"), (f"ocean.{mpi.name}", "1-2")], f"{mpi.short}: each with its ranks")
    text = subprocess.run([jobs.FATHOM, "report", job.profiles()[0]], capture_output=True, text=True, check=True).stdout
    tap.ok(text.startswith(f"atm.{mpi.name}, ocean.{mpi.name} on 3 ranks:"), f"{mpi.short}: both in the first line", text)
    tap.ok(f"programs  atm.{mpi.name} (rank 0), ocean.{mpi.name} (ranks 1-2)\n" in text,
           f"{mpi.short}: and with their ranks below it", text)
    alone = jobs.run(jobs.AROUND, mpi, 2, [atm])
    text = subprocess.run([jobs.FATHOM, "report", alone.profiles()[0]], capture_output=True, text=True, check=True).stdout
    tap.ok(len(alone.report()["job"]["programs"]) == 1 and "programs" not in text,
           f"{mpi.short}: of one alone nothing is said", text)


if __name__ == "__main__":
    jobs.check_each(check)
