"""Programs of this folder without MPI, with and without samples of their call paths, and what the segments then say."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "jobs"))
import jobs  # noqa: E402

HZ = 5000
PROGRAMS = HERE / "programs"


def compile_program(name, *flags, target=None, compiler="gcc"):
    source = next(PROGRAMS.glob(f"{name}.c*"))
    path = jobs.SCRATCH / (target or name)
    subprocess.run([compiler, "-O1", "-g", "-Wall", "-Wextra", "-o", str(path), str(source), "-pthread", *flags],
                   check=True)
    return str(path)


NAMED = ["sh", "-c", 'LD_PRELOAD=$FM_LIBRARY FATHOM_NAMED=$$ exec "$0" "$@"']


def run(command, sampled=True, hz=HZ):
    """A job whose segment is left where it is: the program is measured because it is named, and no tool is around it."""
    env = {"FATHOM_SAMPLE": str(hz), "FM_LIBRARY": jobs.LIBRARY}
    return jobs.run(jobs.BARE, None, 1, (NAMED if sampled else []) + [str(word) for word in command], env=env)


class Samples:
    """What a segment says: counts by name, and (periods, [steps from the outermost on]) of each path."""

    def __init__(self, job, reader):
        self.counts, self.paths = {}, []
        segments = [p for p in job.segments.iterdir() if p.suffix == ".segment"] if job.segments.is_dir() else []
        if len(segments) != 1:
            raise LookupError(f"{len(segments)} segments in {job.segments}")
        out = subprocess.run([reader, str(segments[0])], capture_output=True, text=True, check=True).stdout
        for line in out.splitlines():
            words = line.split(" ", 2)
            if words[0] == "path":
                self.paths.append((int(words[1]), words[2].split(";")))
            else:
                self.counts[words[0]] = int(words[1])

    def seconds(self, step_is=lambda step: True):
        """The time of all paths that have such a step."""
        periods = sum(n for n, steps in self.paths if any(step_is(step) for step in steps))
        return periods * self.counts["period_ns"] / 1e9


def reader():
    return compile_program("segment", f"-I{jobs.SOURCE / 'src'}")


def function_of(program, name):
    """A test of steps: whether one lies in a function of a program, which is its own and not a library's."""
    out = subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout
    address, size = next((int(w[0], 16), int(w[1], 16)) for w in map(str.split, out.splitlines())
                         if len(w) == 4 and w[3] == name)
    module = os.path.basename(program)

    def is_inside(step):
        file, _, offset = step.partition("+")
        return file == module and address < int(offset, 16) <= address + size
    return is_inside
