#!/usr/bin/env python3
"""While thousands of samples are taken, on ever new call paths and in several threads, Fathom allocates nothing: a program
that counts all allocations of its process counts as many as without Fathom."""
import sampling
import jobs

RUN_MS, ENOUGH = 800, 1000  # of CPU time, at up to 5,000 a second
OWN_MMAP = {"UCX_MEM_MMAP_HOOK_MODE": "none"}  # UCX, below MPICH, would put its own in the place of the program's


def check(tap, title, bare, job, samples):
    tap.ok(bare.status == 0 and bare.stdout.startswith(b"4 of 4, "), f"{title}: it counts its own", bare)
    tap.equal((job.status, job.stdout.decode()), (bare.status, bare.stdout.decode()), f"{title}: none are Fathom's")
    tap.note(f"{title}: {bare.stdout.decode()}{samples} samples")
    tap.ok(samples > ENOUGH, f"{title}: while it is sampled", samples)


def main():
    tap = jobs.Tap()
    program, reader = sampling.compile_program("allocations"), sampling.reader()
    bare, job = sampling.run([program, RUN_MS], sampled=False), sampling.run([program, RUN_MS])
    check(tap, "without MPI", bare, job, sampling.Samples(job, reader).counts["samples"])
    source = (sampling.PROGRAMS / "allocations.c").read_text(encoding="utf-8")
    for mpi in jobs.MPIS:
        program = mpi.compile("allocations", source, "-pthread", "-DWITH_MPI")
        bare = jobs.run(jobs.BARE, mpi, 1, [program, RUN_MS], env=OWN_MMAP)
        job = jobs.run(jobs.AROUND, mpi, 1, [program, RUN_MS], env={"FATHOM_SAMPLE": str(sampling.HZ), **OWN_MMAP})
        check(tap, mpi.short, bare, job, job.report()["calls"]["samples"])
    tap.done()


main()
