#!/usr/bin/env python3
"""Threads of OpenMP that share too few cores: the finding about missing CPUs says how many threads there are and how many
cores they may use. The hot path of the summary marks the body of a parallel region."""
import os
import subprocess

import jobs

SOURCE = r"""
volatile double sink;
__attribute__((noinline)) static void burn(void)
{
    double sum = 0;
    for (int i = 1; i < 60000000; i++)
        sum += 1.0 / (i + sink);
    sink = sum;
}
int main(void)
{
#pragma omp parallel
    {
        burn();
        sink = sink + 1;
    }
    return 0;
}
"""
THREADS = 4


def build(compiler):
    source, target = jobs.SCRATCH / "shared_core.c", jobs.SCRATCH / f"shared_core.{compiler}"
    source.write_text(SOURCE, encoding="utf-8")
    subprocess.run([compiler, "-O2", "-g", "-fopenmp", "-o", target, source], check=True)
    return target


def measure(tap, title, command, threads):
    job = jobs.run(jobs.AROUND, None, 1, command, env={"FATHOM_SAMPLE": "500", "OMP_NUM_THREADS": str(threads)})
    return job if tap.ok(job.status == 0, f"{title}: the program runs", job) else None


def no_cpu_text(job):
    return [finding["text"] for finding in job.report()["findings"] if finding["rule"] == "no-cpu"]


def main():
    tap = jobs.Tap()
    cpu = min(os.sched_getaffinity(0))
    for compiler in ("gcc", "clang"):
        program = build(compiler)
        bound = ["taskset", "-c", str(cpu), program]
        job = measure(tap, f"{compiler}, {THREADS} threads on one core", bound, THREADS)
        if job:
            texts = no_cpu_text(job)
            tap.ok(len(texts) == 1 and f"; it has about {THREADS} threads on 1 core" in texts[0],
                   f"{compiler}: the finding tells the threads and the core", texts)
            summary = subprocess.run([jobs.FATHOM, "report", job.profiles()[0]], capture_output=True, text=True, check=True)
            path = summary.stdout.partition("Hot path: ")[2]
            tap.ok("main (p) > burn" in path, f"{compiler}: the hot path marks the body of the region", path)
        job = measure(tap, f"{compiler}, one thread", bound, 1)
        if job:
            tap.ok(not any("threads" in text for text in no_cpu_text(job)), f"{compiler}: one thread is not too many",
                   no_cpu_text(job))
    tap.done()


main()
