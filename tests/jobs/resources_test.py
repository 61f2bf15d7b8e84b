#!/usr/bin/env python3
"""Memory, time without a CPU and the split of time are what the program itself sees."""
import subprocess

import jobs

# Each rank prints what it sees itself: memory and run-queue wait after MPI_Init and at the end.
PROGRAM = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static unsigned long long number(const char *path, int field)
{
    char text[256] = "", *at = text;
    unsigned long long value = 0;
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file))
        return 0;
    fclose(file);
    for (int i = 0; i <= field; i++)
        value = strtoull(at, &at, 10);
    return value;
}
static unsigned long long resident(void) { return number("/proc/self/statm", 1) * sysconf(_SC_PAGESIZE); }
static unsigned long long waited(void) { return number("/proc/self/schedstat", 1); }

static void compute(double seconds)
{
    struct timespec now;
    volatile double x = 1;
    do {
        for (int i = 0; i < 10000; i++)
            x = x * 1.0000001;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    } while (now.tv_sec + now.tv_nsec / 1e9 < seconds);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsigned long long memory = resident(), queue = waited();
    size_t bytes = (size_t)(rank + 1) * atoi(argv[2]) << 20;
    char *grown = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(grown, 1, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    compute(atof(argv[1]));
    if (argc > 3 && rank == 1)
        raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
    unsigned long long memory_end = resident(), queue_end = waited();
    MPI_Finalize();
    printf("%d %llu %llu %llu %llu %llu\n", rank, memory, memory_end, queue, queue_end, waited());
    return 0;
}
"""
# Waits until `fathom run` has written what it has seen of the host's memory into the segment of the process.
WATCHED = r"""
#include <fcntl.h>
#include <glob.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "format/segment.h"

int main(int argc, char **argv)
{
    char pattern[4096];
    uint64_t seen = 0;
    glob_t found;
    MPI_Init(&argc, &argv);
    snprintf(pattern, sizeof pattern, "%s/*.%d.*.segment", getenv("FATHOM_DIR"), (int)getpid());
    if (glob(pattern, 0, NULL, &found) != 0)
        return 3;
    int fd = open(found.gl_pathv[0], O_RDONLY);
    for (int i = 0; i < 6000 && !seen; i++) {
        usleep(10000);
        if (pread(fd, &seen, sizeof seen, offsetof(struct fm_segment_header, seen_available_bytes)) < 0)
            return 4;
    }
    printf("%llu\n", (unsigned long long)seen);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
"""
RANKS = 4
SLACK = 8 << 20  # what MPI allocates besides, and pages that the kernel has not counted yet


def own_figures(job):
    rows = [[int(word) for word in line.split()] for line in job.stdout.decode().splitlines()]
    return {row[0]: row[1:] for row in rows}


def sums_hold(split):
    parts = ("program_s", "mpi_s", "io_s", "no_cpu_s")
    ranks = split["per_rank"]
    whole = abs(sum(split[part] or 0 for part in parts) - split["wall_s"]) < 1e-8
    rows = [abs(sum(ranks[part][i] or 0 for part in parts) - wall) < 1e-8 for i, wall in enumerate(ranks["wall_s"])]
    total = abs(sum(ranks["wall_s"]) - split["wall_s"]) < 1e-8
    return whole and all(rows) and total


def check_memory(tap, mpi, program):
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program, "0", "16"])
    report, own = job.report(), own_figures(job)
    if not tap.ok(set(own) == set(range(RANKS)), f"{mpi.short}: all ranks end", job):
        return
    grown = [p["memory_end_bytes"] - p["memory_init_bytes"] for p in report["processes"]]
    tap.ok(all(abs(grown[rank] - (own[rank][1] - own[rank][0])) < SLACK and grown[rank] > (rank + 1) * (16 << 20) - SLACK
               for rank in range(RANKS)), f"{mpi.short}: growth as the program sees it", grown, own)
    memory = report["memory"]
    tap.ok(memory["growth_bytes"]["max_rank"] == RANKS - 1 and memory["growth_bytes"]["max"] == max(grown) and
           memory["high_water_bytes"]["max"] == max(p["memory_bytes"] for p in report["processes"]),
           f"{mpi.short}: most in the last rank", memory)
    host = memory["hosts"][0]
    tap.ok(0 < host["least_free_bytes"] < host["total_bytes"], f"{mpi.short}: memory of the host", host)
    text = subprocess.run([jobs.FATHOM, "report", "--view", "memory", job.profiles()[0]], capture_output=True,
                          check=True, text=True).stdout
    tap.ok("high water" in text and "\ngrowth " in text and "least free" in text, f"{mpi.short}: view", text)
    rows = subprocess.run([jobs.FATHOM, "report", "--view", "memory", "--format", "csv", job.profiles()[0]],
                          capture_output=True, check=True, text=True).stdout.splitlines()
    tap.ok([int(row.split(",")[4]) for row in rows[1:]] == grown, f"{mpi.short}: CSV", rows)


def check_no_cpu(tap, mpi, program):
    job = jobs.run(jobs.AROUND, mpi, RANKS, [program, "0.5", "0"], prefix=["taskset", "-c", "0"])
    report, own = job.report(), own_figures(job)
    if not tap.ok(set(own) == set(range(RANKS)), f"{mpi.short}: ranks on one core end", job):
        return
    if not own[0][4]:
        tap.ok(all(p["runqueue_s"] is None for p in report["processes"]) and report["split"]["no_cpu_s"] is None,
               f"{mpi.short}: the kernel does not count the time without a CPU", report["split"])
        return
    waited = [p["runqueue_s"] * 1e9 for p in report["processes"]]
    # From the start of MPI_Init to the start of MPI_Finalize, between the program's own readings.
    tap.ok(all(own[r][3] - own[r][2] <= waited[r] + 1 and waited[r] <= own[r][4] + 1 for r in range(RANKS)),
           f"{mpi.short}: time without a CPU as the program sees it", waited, own)
    split = report["split"]
    tap.ok(abs(split["no_cpu_s"] - sum(waited) / 1e9) < 1e-7 and sums_hold(split), f"{mpi.short}: each second once", split)
    # Whatever the order in which they run: the second rank waits for the first one's half second, and so on.
    tap.ok(split["no_cpu_s"] > 1, f"{mpi.short}: four ranks on one core wait", split)
    text = subprocess.run([jobs.FATHOM, "report", job.profiles()[0]], capture_output=True, check=True, text=True).stdout
    lines = text.splitlines()
    tap.ok(" without a CPU, " in lines[0] and "  The ranks had no CPU for " in lines[3] and
           "has more work" not in text and "computes longer" not in text and any(line.startswith("time      program ") for line in lines),
           f"{mpi.short}: the summary says it first, and calls nothing imbalance", text)


def check_killed(tap, mpi, program):
    job = jobs.run(jobs.INSIDE, mpi, 2, [program, "0.2", "1", "kill"])
    killed = [p for p in job.report()["processes"] if p["rank"] == 1][0]
    tap.ok(killed["memory_end_bytes"] is None and killed["memory_init_bytes"] > 0 and
           (killed["runqueue_s"] is not None or not jobs.pathlib.Path("/proc/self/schedstat").exists()),
           f"{mpi.short}: a killed rank: its parent knows the time without a CPU, nobody its last size", killed)
    job = jobs.run(jobs.PRELOAD, mpi, 2, [program, "0.2", "1", "kill"])
    job.collect("--wait", "10")
    report = job.report()
    killed = [p for p in report["processes"] if p["rank"] == 1][0]
    tap.ok(killed["runqueue_s"] is None and killed["memory_end_bytes"] is None and sums_hold(report["split"]) and
           report["split"]["per_rank"]["no_cpu_s"][1] is None, f"{mpi.short}: without a parent it is unknown", killed)


def check_watch(tap, mpi, watched):
    for way in (jobs.AROUND, jobs.INSIDE):
        job = jobs.run(way, mpi, 2, [watched])
        seen = [int(line) for line in job.stdout.decode().split()]
        host = job.report()["memory"]["hosts"][0]
        tap.ok(len(seen) == 2 and min(seen) > 0 and host["least_free_bytes"] <= min(seen),
               f"{mpi.short}: {way} watches the memory of the host", job, host)


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = mpi.compile("resources", PROGRAM)
        check_memory(tap, mpi, program)
        check_no_cpu(tap, mpi, program)
        check_killed(tap, mpi, program)
        check_watch(tap, mpi, mpi.compile("watched", WATCHED, "-I", str(jobs.SOURCE / "src")))
    tap.done()


main()
