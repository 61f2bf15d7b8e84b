#!/usr/bin/env python3
"""Counters that are read in user space are split exactly between the program and MPI, in every kind of call: with a
processor whose counters the program itself advances (made_up.py)."""
import jobs
import made_up

PROGRAM = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include "made_up_counters.h"

enum { COUNTERS = 3, STEPS = 1000 };
static uint64_t inside, outside;
static jmp_buf back;
static int leave;

static void advance(uint64_t n, uint64_t *sum)
{
    for (int i = 0; i < COUNTERS; i++)
        advance_counter(i, (int64_t)n * (i + 1));
    *sum += n;
}

static void add(void *in, void *out, int *n, MPI_Datatype *type)
{
    (void)type;
    advance(3, &inside);
    for (int i = 0; i < *n; i++)
        ((int *)out)[i] += ((int *)in)[i];
}

/* Calls MPI itself, as an error handler may, and leaves by longjmp if it is told to. */
static void on_error(MPI_Comm *comm, int *code, ...)
{
    int rank;
    (void)code;
    if (leave) { /* what an abandoned call counted is taken for the program's */
        advance(5, &outside);
        longjmp(back, 1);
    }
    advance(11, &inside);
    MPI_Comm_rank(*comm, &rank);
    advance(13, &inside);
}

int main(int argc, char **argv)
{
    int rank, one = 1, sum;
    MPI_Op op;
    MPI_Errhandler handler;
    make_counters(COUNTERS);
    halve_counter(1);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(add, 1, &op);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; i < STEPS; i++) {
        advance(7 + (uint64_t)rank, &outside);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);        /* the fast path, after the first ones */
        MPI_Scan(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
        if (i % 10 == 0)
            MPI_Reduce(&one, &sum, 1, MPI_INT, op, 0, MPI_COMM_WORLD);    /* never the fast path */
        if (i % 100 == 0) {
            leave = 0;
            MPI_Send(&one, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
            leave = 1;
            if (!setjmp(back))
                MPI_Send(&one, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
            advance(1, &outside);
        }
    }
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    printf("%d %llu %llu\n", rank, (unsigned long long)inside, (unsigned long long)outside);
    fflush(stdout);
    if (argc > 1 && rank == 1)
        raise(9);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def run(mpi, sample, *arguments):
    program = made_up.compile_with(mpi, "split", PROGRAM)
    job = jobs.run(jobs.AROUND, mpi, 2, [program, *arguments],
                   env=made_up.environment("instructions,cycles,LLC-load-misses") | {"FATHOM_SAMPLE": sample})
    own = {int(rank): (int(inside), int(outside)) for rank, inside, outside in
           (words for words in map(str.split, job.stdout.decode().splitlines()) if len(words) == 3)}
    return job, own


def check_split(tap, mpi):
    for sample in ("off", "1000"):
        job, own = run(mpi, sample)
        if not tap.ok(job.status == 0 and set(own) == {0, 1}, f"{mpi.short}, samples {sample}: the job is unharmed", job):
            continue
        counters = job.report()["counters"]
        by_name = {counter["name"]: counter for counter in counters["list"]}
        tap.equal([counters["source"], list(by_name)],
                  ["perf: hardware", ["instructions", "cycles", "LLC-load-misses"]], f"{mpi.short}: in the order of the list")
        for name, factor in (("instructions", 1), ("cycles", 2 * 2), ("LLC-load-misses", 3)):
            counter = by_name[name]
            mpis = [factor * own[rank][0] for rank in (0, 1)]
            totals = [factor * sum(own[rank]) for rank in (0, 1)]
            tap.equal([counter["per_rank"], counter["per_rank_mpi"], counter["total"], counter["mpi"],
                       counter["program"], counter["scaled"]],
                      [totals, mpis, sum(totals), sum(mpis), sum(totals) - sum(mpis), name == "cycles"],
                      f"{mpi.short}, samples {sample}: {name} in the program and in MPI")
        tap.ok(abs(counters["instructions_per_cycle_program"] - 0.25) < 1e-4 and
               counters["memory_bytes_estimate"] == 64 * by_name["LLC-load-misses"]["total"],
               f"{mpi.short}: derived figures", counters)


def check_killed(tap, mpi):
    job, own = run(mpi, "off", "killed")
    report = job.report()
    counter = report["counters"]["list"][0] if report["counters"]["list"] else None
    got = counter and [counter["per_rank"][1], counter["per_rank_mpi"][1]]
    tap.equal(got, [sum(own[1]), own[1][0]] if 1 in own else None,
              f"{mpi.short}: a killed rank has the counts up to its last MPI call")


jobs.check_each(check_split, check_killed)
