#!/usr/bin/python3
"""What is not known of a rank that was killed is shown as unknown, in every form of a report, and does not count in
minima and averages.
"""
import subprocess

from jobs import FATHOM, PRELOAD, check_each, run

# Rank 0 leaves by exit, and so can say what it used; the others are killed.
PROGRAM = r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void gone(void)
{
    fclose(fopen("gone", "w"));
}

static void compute_for_a_second(void)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec - start.tv_sec + (now.tv_nsec - start.tv_nsec) / 1e9 < 1);
}

int main(int argc, char **argv)
{
    int rank;
    atexit(gone); /* after Fathom's own, which is registered later */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[1], "late") == 0)
        compute_for_a_second();
    if (rank == 0 && strcmp(argv[1], "some") == 0)
        exit(0);
    while (strcmp(argv[1], "some") == 0 && access("gone", F_OK) != 0)
        usleep(1000);
    raise(SIGKILL);
}
"""
RANKS = 3


def text_of(profile):
    return subprocess.run([FATHOM, "report", profile], capture_output=True, check=True, text=True).stdout


def check(tap, mpi):
    program = mpi.compile("unknown", PROGRAM)
    job = run(PRELOAD, mpi, RANKS, [program, "some"], env={"FATHOM_SAMPLE": "off"})
    job.collect("--wait", "10")
    report = job.report()
    used = [(p["user_s"], p["system_s"], p["memory_bytes"]) for p in report["processes"]]
    tap.ok(None not in used[0] and used[0][2] > 0 and used[1:] == [(None, None, None)] * 2,
           f"{mpi.short}: JSON: of killed ranks null", used)
    memory = report["job"]["memory_bytes"]
    tap.equal((memory["min"], memory["avg"], memory["max_rank"]), (used[0][2], used[0][2], 0),
              f"{mpi.short}: they do not count in minimum and average")
    text = text_of(job.profiles()[0])
    tap.ok("1 of 3 ranks (unknown for the others)" in text and " 0 B" not in text, f"{mpi.short}: text", text)

    job = run(PRELOAD, mpi, RANKS, [program, "late"], env={"FATHOM_SAMPLE": "100"})
    job.collect("--wait", "10")
    report = job.report()
    walls = [p["wall_s"] for p in report["processes"]]
    last = max(report["processes"], key=lambda p: p["wall_s"])
    tap.ok(last["memory_bytes"] and last["memory_bytes"] > 1 << 20 and last["user_s"] is None,
           f"{mpi.short}: of a rank that was sampled the memory is known", last)
    # whoever is killed first ends the job
    tap.ok(max(walls) > 0.9, f"{mpi.short}: the time of ranks killed outside of MPI lasts to their last sample", walls)

    job = run(PRELOAD, mpi, RANKS, [program, "none"], env={"FATHOM_SAMPLE": "off"})
    job.collect("--wait", "10")
    report = job.report()
    tap.equal((report["job"]["memory_bytes"], report["job"]["per_rank"]["user_s"]), (None, None),
              f"{mpi.short}: all were killed: null")
    lines = {line.split()[0]: line.split()[1:] for line in text_of(job.profiles()[0]).splitlines() if line.strip()}
    tap.ok(all(lines.get(name, [""])[0] == "unknown" for name in ("user", "system", "memory")),
           f"{mpi.short}: and unknown in the text", lines)


check_each(check)
