#!/usr/bin/python3
"""Programs that forbid themselves system calls (seccomp) are not ended by one of Fathom's, from the moment of the filter to
their last; what was measured is in the profile, which says so."""
import signal
import subprocess
import time

from jobs import AROUND, BARE, INSIDE, MPIS, PRELOAD, SCRATCH, SOURCE, WAYS, Tap, calls, notes, run

PROGRAM = SOURCE / "tests/jobs/programs/filtered.c"
SAMPLED, UNSAMPLED = {"FATHOM_SAMPLE": "1000"}, {"FATHOM_SAMPLE": "off"}
NOTE = "the program installed a seccomp filter"

tap = Tap()


def noted(report):
    return any(NOTE in note for note in notes(report))


def without_mpi():
    program = SCRATCH / "filtered"
    subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-o", program, PROGRAM, "-pthread"], check=True)
    for how in ("strict", "strict-call", "prctl", "prctl-call", "seccomp", "threads", "held", "fork", "none"):
        bare = run(BARE, None, 0, [program, how])
        tap.equal((bare.status, bare.stdout), (3, b"fine\n"), f"{how}: runs without Fathom")
        for env in (SAMPLED, UNSAMPLED):
            for way in (AROUND, PRELOAD):
                job = run(way, None, 0, [program, how], env=env)
                what = f"{how}, FATHOM_SAMPLE={env['FATHOM_SAMPLE']}, {way}"
                tap.equal((job.status, job.stdout, job.stderr), (3, b"fine\n", b""), f"{what}: runs to its end")
                if way == AROUND:
                    report = job.report()
                    tap.ok(report["job"]["complete"] and noted(report) == (how != "none") and not job.left(),
                           f"{what}: its profile is complete and says so", report["job"])


    many_threads(program)
    dies(program)


def many_threads(program):
    """They are on their way through Fathom's locks when the filter comes."""
    wrong = [job for job in (run(AROUND, None, 0, [program, "many"], env=SAMPLED) for _ in range(25))
             if (job.status, job.stdout) != (3, b"fine\n")]
    tap.ok(not wrong, "many: with threads that are just beginning, 25 times", *wrong)


def dies(program):
    """The time of a process goes on in silence, until whoever waits for it sees its end."""
    started = time.monotonic()
    job = run(AROUND, None, 0, [program, "dies"], env=SAMPLED)
    took, report = time.monotonic() - started, job.report()
    tap.ok(job.status == -signal.SIGSYS and noted(report), "dies: ended by its filter", job)
    # nine tenths of its work are after the filter
    tap.ok(took / 3 < report["job"]["wall_s"] < took, "dies: its time is known to the end", took, report["job"])


def profile(job):
    """The one profile, made by `fathom collect` where the job left it to that."""
    if not job.profiles():
        job.collect()
    return job.report()


def with_mpi():
    for mpi in MPIS:
        program = mpi.compile("filtered", PROGRAM.read_text(encoding="utf-8"), "-DWITH_MPI", "-pthread")
        for words in (["prctl"], ["seccomp"], ["prctl", "0"], ["prctl", "1"], ["none"]):
            for way in WAYS:
                job = run(way, mpi, 2, [program, *words], env=SAMPLED)
                what = f"{mpi.short}, {' of rank '.join(words)}, {way}"
                tap.equal((job.status, job.stdout, job.stderr), (0, b"", b""), f"{what}: runs to its end")
                report = profile(job)
                tap.ok(report["job"]["complete"] and calls(report).get("MPI_Barrier") == 20 and
                       noted(report) == (words != ["none"]) and not job.left(),
                       f"{what}: the profile has every call", report["job"], calls(report), job.left())
        for way in WAYS:
            job = run(way, mpi, 2, [program, "before"], env=SAMPLED)
            # `fathom run` names its program, which is measured from its start until it filters its calls
            tap.ok((job.status, job.stdout, job.left()) == (0, b"", []) and bool(job.profiles()) == (way == INSIDE),
                   f"{mpi.short}, a filter from before MPI_Init, {way}: runs to its end, MPI is not measured", job)


for part in (without_mpi, with_mpi):
    part()
tap.done()
