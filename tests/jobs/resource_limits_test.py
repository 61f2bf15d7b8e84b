#!/usr/bin/python3
"""Limits of resources: a program that has just enough of them runs under Fathom as without, measured or not; and nothing is
lost where only the profile finds no room."""
import os
import shutil
import subprocess

from jobs import AROUND, BARE, FATHOM, INSIDE, LIBRARY, MPIS, PRELOAD, Tap, calls, compile_plain, environment, run

PLAIN = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int use_stack(int depth)
{
    volatile char room[1024];
    memset((char *)room, depth, sizeof room);
    return depth ? use_stack(depth - 1) + room[0] * 0 : 0;
}
int main(int argc, char **argv)
{
    int fd = open("/dev/null", O_RDONLY);
    printf("descriptor %d, stack %d, memory %d\n", fd, use_stack(argc > 1 ? atoi(argv[1]) : 0), malloc(20 << 20) != NULL);
    return 3;
}
"""

WITH_MPI = r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
int main(int argc, char **argv)
{
    struct rlimit limit = {100, 100};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && strcmp(argv[1], "small files") == 0)
        setrlimit(RLIMIT_FSIZE, &limit); /* after MPI_Init, because MPI itself needs larger ones */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return rank == 0 && puts("fine") < 0;
}
"""

# ulimit's words, and how many KiB of its stack the program uses
LIMITS = (("-s 64", 0), ("-s 64", 40), ("-s 32", 0), ("-s 256", 150), ("-n 4", 0), ("-f 1", 0), ("-v 60000", 0),
          ("-d 40000", 0))

tap = Tap()


def limited(limit, command):
    return ["sh", "-c", f'ulimit {limit} && exec "$@"', "sh", *map(str, command)]


def same(job, bare, what):
    tap.equal((job.status, job.stdout, job.stderr), (bare.status, bare.stdout, bare.stderr), f"{what}: as without Fathom")


def without_mpi():
    program = compile_plain("narrow", PLAIN)
    named = {"FM_LIBRARY": LIBRARY}
    for limit, stack in LIMITS:
        command = [program, str(stack)]
        bare = run(BARE, None, 0, limited(limit, command))
        what = f"ulimit {limit}, {stack} KiB of stack used"
        tap.equal(bare.status, 3, f"{what}: runs by itself")
        same(run(PRELOAD, None, 0, limited(limit, command)), bare, f"{what}, {PRELOAD}")
        same(run(BARE, None, 0, limited(limit, [FATHOM, "run", "--quiet", "--", *command])), bare, f"{what}, fathom run")
        # the program is measured, whatever the tool thinks of the limit
        words = ["sh", "-c", f'ulimit {limit} && LD_PRELOAD=$FM_LIBRARY FATHOM_NAMED=$$ exec "$@"', "sh", *command]
        same(run(BARE, None, 0, words, env=named), bare, f"{what}, as the named program")
    job = run(BARE, None, 0, limited("-n 4", [FATHOM, "run", "--", program, "0"]))
    tap.ok(job.status == 3 and b"ulimit -n" in job.stderr, "the user is told why it is not measured", job)
    job = run(BARE, None, 0, limited("-n 4", [FATHOM, "run", "--", "/nowhere/at/all"]))
    tap.equal(job.status, 127, "a command that is not there is told as ever")


def few_processes():
    """A user who may have one process has no room for ours."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        tap.skip("ulimit -u", "needs root to become a user who has no other process")
        return
    program = compile_plain("few", PLAIN)
    place = os.path.dirname(program)
    for file in (FATHOM, LIBRARY):
        shutil.copy(file, place)
    for directory in (place, os.path.dirname(place)):
        os.chmod(directory, 0o755)
    user = ["setpriv", "--reuid=64321", "--regid=64321", "--clear-groups", "--"]
    for limit in ("-u 1", "-u 20"):
        bare = run(BARE, None, 0, limited(limit, [program]), prefix=user)
        job = run(BARE, None, 0, limited(limit, [f"{place}/fathom", "run", "--quiet", "--", program]), prefix=user)
        same(job, bare, f"ulimit {limit}, fathom run")


def starts(words, env):
    try:
        return subprocess.run(words, executable="/bin/true", env=env, check=False).returncode == 0
    except OSError:
        return False


def full_environment():
    """Arguments and variables that just fit: with ours they would not."""
    program = compile_plain("full", PLAIN)
    words = [FATHOM, "run", "--quiet", "--", program]
    env = {f"FILLER{i}": "x" * 100000 for i in range(200)}
    while not starts(words, environment("/nowhere", env)):
        env.popitem()
    low, high = 0, 100000
    while high - low > 1:
        middle = (low + high) // 2
        fits = starts(words, environment("/nowhere", {**env, "LAST": "x" * middle}))
        low, high = (middle, high) if fits else (low, middle)
    env["LAST"] = "x" * (low - 300)  # of names and of what differs between directories
    bare = run(BARE, None, 0, [program], env=env)
    tap.equal(bare.status, 3, "an environment that just fits")
    same(run(AROUND, None, 0, [program], env=env), bare, f"an environment that just fits, {AROUND}")
    env.pop("LAST")
    for mpi in MPIS:
        program = mpi.compile("full", WITH_MPI)
        bare = run(BARE, mpi, 2, [program], env=env)
        same(run(AROUND, mpi, 2, [program], env=env), bare, f"{mpi.short}, a large environment, {AROUND}")


def with_mpi():
    for mpi in MPIS:
        program = mpi.compile("limits", WITH_MPI)
        for limit in ("-s 40", "-s 64", "-v 600000"):
            bare = run(BARE, mpi, 2, limited(limit, [program]))
            if bare.status != 0:
                tap.skip(f"{mpi.short}, ulimit {limit}", "this MPI does not run so by itself")
                continue
            for way in (AROUND, PRELOAD):
                same(run(way, mpi, 2, limited(limit, [program])), bare, f"{mpi.short}, ulimit {limit}, {way}")
            job = run(BARE, mpi, 2, limited(limit, [FATHOM, "run", "--quiet", program]))
            same(job, bare, f"{mpi.short}, ulimit {limit}, {INSIDE}")
        job = run(PRELOAD, mpi, 2, [program, "small files"])
        tap.equal((job.status, job.stdout), (0, b"fine\n"),
                  f"{mpi.short}: files of 100 bytes, the program ends well")
        tap.equal(job.profiles(), [], f"{mpi.short}: the profile is not written where it may not be")
        job.collect()
        tap.equal(calls(job.report())["MPI_Barrier"], 2, f"{mpi.short}: fathom collect writes it afterwards")


def no_timers():
    """The kernel grants no timers to sample with: the program is measured without, and the reports say why."""
    program = compile_plain("no_timers", PLAIN)
    job = run(BARE, None, 0, ["prlimit", "--sigpending=0", FATHOM, "run", "--quiet", "--", program, "0"])
    tap.equal(job.status, 3, "no pending signals: the program runs")
    tap.equal([note["code"] for note in job.report()["job"]["notes"]], ["unsampled-threads"], "and that is noted")
    view = subprocess.run([FATHOM, "report", "--view", "calls", *job.profiles()], capture_output=True, text=True,
                          check=True).stdout
    tap.ok("ulimit -i" in " ".join(view.split()) and "--sample off" not in view, "and shown where call paths would be", view)


for part in (without_mpi, few_processes, full_environment, no_timers, with_mpi):
    part()
tap.done()
