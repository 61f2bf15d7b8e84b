"""Shared by the parts of the benchmark: what is built, how programs are started, tables and goals."""
import os
import pathlib
import re
import shlex
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("BUILD", SOURCE / "build")).resolve()
MADE = BUILD / "bench"
FATHOM, LIBRARY = BUILD / "fathom", BUILD / "libfathom.so.0"
MPIS = {"openmpi": "Open MPI", "mpich": "MPICH"}
LIMIT_S = 600

missed = []


def make(target, *command):
    """Builds MADE/target by a compiler command; the last words name sources in bench/ or files already made."""
    path = MADE / target
    subprocess.run([*command, "-o", str(path)], cwd=SOURCE / "bench", check=True)
    return path


def mpicc(mpi, target, *words):
    # MPICH declares MPI_STATUSES_IGNORE in a way that gcc takes for an array too small
    flags = ["-O2", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wno-stringop-overflow", "-I", str(SOURCE / "src")]
    return make(f"{target}.{mpi}", f"mpicc.{mpi}", *flags, *map(str, words))


def with_core(name):
    """Builds bench/NAME.c with all that merges, and with synthetic segments."""
    sources = [path for folder in ("base", "profile", "reduce") for path in (SOURCE / "src" / folder).glob("*.c")]
    sources += [SOURCE / "tests" / "reduce" / f"{part}.c" for part in ("synthetic", "synthetic_timers")]
    folders = [SOURCE / "src", BUILD / "src", SOURCE / "tests"]
    return make(name, "gcc", "-std=gnu17", "-O2", "-D_GNU_SOURCE=", '-DFM_VERSION="bench"', f"{name}.c",
                *(f"-I{folder}" for folder in folders), *map(str, sorted(sources)))


def miniocean(mpi):
    where = MADE / f"miniocean.{mpi}"
    subprocess.run(["make", "-s", "-C", str(SOURCE / "examples" / "miniocean"), f"FC=mpifort.{mpi}", f"BUILD={where}"],
                   check=True)
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


def instructions(command, preload=(), **more):
    """{loop: instructions} between the brackets of instructions.c, by callgrind."""
    counts = {}
    for old in MADE.glob("callgrind*"):
        old.unlink()
    run(["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=callgrind", *command], preload,
        **more)
    for dump in MADE.glob("callgrind.*"):
        text = dump.read_text(encoding="utf-8", errors="replace")
        loop = re.search(r"^desc: Trigger: Client Request: (\S+)", text, re.MULTILINE)
        counts[loop[1]] = int(re.search(r"^totals: (\d+)", text, re.MULTILINE)[1])
    return counts


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
