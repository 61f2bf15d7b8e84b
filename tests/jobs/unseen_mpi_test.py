#!/usr/bin/env python3
"""A program that calls MPI through the handle of the library, past Fathom: nothing of it is measured, and the user is told,
in the profile if there is one and by `fathom run` otherwise. Calls that can be seen draw no such message."""
import pathlib
import subprocess
import sys

import jobs

RANKS = 2

# MPI_Init, MPI_Finalize through dlsym: of the handle, or of the program, where Fathom is found first
DLSYM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    int deep = !strcmp(argv[1], "deepbind");
    void *handle = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL | (deep ? RTLD_DEEPBIND : 0));
    if (!handle)
        return fprintf(stderr, "%s\n", dlerror()), 1;
    if (!strcmp(argv[1], "default"))
        handle = RTLD_DEFAULT;
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(handle, "MPI_Init");
    int (*finalize)(void) = (int (*)(void))dlsym(handle, "MPI_Finalize");
    if (!init || !finalize)
        return 1;
    init(&argc, &argv);
    finalize();
    puts("done");
    return 0;
}
"""
CTYPES = """
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
mpi.MPI_Init(None, None)
mpi.MPI_Finalize()
print("done", flush=True)
"""
TOLD = "loaded MPI, but no call of it was seen"
NOTE = "MPI was loaded, but no call of it was seen"


def library(mpi):
    """The file of libmpi that the compiler links with."""
    program = mpi.compile("linked", "#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n")
    lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines()
    return next(line.split()[2] for line in lines if line.strip().startswith("libmpi"))


def check_unseen(tap, mpi, name, command):
    bare = jobs.run(jobs.BARE, mpi, RANKS, command)
    around = jobs.run(jobs.AROUND, mpi, RANKS, command, quiet=False)
    inside = jobs.run(jobs.INSIDE, mpi, RANKS, command, quiet=False)
    tap.ok(all(job.status == 0 and job.stdout.count(b"done") == RANKS for job in (bare, around, inside)),
           f"{mpi.short}: {name} runs as without Fathom", bare, around, inside)
    tap.ok(not around.profiles() and around.stderr.decode().count(TOLD) == 1,
           f"{mpi.short}: {name}: fathom run says that nothing was seen", around)
    tap.ok(not around.left() and not inside.left(), f"{mpi.short}: {name}: nothing is left", around, inside)
    notes = [sum(NOTE in note for note in jobs.notes(inside.report(profile))) for profile in inside.profiles()]
    tap.ok(notes and set(notes) == {1} and TOLD in inside.stderr.decode(),
           f"{mpi.short}: {name}: so does the profile of each process that is measured by name", notes, inside)


def check_seen(tap, mpi, name, command):
    job = jobs.run(jobs.AROUND, mpi, RANKS, command, quiet=False)
    report = job.report()
    tap.ok(jobs.calls(report).get("MPI_Init") == RANKS and TOLD not in job.stderr.decode() and
           not any(NOTE in note for note in jobs.notes(report)), f"{mpi.short}: {name} is seen", job)


def check(tap, mpi):
    path = library(mpi)
    program = jobs.compile_plain(f"by_dlsym.{mpi.name}", DLSYM, "-ldl")
    script = pathlib.Path(jobs.SCRATCH) / "by_ctypes.py"
    script.write_text(CTYPES, encoding="utf-8")
    check_unseen(tap, mpi, "dlsym(handle)", [program, "handle", path])
    check_unseen(tap, mpi, "RTLD_DEEPBIND", [program, "deepbind", path])
    check_unseen(tap, mpi, "ctypes", [sys.executable, script, path])
    check_seen(tap, mpi, "dlsym(RTLD_DEFAULT)", [program, "default", path])
    check_seen(tap, mpi, "a program that is linked with MPI", [mpi.compile(
        "linked_all", "#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); return 0; }\n")])


jobs.check_each(check)
