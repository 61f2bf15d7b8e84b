#!/usr/bin/env python3
"""Threads of OpenMP that wait are not at work: idle workers, barriers, critical sections and tasks, whether they spin or
sleep, with the run-times of GCC and LLVM as they are installed, without names. What workers do is shown where the program
started them. How long its threads work the program knows, however busy the machine is."""
import subprocess

import jobs
from counting import PROGRAMS
from trees import check_agreement, is_function, ns, walk

COMPILERS = {"gcc": "waits.c", "g++": "waits.c", "gfortran": "waits.f90", "clang": "waits.c", "clang++": "waits.c"}
HZ = 997
TEAM = 3
NEAR = 0.1  # of the time of the threads: what sampling may differ from what the program knows
RUNS = 3  # that may be needed on a busy machine, where threads get no core while the program starts or ends
CASES = ("uneven", "serial", "critical", "task", "even")
POLICIES = ("active", "passive")  # spin; sleep

PTHREADS = """
#include <pthread.h>
#include <time.h>
static volatile double sink;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
__attribute__((noinline)) static void work(void)
{
    double sum = 0;
    for (int i = 1; i < 300000; i++)
        sum += 1.0 / i;
    sink = sum;
}
static void *run(void *argument)
{
    for (double end = now() + 0.4; now() < end;)
        work();
    return argument;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return 0;
}
"""


def build(compiler, level):
    target = jobs.SCRATCH / f"waits-{compiler}{level}"
    language = ["-x", "c++"] if compiler.endswith("++") else []
    # modules of Fortran go to the directory of the target
    subprocess.run([compiler, level, "-g", "-fopenmp", *language, PROGRAMS / COMPILERS[compiler], "-o", target],
                   cwd=jobs.SCRATCH, check=True)
    return target


def measure(tap, title, command, env=None):
    """What the program prints, and the report; None if there is none."""
    job = jobs.run(jobs.AROUND, None, 1, command, env={"FATHOM_SAMPLE": str(HZ), **(env or {})})
    good = tap.ok(job.status == 0 and len(job.profiles()) == 1, f"{title}: runs", job)
    return (job.stdout.decode().split(), job.report()) if good else None


def waiting_s(report):
    return report["modules"]["tree"]["waiting_s"]


def main_waiting_s(report):
    """Of the main thread alone."""
    sequence = report["sequence"]
    return sum(module["waiting_moments"] for module in sequence["modules"]) * sequence["moment_s"]


def is_work(node):
    return is_function(node) and node["name"].rpartition("::")[2] == "work"


def places_of_work(calls):
    """The time in work below functions of the program, and that with the workers."""
    below, with_workers = 0, 0
    for node, way in walk(calls["root"]):
        if is_work(node):
            is_workers = any(up["name"] == "(worker threads)" for up in way)
            below += 0 if is_workers else ns(node, "inclusive_s")
            with_workers += ns(node, "inclusive_s") if is_workers else 0
    return below, with_workers


def paths(calls):
    return [f"{node['exclusive_s']:.3f} " + " > ".join(up["name"] for up in (*way, node))
            for node, way in walk(calls["root"]) if node["exclusive_s"]]


def is_true(tap, title, printed, report):
    """The waiting of all threads, and of the main thread."""
    worked, worked_by_main, elapsed = map(float, printed)
    good = True
    for threads, waits, known in ((TEAM, waiting_s(report), TEAM * elapsed - worked),
                                  (1, main_waiting_s(report), elapsed - worked_by_main)):
        tap.note(f"{title}: {threads} thread(s) wait {waits:.3f} s, in truth {known:.3f} s of {threads * elapsed:.3f} s")
        good = good and abs(waits - known) <= NEAR * threads * elapsed
    return good


def check(tap, title, program, case, policy):
    for _ in range(RUNS):
        measured = measure(tap, title, [program, case], {"OMP_WAIT_POLICY": policy})
        if not measured:
            return
        good, calls = is_true(tap, title, *measured), measured[1]["calls"]
        if good:
            break
    tap.ok(good, f"{title}: threads that wait are not at work", *paths(calls))
    check_agreement(tap, title, calls)
    if case != "task":  # which region a task belongs to is not on the stack
        below, with_workers = places_of_work(calls)
        tap.ok(below > 0 and not with_workers, f"{title}: workers work where they were started", below, with_workers,
               *paths(calls))


def main():
    tap = jobs.Tap()
    for compiler in COMPILERS:
        for level in ("-O2", "-O3"):
            program = build(compiler, level)
            for case in CASES if level == "-O2" else list(CASES)[:2]:
                for policy in POLICIES:
                    check(tap, f"{compiler} {level}, {case}, {policy}", program, case, policy)
    measured = measure(tap, "pthreads", [jobs.compile_plain("pthreads", PTHREADS, "-pthread")])
    tree = measured[1]["modules"]["tree"] if measured else {"work_s": 0, "waiting_s": 0}
    tap.ok(tree["work_s"] > tree["waiting_s"] > 0, "pthreads: one thread of three waits, in pthread_join, and no other", tree)
    tap.done()


main()
