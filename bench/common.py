# SPDX-License-Identifier: BSD-3-Clause
"""Shared by the parts of the benchmark: what is built, how programs are started, tables and goals."""
import os
import pathlib
import re
import shlex
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = (SOURCE / os.environ.get("FATHOM_BUILD", os.environ.get("BUILD", "build"))).resolve()  # FATHOM_BUILD: of a test
MADE = BUILD / "bench"
FATHOM, LIBRARY = BUILD / "fathom", BUILD / "libfathom.so.0"
MPIS = {"openmpi": "Open MPI", "mpich": "MPICH"}
LIMIT_S = 600

AGREE = 0.05  # plain runs of one set that differ by more say nothing about nanoseconds

missed = []
trial = False  # only to see that everything runs


def scaled(number, trial_number):
    """A number of ranks or the like; in a trial the small one."""
    return trial_number if trial else number


def make(target, *command):
    """Builds MADE/target by a compiler command; the last words name sources in bench/ or files already made."""
    path = MADE / target
    subprocess.run([*command, "-o", str(path)], cwd=SOURCE / "bench", check=True)
    return path


def mpicc(mpi, target, *words):
    # MPICH declares MPI_STATUSES_IGNORE in a way that gcc takes for an array too small
    flags = ["-O2", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wno-stringop-overflow", "-I", str(SOURCE / "src")]
    return make(f"{target}.{mpi}", f"mpicc.{mpi}", *flags, *map(str, words))


def tool_program(name):
    """Builds bench/NAME.c with all that the tool is made of, as bench/meson.build says."""
    done = subprocess.run(["ninja", "-C", str(BUILD), f"bench/{name}"], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.stderr.buffer.write(done.stdout)
        sys.exit(f"bench: {name} cannot be built.")
    return MADE / name


def miniocean(mpi):
    """Built in the folder that the tests use, too, and at most by one at a time."""
    where = BUILD / "miniocean" / mpi
    where.mkdir(parents=True, exist_ok=True)
    subprocess.run(["flock", str(where), "make", "-s", "-j2", "-C", str(SOURCE / "examples" / "miniocean"),
                    f"FC=mpifort.{mpi}", f"BUILD={where}"], check=True)
    return where / "miniocean"


def environment(preload, output, more):
    """The caller's environment without what would change a result, and `more`; `preload` are libraries."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("FATHOM_", "LD_", "MAKE", "MFLAGS"))}
    env.update(
        LC_ALL="C.UTF-8",
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        OMPI_MCA_mpi_yield_when_idle="1",
        FATHOM_OUTPUT=str(output),
        **more,
    )
    if preload:
        env["LD_PRELOAD"] = " ".join(map(str, preload))
    return env


def run(command, preload=(), ranks=0, **more):
    """The output of a command, under mpirun where `ranks` is (mpi, number), with `more` variables in its
    environment. Its profile is MADE/bench.fathom."""
    output = MADE / "bench.fathom"
    output.unlink(missing_ok=True)
    words = [str(word) for word in command]
    if ranks:
        words = [f"mpirun.{ranks[0]}", "-n", str(ranks[1]), *words]
    done = subprocess.run(words, cwd=MADE, env=environment(preload, output, more),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)
    if done.returncode != 0:
        sys.stderr.write(done.stderr.decode("utf-8", "replace"))
        sys.exit(f"bench: {shlex.join(words)} ended with status {done.returncode}.")
    if LIBRARY in preload and not output.exists():
        sys.exit(f"bench: {shlex.join(words)} was measured by Fathom, but there is no profile.")
    return done.stdout.decode("utf-8", "replace")


def callgrind(command, preload, *options, **more):
    """The texts of what callgrind has counted of a command, one of each dump."""
    for old in MADE.glob("callgrind*"):
        old.unlink()
    run(["valgrind", "--tool=callgrind", *options, "--callgrind-out-file=callgrind", *command], preload, **more)
    return [dump.read_text(encoding="utf-8", errors="replace") for dump in sorted(MADE.glob("callgrind*"))]


def counted(text):
    return int(re.search(r"^totals: (\d+)", text, re.MULTILINE)[1])


def counted_in(text, library):
    """The instructions of one library alone."""
    total, inside, of_callee, names = 0, False, False, {}
    for line in text.splitlines():
        if line.startswith("ob="):
            number, _, path = line[3:].partition(" ")
            names[number] = names.get(number) or path
            inside = names[number].endswith("/" + library)
        elif line.startswith("cob="):
            number, _, path = line[4:].partition(" ")
            names[number] = names.get(number) or path
        elif line.startswith("calls="):
            of_callee = True
        elif line[:1].isdigit() or line[:1] in "+-*":
            total += int(line.split()[-1]) if inside and line and not of_callee else 0
            of_callee = False
    return total


def instructions(command, preload=(), own=None, **more):
    """{loop: instructions} between the brackets of instructions.c, by callgrind; with the name of a library `own`,
    {loop: (instructions, those of that library)}."""
    counts = {}
    for text in callgrind(command, preload, "--instr-atstart=no", **more):
        loop = re.search(r"^desc: Trigger: Client Request: (\S+)", text, re.MULTILINE)
        if loop:
            counts[loop[1]] = counted(text) if own is None else (counted(text), counted_in(text, own))
    return counts


def all_instructions(command, preload=(), **more):
    """Of a program from its first to its last instruction, the loader's included."""
    return counted(callgrind(command, preload, **more)[0])


def alternate(times, ways, measure):
    """One result of measure(way) after the other for each way, in turn, so that all have the same luck."""
    found = {way: [] for way in ways}
    for _ in range(times):
        for way, results in found.items():
            results.append(measure(way))
    return found


def heading(text):
    print(f"\n=== {text}\n", flush=True)


def table(columns, rows):
    """Rows of texts under their columns; the first column is a name, the others are numbers."""
    cells = [columns, *rows]
    widths = [max(len(str(row[i])) for row in cells) for i in range(len(columns))]
    for row in cells:
        line = [str(row[0]).ljust(widths[0])] + [str(c).rjust(w) for c, w in zip(row[1:], widths[1:])]
        print("  " + "  ".join(line))
    print(flush=True)


def goal(met, text):
    """One line for a goal: met or missed."""
    if not met:
        missed.append(text)
    print(f"  {'met   ' if met else 'MISSED'}  {text}", flush=True)


def apart(runs):
    """How far repeated runs of one thing lie apart, as a part of the least; nothing is known of a single one."""
    return max(runs) / min(runs) - 1 if len(runs) > 1 else float("inf")


def time_goal(plain, met, text, instructions=None):
    """One line for a goal in time. Time is judged only where the runs without Fathom, made in turn with the measured
    ones, agree: `plain` is a list of such runs for each thing that was measured. Where they do not, the goal in
    instructions decides, given as (met, text); without one the line is not judged."""
    widest = max(map(apart, plain))
    why = "one plain run only" if widest == float("inf") else f"plain runs differ by {100 * widest:.0f} %"
    if widest <= AGREE:
        goal(met, text)
    elif instructions:
        goal(instructions[0], f"{instructions[1]}; this decides, not {text}: {why}")
    else:
        print(f"  unsure  {text}: {why}", flush=True)
