#!/usr/bin/env python3
"""Repeated runs of a balanced program draw no sentence about imbalance: not on free cores, not if there are more ranks than
cores, and not if other programs take the cores from some of the ranks. Nor do they draw a finding, other than that ranks had
no CPU; LAMMPS and hpcc do not either. A program that is not balanced does draw one, as long as its ranks have cores. RUNS is the
number of runs of each (make balanced)."""
import os
import subprocess
import sys

import debian
import jobs

# Every rank does the same number of steps, each as long as the others; "uneven": rank 0 does four times as much.
PROGRAM = r"""
#include <mpi.h>
#include <string.h>
static double work(int n)
{
    volatile double x = 1;
    for (int i = 0; i < n; i++)
        x = x * 1.0000001 + 1e-9;
    return x;
}
int main(int argc, char **argv)
{
    int rank;
    double x = 0, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int uneven = argc > 1 && !strcmp(argv[1], "uneven") && rank == 0;
    for (int step = 0; step < 60; step++) {
        x += work(uneven ? 4000000 : 1000000);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""
RUNS = int(os.environ.get("RUNS", "2"))
# what the summary, the headline and the view of the balance say about ranks that are not balanced
WORDS = ("than the rest", "rises gradually", "more work,", "wait for the others", "waits for the others", "waits most",
         "wait most", "-- jump")


def said(job):
    """The lines about imbalance in what a user sees of the job, and rules of findings other than no-cpu."""
    profile, = job.profiles()
    text = job.stderr.decode()
    for view in ("summary", "balance"):
        text += subprocess.run([jobs.FATHOM, "report", "--view", view, profile], capture_output=True, text=True,
                               check=True).stdout
    rules = {finding["rule"] for finding in job.report()["findings"]} - {"no-cpu"}
    return [line for line in text.splitlines() if any(word in line for word in WORDS)] + sorted(rules)


def run(mpi, program, ranks):
    return jobs.run(jobs.AROUND, mpi, ranks, program, quiet=False, env={"OMPI_MCA_hwloc_base_binding_policy": "none"})


def check_runs(tap, mpi, program, ranks, name):
    lines = []
    for _ in range(RUNS):
        job = run(mpi, [program], ranks)
        if job.status != 0:
            lines.append(str(job))
        else:
            lines += said(job)
    tap.ok(not lines, f"{mpi.short}: {RUNS} runs of a balanced program, {name}", *lines)


def check(tap, mpi):
    cores = len(os.sched_getaffinity(0))
    program = mpi.compile("balanced", PROGRAM)
    check_runs(tap, mpi, program, 2, "2 ranks")
    check_runs(tap, mpi, program, min(2 * cores, 8), "two ranks per core" if cores <= 4 else "8 ranks")
    # On one core, whatever the machine has: one rank gets less of it than the other.
    first = min(os.sched_getaffinity(0))
    hogs = [subprocess.Popen([sys.executable, "-c", f"import os; os.sched_setaffinity(0, [{first}])\nwhile 1: pass"])]
    try:
        check_runs(tap, mpi, program, 2, "one of the cores shared with another program")
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    job = run(mpi, [program, "uneven"], 2)
    verdict = job.report()["mpi"]["balance"]["evenness"]
    lines = said(job)
    tap.ok(verdict == "unknown" if not lines else verdict == "uneven", f"{mpi.short}: an uneven program is told, "
           "if its ranks had cores", verdict, *lines)
    tap.note(f"{verdict}: {lines}")


def check_lammps(tap):
    program = debian.lammps(cells=10)
    if not program:
        tap.skip("LAMMPS: no findings", "it is not installed")
        return
    lines = []
    for _ in range(RUNS):
        job = run(program.mpi, program.command, 2)
        lines += said(job) if job.status == 0 else [str(job)]
    tap.ok(not lines, f"LAMMPS: {RUNS} runs without findings", *lines)


def check_hpcc(tap):
    """Some of its kernels run on a single rank, by design, and the other waits."""
    program = debian.hpcc(rows=1, columns=2, size=1000)
    if not program:
        tap.skip("hpcc: no findings", "it is not installed")
        return
    rules = []
    for _ in range(RUNS):
        job = jobs.run(jobs.AROUND, program.mpi, 2, program.command, files=program.files)
        rules += [f["rule"] for f in job.report()["findings"]] if job.status == 0 else [str(job)]
    wrong = [rule for rule in rules if rule not in ("no-cpu", "serial-stage")]
    tap.ok(not wrong, f"hpcc: {RUNS} runs without findings but what it does on a single rank", *wrong)


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        check(tap, mpi)
    check_lammps(tap)
    check_hpcc(tap)
    tap.done()


main()
