#!/usr/bin/python3
"""A process is killed before each of the system calls on files that Fathom makes in it for itself, one after the other:
from setting up its segment to removing it. Whatever the moment, one `fathom collect` afterwards succeeds, has all that was
measured in one profile, and leaves nothing else behind; and `fathom run` says where the profile is.
"""
import os
import re
import subprocess

from jobs import AROUND, LIBRARY, MPIS, PRELOAD, SCRATCH, SOURCE, Tap, at_once, calls, command_line, prepare

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int value = 1, sum;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    fclose(fopen("measured", "w"));
    MPI_Finalize();
    return 0;
}
"""

tap = Tap()


def compile_library():
    target = SCRATCH / "crash_point.so"
    subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-Wno-attribute-alias", "-o", str(target),
                    str(SOURCE / "tests/jobs/programs/crash_point.c"), "-ldl"], check=True)
    return str(target)


def forwards():
    """Where the library calls the next definition for the program: START+SIZE of its wrappers."""
    symbols = subprocess.run(["nm", "-S", LIBRARY], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"(?m)^(\w+) (\w+) \w fm_wrapped_", symbols)
    return " ".join(f"{int(start, 16):x}+{int(size, 16):x}" for start, size in found)


FORWARDS = forwards()


class Crash:
    """One job whose process (rank 0) is killed at one point."""

    def __init__(self, library, way, launcher, ranks, program, at, more):
        env = {"LD_PRELOAD": library, "CRASH_AT": str(at), "CRASH_COUNT": "count", "CRASH_RANK": "0",
               "CRASH_FORWARDS": FORWARDS, "CRASH_PROGRAM": os.path.basename(program), "FATHOM_SAMPLE": "off",
               "OMPI_MCA_ess_singleton_isolated": "1", "HOME": str(SCRATCH), **more}  # without a daemon
        self.at = at
        self.job, variables = prepare(way, env)
        if "FATHOM_OUTPUT" in more:  # there is a file already
            (self.job.work / more["FATHOM_OUTPUT"]).touch()
        words = command_line(way, launcher, ranks, [program], quiet=False)
        done = subprocess.run(words, cwd=self.job.work, env=variables, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=90, check=False)
        self.job.status, self.job.stderr = done.returncode, done.stderr
        self.found_before = self.job.profiles()
        self.collected = self.job.collect("--wait", "10")

    def count(self):
        """Of the rank with most: the one that writes the profile."""
        return max((int(path.read_text()) for path in self.job.work.glob("count.*")), default=0)

    def problems(self, ranks):
        wrong = []
        files = {p.name for p in self.job.work.iterdir() if not p.name.startswith("count.")} - {"segments", "measured"}
        profiles = [p for p in self.job.profiles() if os.path.getsize(p)]
        measured = (self.job.work / "measured").exists()
        if self.collected.returncode:
            wrong.append(f"collect: {self.collected}")
        if self.job.left():
            wrong.append(f"left behind: {self.job.left()}")
        if files != {os.path.basename(p) for p in self.job.profiles()}:
            wrong.append(f"beside the profile: {files}")
        if len(profiles) > 1 or (measured and not profiles):
            wrong.append(f"profiles {profiles}, measured: {measured}")
        elif measured and calls(self.job.report())["MPI_Allreduce"] != 5 * ranks:
            wrong.append(f"calls {calls(self.job.report())}")
        return [f"killed at point {self.at}: {text}" for text in wrong]

    def told(self):
        """What is wrong with what `fathom run` said."""
        stderr = self.job.stderr.decode()
        said = "fathom: profile in" in stderr
        if said == bool(self.found_before) and ("no profile" in stderr) != said:
            return []
        return [f"killed at point {self.at}: profiles {self.found_before}, but it said:\n{stderr}"]


def try_points(library, mpi, program, what, more):
    def crash(at):
        return Crash(library, PRELOAD, None, 1, program, at, more)
    whole = crash(0)
    number = whole.count()
    tap.ok(number > 20 and not whole.problems(1), f"{mpi.short}, {what}: not killed: {number} points", whole.job)
    found = at_once(4, [lambda at=at: crash(at).problems(1) for at in range(1, number + 1)])
    wrong = [text for texts in found for text in texts]
    tap.ok(not wrong, f"{mpi.short}, {what}: nothing lost and nothing left at any of {number} points", *wrong[:10])


def try_run(library, mpi, program):
    """Around a launcher, from where MPI_Finalize begins to write."""
    def crash(at):
        return Crash(library, AROUND, mpi, 2, program, at, {"CRASH_RANK": None})
    def point_of(at):
        crashed = crash(at)
        return crashed.problems(2) + crashed.told()
    number = crash(0).count()
    wrong = [text for texts in at_once(2, [lambda at=at: point_of(at) for at in range(number - 16, number + 1)])
             for text in texts]
    tap.ok(not wrong, f"{mpi.short}, fathom run: it says where the profile is, whenever a rank is killed", *wrong[:6])


def main():
    library = compile_library()
    for mpi in MPIS:
        program = mpi.compile("crashing", PROGRAM)
        try_points(library, mpi, program, "a new profile", {})
        try_points(library, mpi, program, "a file is replaced", {"FATHOM_OUTPUT": "replaced.fathom"})
        try_points(library, mpi, program, "no O_TMPFILE", {"CRASH_NO_TMPFILE": "1"})
        try_points(library, mpi, program, "no links", {"CRASH_NO_LINKS": "1"})
        try_run(library, mpi, program)
    tap.done()


main()
