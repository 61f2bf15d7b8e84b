#!/usr/bin/env python3
"""Threads that were started before MPI_Init: no wait of theirs is broken by the first sample, nor is MPI_Init held up."""
import os
import platform

import jobs


def build(mpi, name):
    source = (jobs.SOURCE / f"tests/jobs/programs/{name}.c").read_text(encoding="utf-8")
    return mpi.compile(name, source, "-pthread", f"-I{jobs.SOURCE}/tests/runtime/programs")


def check_cramped(tap, mpi):
    """Of the smallest stack so much is used that the kernel's frame has no room, but what is thread-local in the library
    has; a stack for handlers has room for one frame."""
    program = build(mpi, "cramped_early")
    most = next(used for used in range(os.sysconf("SC_THREAD_STACK_MIN"), 0, -1024)
                if jobs.run(jobs.BARE, None, 1, [program, "stack", str(used)]).status == 0)
    # the kernel refuses less than MINSIGSTKSZ, which on aarch64 is more than a frame needs
    least = max(os.sysconf("SC_MINSIGSTKSZ"), 5120 if platform.machine() == "aarch64" else 2048)
    for words in (["stack", str(most - 512)], ["alternate", str(least)], ["alternate", str(2 * least)]):
        bare = jobs.run(jobs.BARE, mpi, 1, [program, *words])
        job = jobs.run(jobs.PRELOAD, mpi, 1, [program, *words], env={"FATHOM_SAMPLE": "1000"})
        tap.equal((bare.status, job.status, job.stdout), (0, 0, b"done\n"), f"{mpi.short}: beside a thread, {words}")


def main():
    tap = jobs.Tap()
    for mpi in jobs.MPIS:
        program = build(mpi, "sampled_early")
        bare = jobs.run(jobs.BARE, mpi, 1, [program])
        tap.equal((bare.status, bare.stdout), (0, b"0 broken, not sampled\n"), f"{mpi.short}: without Fathom")
        job = jobs.run(jobs.PRELOAD, mpi, 1, [program], env={"FATHOM_SAMPLE": "1000"})
        tap.equal((job.status, job.stdout), (0, b"0 broken, sampled\n"), f"{mpi.short}: waits end as they should")
        calls = job.report()["calls"]
        tap.ok(any(node["name"] == "compute" and below["name"] == "compute_deep_down" for node in calls["root"]["children"]
                   for below in node["children"]), f"{mpi.short}: stacks of threads from before are known", calls["root"])
        job = jobs.run(jobs.PRELOAD, mpi, 1, [build(mpi, "small_stack_early")])
        tap.equal((job.status, job.stdout), (0, b"done\n"), f"{mpi.short}: beside a first thread that is not sampled")
        check_cramped(tap, mpi)
    tap.done()


main()
