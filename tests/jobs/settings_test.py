#!/usr/bin/python3
"""Settings that are wrong lose nothing and are told of once a job: an output that cannot be written, values that are not
understood, names that are nearly right.
"""
import contextlib
import os
import pathlib
import subprocess
import tempfile

from jobs import LIMIT_S, PRELOAD, SCRATCH, WAYS, calls, check_each, notes, prepare, run

PROGRAM = r"""
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int value = 1, sum;
    MPI_Init(&argc, &argv);
    if (argc > 1) { /* a file of the program's own in the place of stderr */
        close(2);
        open(argv[1], O_WRONLY | O_CREAT, 0600);
    }
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""
RANKS = 3
NOWHERE = "/sys/nowhere/job.fathom"  # not even root can make it
NOTE = "the profile could not be written to the requested place, and was written here instead"
WRONG = {"FATHOM_MEMORY": ("lots", "FATHOM_MEMORY must be a size such as 4M or 512K, not 'lots'; using 4M"),
         "FATHOM_SAMPLE": ("fast", "FATHOM_SAMPLE must be a rate of at most 10000 samples per second, or off, not 'fast'; "
                                   "sampling is off"),
         "FATHOM_EVERYWHERE": ("maybe", "FATHOM_EVERYWHERE must be 1 or 0, not 'maybe'; using 0"),
         "FATHOM_OUPUT": ("x", "unknown setting FATHOM_OUPUT; did you mean FATHOM_OUTPUT?")}


def said(job):
    return [line for line in job.stderr.decode().splitlines() if "fathom:" in line]


def check_output(tap, mpi, program):
    job = run(PRELOAD, mpi, RANKS, [program], env={"FATHOM_OUTPUT": NOWHERE})
    good = tap.equal((job.status, len(job.profiles()), job.left(), len(said(job))), (0, 1, [], 1),
                     f"{mpi.short}: an output that cannot be written: the profile is in the working directory, as said")
    if good:
        report = job.report()
        tap.ok(calls(report)["MPI_Allreduce"] == 5 * RANKS and NOTE in notes(report), f"{mpi.short}: whole, and noted",
               report["job"])
    tap.ok("FATHOM_OUTPUT" in job.stderr.decode(), f"{mpi.short}: the sentence names the setting", job)

    home = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH))
    job = run(PRELOAD, mpi, RANKS, [program], env={"FATHOM_OUTPUT": NOWHERE, "HOME": str(home)},
              prefix=["env", "-C", "/sys"])
    tap.equal((job.status, job.profiles(), len(list(home.glob("*.fathom"))), job.left(), len(said(job))),
              (0, [], 1, [], 1), f"{mpi.short}: nor the working directory: it is at home")

    job = run(PRELOAD, mpi, RANKS, [program], env={"HOME": "/sys"}, prefix=["env", "-C", "/sys"])
    segments = [name for name in job.left() if name.endswith(".segment")]
    tap.equal((job.status, len(segments), len(said(job))), (0, RANKS, 1),
              f"{mpi.short}: nowhere at all: what was measured is kept, as said")
    tap.ok("fathom collect -o" in job.stderr.decode(), f"{mpi.short}: with what to do", job)
    done = job.collect("-o", str(job.work))
    tap.ok(done.returncode == 0 and len(job.profiles()) == 1 and not job.left() and
           calls(job.report())["MPI_Allreduce"] == 5 * RANKS, f"{mpi.short}: and collected later", done, job)


def check_values(tap, mpi, program):
    for way in WAYS:
        job = run(way, mpi, RANKS, [program], env={name: value for name, (value, _) in WRONG.items()})
        lines, wanted = said(job), [sentence for _, sentence in WRONG.values()]
        tap.equal((job.status, sorted(lines)), (0, sorted(f"fathom: {sentence}" for sentence in wanted)),
                  f"{mpi.short}, {way}: each wrong value is told of once")
        noted = notes(job.report())
        tap.ok(all(sentence in noted for sentence in wanted), f"{mpi.short}, {way}: and noted in the profile", noted)


def check_disable(tap, mpi, program):
    for way in WAYS:
        job = run(way, mpi, RANKS, [program], env={"FATHOM_DISABLE": "perhaps"})
        tap.equal((job.status, job.profiles(), len(said(job))), (0, [], 1),
                  f"{mpi.short}, {way}: FATHOM_DISABLE that is not understood: nothing is measured, as said")


def check_directory(tap, mpi, program):
    job = run(PRELOAD, mpi, RANKS, [program], env={"FATHOM_DIR": "/sys/nowhere"})
    tap.ok(job.status == 0 and len(job.profiles()) == 1 and len(said(job)) == 1 and "FATHOM_DIR" in said(job)[0],
           f"{mpi.short}: FATHOM_DIR that cannot be used is told of", job)


def run_alone(program, *words, stderr, **more):
    """Without a launcher, which would stand between the program and whoever reads; its status."""
    job, env = prepare(PRELOAD, more)
    return job, subprocess.run([program, *words], cwd=job.work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=stderr, timeout=LIMIT_S, check=False).returncode


def check_stderr(tap, mpi, program):
    """What Fathom has to say does no harm: a reader that has gone or does not read, a file of the program's instead."""
    for reads in (False, True):
        source, sink = os.pipe()
        if reads:
            os.set_blocking(sink, False)
            with contextlib.suppress(BlockingIOError):
                while True:
                    os.write(sink, bytes(4096))
            os.set_blocking(sink, True)
        else:
            os.close(source)
        _, status = run_alone(program, stderr=sink, FATHOM_OUPUT="x")
        tap.equal(status, 0, f"{mpi.short}: a reader of stderr that {'does not read' if reads else 'has gone'}")
        for fd in (sink, *([source] if reads else [])):
            os.close(fd)
    data = SCRATCH / f"data.{mpi.name}"
    _, status = run_alone(program, str(data), stderr=subprocess.DEVNULL, FATHOM_OUTPUT=NOWHERE)
    tap.equal((status, data.read_bytes()), (0, b""), f"{mpi.short}: a file that the program has in the place of stderr")


def check(tap, mpi):
    program = mpi.compile("settings", PROGRAM)
    check_output(tap, mpi, program)
    check_values(tap, mpi, program)
    check_disable(tap, mpi, program)
    check_directory(tap, mpi, program)
    check_stderr(tap, mpi, program)


check_each(check)
