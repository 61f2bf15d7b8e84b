#!/usr/bin/python3
"""Findings about hosts: one whose ranks are all slow, and neighbours that are on different ones; and programs that look like
that but are sound. Needs root for namespaces."""
import subprocess

import ahead
import hosts
import jobs

# host fault: the ranks of the second host take three times as long; sound: every second rank does.
# place fault: partners are on different hosts; sound: on the same.
# A rank "works" by sleeping, and waits by sleeping inside MPI (in a reduction of its own): four ranks that spin until others
# arrive would need four cores.
PROGRAM = r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
enum { STEPS = 40, BYTES = 4 << 20 };
static void work(int ms)
{
    nanosleep(&(struct timespec){0, ms * 1000000L}, NULL);
}
static void wait_for_others(void *in, void *out, int *n, MPI_Datatype *type)
{
    (void)in, (void)out, (void)n, (void)type;
    work(40);
}
int main(int argc, char **argv)
{
    int rank, fault = !strcmp(argv[2], "fault");
    double x = 0, sum = 0;
    MPI_Op waiting;
    char *data = calloc(2, BYTES);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(wait_for_others, 1, &waiting);
    for (int step = 0; step < STEPS && !strcmp(argv[1], "host"); step++) {
        int slow = fault ? rank >= 2 : rank % 2;
        work(slow ? 60 : 20);
        if (!slow)
            MPI_Reduce_local(&x, &sum, 1, MPI_DOUBLE, waiting);
    }
    for (int step = 0; step < 2 * STEPS && !strcmp(argv[1], "place"); step++) {
        int partner = rank ^ (fault ? 2 : 1);
        MPI_Sendrecv(data, BYTES, MPI_CHAR, partner, 1, data + BYTES, BYTES, MPI_CHAR, partner, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    free(data);
    return 0;
}
"""
SLOTS = {"nodea": 2, "nodeb": 2}
TRIES = 3


def start(fleet, mpi, words):
    job, env = jobs.prepare(jobs.BARE, {"FATHOM_DIR": None, "FATHOM_EVERYWHERE": "1",
                                            "OMPI_MCA_mpi_yield_when_idle": "0"})  # a yield waits for a CPU
    done = subprocess.run([*ahead.AHEAD, jobs.FATHOM, "run", "--quiet", "--", *fleet.mpirun(mpi, SLOTS), *ahead.AHEAD, *words], cwd=job.work,
                          env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=jobs.LIMIT_S, check=False)
    job.status, job.stdout, job.stderr = done.returncode, done.stdout, done.stderr
    return job


def findings(job):
    return {f["rule"]: f for f in job.report()["findings"]} if job.status == 0 else {}


def check(tap, fleet, mpi):
    program = mpi.compile("hosts", PROGRAM, "-D_GNU_SOURCE")
    for name, rule, ranks in (("host", "slow-host", "2-3"), ("place", "placement", "0-3")):
        for _ in range(TRIES):
            job = start(fleet, mpi, [program, name, "fault"])
            found = findings(job)
            if rule in found:
                break
        tap.ok(found.get(rule, {}).get("ranks") == ranks, f"{mpi.short}: {rule}", job, found)
        job = start(fleet, mpi, [program, name, "sound"])
        tap.ok(job.status == 0 and rule not in findings(job), f"{mpi.short}: no {rule} in a sound program", job,
               findings(job))


def main():
    hosts.require()
    tap = jobs.Tap()
    with hosts.Hosts(*SLOTS) as fleet:
        for mpi in jobs.MPIS:
            check(tap, fleet, mpi)
    tap.done()


main()
