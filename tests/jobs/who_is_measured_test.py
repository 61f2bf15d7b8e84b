#!/usr/bin/python3
"""Who is measured: MPI processes, and a program without MPI when it is the one named after `fathom run`. What a job
script starts by the hundred costs next to nothing and leaves nothing behind.
"""
import os
import pathlib
import re
import shutil
import subprocess

from jobs import (AROUND, BARE, FATHOM, INSIDE, LIBRARY, MPIS, PRELOAD, SCRATCH, WAYS, Tap, calls, compile_plain,
                  environment, notes, run)

# What the library may cost a helper that never calls MPI, in instructions. Loading, relocating and binding it is the
# dynamic loader's work and most of it; a millisecond is some three million.
MAX_INSTRUCTIONS = 3_000_000

MPI_PROGRAM = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""

# A library that works with and without MPI asks so. Under the preload the references are there: they must answer.
WEAK = r"""
#include <stdio.h>
extern int MPI_Initialized(int *) __attribute__((weak));
extern int MPI_Finalized(int *) __attribute__((weak));
extern int PMPI_Initialized(int *) __attribute__((weak));
int main(void)
{
    int initialized = 0, finalized = 0, below = 0;
    if (MPI_Initialized)
        MPI_Initialized(&initialized);
    if (PMPI_Initialized)
        PMPI_Initialized(&below);
    if (MPI_Finalized)
        MPI_Finalized(&finalized);
    printf("initialized %d %d, finalized %d\n", initialized, below, finalized);
    return initialized ? 1 : 0;
}
"""

SLOW = r"""
#include <unistd.h>
int main(void)
{
    usleep(200000);
    return 0;
}
"""

tap = Tap()


def script(name, text):
    path = SCRATCH / name
    path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
    path.chmod(0o755)
    return str(path)


HELPERS = """
i=0
while [ $i -lt 50 ]; do
    i=$((i + 1))
    sh -c : || exit 1
    /bin/true
    awk "BEGIN { exit $i % 7 }" || :
    n=$(printf %s $i | cat)
done
echo $n
"""


def helpers():
    """200 and more processes of a job script, and none of them leaves a trace."""
    many = script("helpers.sh", HELPERS)
    bare = run(BARE, None, 0, [many])
    job = run(PRELOAD, None, 0, [many])
    tap.equal((job.status, job.stdout, job.stderr), (bare.status, bare.stdout, bare.stderr),
              "a script's 200 helpers work under the preload")
    tap.equal((job.left(), job.segments.exists(), job.profiles()), ([], False, []), "and leave nothing behind")
    job = run(AROUND, None, 0, [many])
    tap.equal((job.status, job.stdout, job.stderr), (bare.status, bare.stdout, bare.stderr),
              "a script's 200 helpers work under fathom run")
    tap.equal((job.left(), len(job.profiles())), ([], 1), "and only the script that was named has a profile")
    report = job.report()
    tap.ok(not calls(report) and report["job"]["wall_s"] > 0.05 and report["job"]["complete"] and
           report["job"]["command"][-1].endswith("helpers.sh"), "of its wall time, without MPI", report["job"])


def scripts_around_mpi():
    """A job script with helpers around mpirun, in the ways of starting: one profile, that of the MPI program."""
    for mpi in MPIS:
        program = mpi.compile("barriers", MPI_PROGRAM)
        launch = " ".join(mpi.mpirun(2))
        for name, inner, way in (("fathom run script", f"{launch} {program}", AROUND),
                                 ("preload of a script", f"{launch} {program}", PRELOAD),
                                 ("fathom run inside", f"{launch} {FATHOM} run -q {program}", BARE)):
            job = run(way, None, 0, [script("job.sh", f"true; sh -c :\n{inner} || exit 1\nawk 'BEGIN {{ exit }}'\n")])
            what = f"{mpi.short}, {name}"
            if tap.equal((job.status, len(job.profiles()), job.left()), (0, 1, []), f"{what}: one profile"):
                tap.equal(calls(job.report()), {"MPI_Init": 2, "MPI_Barrier": 20, "MPI_Finalize": 2},
                          f"{what}: of the MPI program")
            else:
                tap.note(job)
        twice = f"{launch} {program} && {launch} {program}\n"
        job = run(AROUND, None, 0, [script("twice.sh", twice)])
        found = [calls(job.report(path)).get("MPI_Barrier") for path in job.profiles()]
        tap.equal((job.status, found, job.left()), (0, [20, 20], []), f"{mpi.short}: a script with two MPI jobs")


def named():
    slow = compile_plain("slow", SLOW)
    job = run(AROUND, None, 0, [slow])
    report = job.report()
    tap.ok(0.2 <= report["job"]["wall_s"] < 5, "a program without MPI has a profile with its wall time", report["job"])
    tap.ok(report["job"]["complete"] and report["job"]["ranks"] == 1 and not report["mpi"]["routines"],
           "complete, one rank, no MPI", report["job"])
    tap.equal(report["job"]["executable"], slow, "of the program")
    for mpi in MPIS:
        job = run(INSIDE, mpi, 3, [slow])
        seconds = [job.report(path)["job"]["wall_s"] for path in job.profiles()]
        tap.ok(job.status == 0 and len(seconds) == 3 and min(seconds) >= 0.2 and not job.left(),
               f"{mpi.short}: mpirun fathom run of a program without MPI, each has one", seconds, job)
        job = run(AROUND, mpi, 3, [slow], quiet=False)
        tap.ok(job.status == 0 and not job.profiles() and not job.left() and b"nothing was measured" in job.stderr,
               f"{mpi.short}: fathom run -- mpirun of a program without MPI has none, and it is said", job)


def another_launcher():
    """The mpirun of one MPI and a program of the other: each process is a job of its own, and the report says why."""
    for launcher, mpi in zip(MPIS, reversed(MPIS)):
        what = f"{mpi.short} under the mpirun of {launcher.short}"
        if launcher is mpi:
            tap.skip(what, "only one MPI is installed")
            continue
        program = mpi.compile("barriers", MPI_PROGRAM)
        for way in (AROUND, INSIDE, PRELOAD):
            job = run(way, launcher, 3, [program])
            reports = [job.report(path) for path in job.profiles()]
            tap.ok(job.status == 0 and len(reports) == 3 and not job.left(), f"{what}, {way}: three jobs", job)
            tap.ok(all(r["job"]["complete"] and r["job"]["ranks"] == 1 and
                       calls(r) == {"MPI_Init": 1, "MPI_Barrier": 10, "MPI_Finalize": 1} and
                       any("mpirun of another MPI" in note for note in notes(r)) for r in reports),
                   f"{what}, {way}: whole, of one rank, with a note", [(r["job"], notes(r)) for r in reports])


def weak_references():
    program = compile_plain("weak", WEAK)
    for way in (BARE, AROUND, PRELOAD):
        job = run(way, None, 0, [program])
        tap.equal((job.status, job.stdout), (0, b"initialized 0 0, finalized 0\n"),
                  f"weak references to MPI in a program without it, {way}")
        tap.ok(len(job.profiles()) == (way == AROUND) and not job.left(), f"it is not taken for MPI, {way}", job)


def instructions(preload):
    """Of /bin/true in user space, the loader's included."""
    out = SCRATCH / "callgrind.out"
    env = environment(SCRATCH / "none")
    if preload:
        env["LD_PRELOAD"] = LIBRARY
    result = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "/bin/true"], env=env,
                            capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def cost():
    if not shutil.which("valgrind"):
        tap.skip("what the library costs a helper", "needs valgrind")
        return
    without, loaded = instructions(False), instructions(True)
    tap.note(f"/bin/true: {without} instructions, with the library {loaded}: {loaded - without} more")
    tap.ok(0 < loaded - without < MAX_INSTRUCTIONS, f"a helper costs {loaded - without} instructions",
           f"at most {MAX_INSTRUCTIONS}")


def files_opened():
    """A helper opens nothing but the library itself: no directory is looked at, no segment made."""
    if not shutil.which("strace"):
        tap.skip("the files a helper opens", "needs strace")
        return
    trace = {}
    for preload in (False, True):
        env = environment(SCRATCH / "none")
        command = ["strace", "-f", "-e", "trace=file", "-o", str(SCRATCH / "trace")]
        command += ["-E", f"LD_PRELOAD={LIBRARY}"] if preload else []
        if subprocess.run([*command, "/bin/true"], env=env, capture_output=True, check=False).returncode != 0:
            tap.skip("the files a helper opens", "strace may not trace here")
            return
        text = (SCRATCH / "trace").read_text(encoding="utf-8")
        trace[preload] = sorted(set(re.findall(r'"(/[^"]*)"', text)) - {"/etc/ld.so.preload"})
    own = [path for path in trace[True] if path not in trace[False] and "libfathom" not in path]
    tap.equal(own, [], "a helper opens no file on Fathom's behalf")


def main():
    assert pathlib.Path(LIBRARY).exists(), f"{LIBRARY} is not built"
    os.environ.pop("FATHOM_NAMED", None)
    for part in (helpers, scripts_around_mpi, named, another_launcher, weak_references, cost, files_opened):
        part()
    tap.done()


main()
