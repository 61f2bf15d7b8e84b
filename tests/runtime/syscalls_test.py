#!/usr/bin/env python3
"""No sample breaks a wait that a program makes by libc's `syscall`, nor one for io_uring, by itself or by liburing."""
import sampling
import jobs

NOT_HERE = "this kernel has no io_uring for us"
THEMES = {"sleep": 200, "ppoll": 200, "pselect": 200, "epoll": 100, "futex": 200, "sigtimedwait": 200, "wrong": 100,
          "child": 20, "io_uring": 100}
NOTE = "the program uses liburing"


def check(tap, program, theme, calls):
    job = sampling.run([program, theme, calls])
    if b"not here" in job.stdout:
        tap.skip(theme, NOT_HERE)
        return None
    tap.equal((job.status, job.stdout.decode()), (0, f"{theme}: 0 broken, 0 wrong\n"),
              f"{theme}: {calls} calls are as without samples")
    return job


def check_mpi(tap, mpi):
    source = (sampling.PROGRAMS / "syscalls.c").read_text(encoding="utf-8")
    program = mpi.compile("syscalls", source, "-DWITH_MPI", "-DWITH_LIBURING", "-luring")
    for theme in ("futex", "io_uring", "liburing"):
        job = jobs.run(jobs.PRELOAD, mpi, 1, [program, theme, 100], env={"FATHOM_SAMPLE": str(sampling.HZ)})
        if b"not here" in job.stdout:
            tap.skip(f"{mpi.short}, {theme}", NOT_HERE)
        else:
            tap.ok(job.status == 0 and b"0 broken, 0 wrong" in job.stdout, f"{mpi.short}, {theme}: as without samples", job)


def main():
    tap = jobs.Tap()
    program, reader = sampling.compile_program("syscalls"), sampling.reader()
    for theme, calls in THEMES.items():
        bare = sampling.run([program, theme, calls], sampled=False)
        if b"not here" not in bare.stdout:
            tap.ok(b"0 broken, 0 wrong" in bare.stdout, f"{theme}: works without samples", bare)
        job = check(tap, program, theme, calls)
        if theme == "io_uring" and job:
            tap.ok(sampling.Samples(job, reader).counts["samples"] > 0, "a program with io_uring is sampled", job)
    program = sampling.compile_program("syscalls", "-DWITH_LIBURING", "-luring", target="syscalls-liburing")
    if check(tap, program, "liburing", 100):
        report = jobs.run(jobs.AROUND, None, 0, [program, "liburing", "10"]).report()
        tap.ok(any(NOTE in note for note in jobs.notes(report)), "it is noted that liburing is not sampled",
               jobs.notes(report))
    for mpi in jobs.MPIS:
        check_mpi(tap, mpi)
    tap.done()


main()
