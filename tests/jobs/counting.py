"""Independent counts to hold Fathom's against: what a program says of itself (programs/tally.h), and a PMPI counter
made from the prototypes in an MPI's own header. Neither knows anything of Fathom.
"""
import pathlib
import re
import subprocess

import jobs

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
ALL = ("all.c", "all_messages.c", "all_collectives.c", "all_neighbours.c", "all_objects.c", "all_memory.c",
       "all_files.c", "tally.c")  # the program that calls nearly every routine
FIGURES = ("calls", "bytes", "bytes_sent", "bytes_received")
COMPILERS = {".c": "mpicc", ".cpp": "mpicxx", ".f90": "mpifort", ".F90": "mpifort"}

COUNTER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <mpi.h>
static int used;
static struct { const char *name; unsigned long calls; } counts[];
__attribute__((destructor)) static void write_counts(void)
{
    char name[64];
    /* not from MPI_Comm_rank: what a tool above Fathom calls for itself is counted as the program's */
    const char *rank = getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    snprintf(name, sizeof name, "counter.%s", rank ? rank : "none");
    FILE *file = used ? fopen(name, "w") : NULL;
    for (int i = 0; file && counts[i].name; i++)
        if (counts[i].calls)
            fprintf(file, "%s %lu\n", counts[i].name, counts[i].calls);
    if (file)
        fclose(file);
}
"""
PROTOTYPE = re.compile(r"\b(int|double|MPI_Aint)\s+(MPI_\w+)\s*\(([^()]*)\)[^;{}]*;")

# Routines that are not counted: conversions of handles, and clocks.
UNCOUNTED = re.compile(r"_(f2c|c2f|f082c|c2f08|f082f|f2f08)$|^MPI_Wti(me|ck)$")


def compile_program(mpi, name, *sources, first=(), flags=()):
    """Builds files of programs/, after those named in `first`, into one program, with the compiler of their language."""
    target = jobs.SCRATCH / f"{name}.{mpi.name}"
    paths = [str(PROGRAMS / source) for source in sources]
    compiler = f"{COMPILERS[pathlib.Path(sources[0]).suffix]}.{mpi.name}"
    # -w: the headers of both MPIs declare arrays that compilers take literally, MPI_STATUSES_IGNORE among them
    words = [compiler, "-O1", "-g", "-w", f"-I{PROGRAMS}", "-o", str(target), *first, *paths, *flags]
    subprocess.run(words, check=True, cwd=jobs.SCRATCH)
    return str(target)


def prototypes(mpi):
    """(result, name, parameters) of every function in the MPI's header, as the compiler sees it."""
    source = jobs.SCRATCH / "header.c"
    source.write_text("#include <mpi.h>\n", encoding="utf-8")
    text = subprocess.run([f"mpicc.{mpi.name}", "-E", "-P", str(source)], capture_output=True, text=True,
                          check=True).stdout
    found = {}
    for result, name, parameters in PROTOTYPE.findall(text):
        found.setdefault(name, (result, [" ".join(p.split()) for p in parameters.split(",")]))
    return found


def parameter_name(parameter):
    return re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", parameter))[-1]


def wrapper(number, name, result, parameters):
    if parameters == ["void"]:
        names = []
    else:
        names = [parameter_name(p) for p in parameters if p != "..."]
    call = f"PMPI_{name[4:]}({', '.join(names)})"
    return (f"{result} {name}({', '.join(parameters)})\n"
            f"{{ used = 1; __atomic_add_fetch(&counts[{number}].calls, 1, __ATOMIC_RELAXED); return {call}; }}\n")


def counter_source(mpi):
    """A PMPI tool that counts every call by routine and rank, and writes "counter.RANK" when it is unloaded."""
    known = {n: p for n, p in prototypes(mpi).items() if not UNCOUNTED.search(n)}
    table = "".join(f'    {{"{name}", 0}},\n' for name in known)
    wrappers = "".join(wrapper(i, name, *known[name]) for i, name in enumerate(known))
    text = COUNTER.replace("counts[];", f"counts[{len(known) + 1}] = {{\n{table}    {{NULL, 0}},\n}};")
    return text + wrappers


def counter_library(mpi, name="counter"):
    source, target = jobs.SCRATCH / f"{name}.{mpi.name}.c", jobs.SCRATCH / f"lib{name}.{mpi.name}.so"
    source.write_text(counter_source(mpi), encoding="utf-8")
    subprocess.run([f"mpicc.{mpi.name}", "-O1", "-w", "-shared", "-fPIC", "-o", str(target), str(source)], check=True)
    return str(target)


def read_lines(job, stem):
    """Rank -> routine -> figures, from the files STEM.RANK that the job left."""
    ranks = {}
    for path in sorted(job.work.glob(f"{stem}.[0-9]*")):
        lines = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
        ranks[int(path.suffix[1:])] = {words[0]: tuple(int(w) for w in words[1:]) for words in lines}
    return ranks


def sums(ranks):
    """Routine -> sums over the ranks."""
    total = {}
    for routines in ranks.values():
        for name, figures in routines.items():
            old = total.get(name, (0,) * len(figures))
            total[name] = tuple(a + b for a, b in zip(old, figures))
    return total


def figures(report):
    """Routine -> (calls, bytes, sent, received), as Fathom has them."""
    return {r["name"]: tuple(r[f] for f in FIGURES) for r in report["mpi"]["routines"]}


def differences(got, wanted):
    """One line for every routine where they differ."""
    return [f"{name}: got {got.get(name)}, wanted {wanted.get(name)}"
            for name in sorted(set(got) | set(wanted)) if got.get(name) != wanted.get(name)]


def spread_differences(report, ranks):
    """Where the smallest and the largest rank of a routine are not those that the ranks themselves tell."""
    wrong = []
    for routine in report["mpi"]["routines"]:
        calls = {rank: names[routine["name"]][0] for rank, names in ranks.items() if routine["name"] in names}
        wanted = (min(calls.values(), default=0), max(calls.values(), default=0), sorted(calls))
        spread = routine["per_rank"]["calls"]
        got = (spread["min"], spread["max"], ranks_of(routine["ranks"]))
        if got != wanted:
            wrong.append(f"{routine['name']}: (fewest, most, ranks) is {got}, wanted {wanted}")
    return wrong


def ranks_of(text):
    """"0-2,5" -> [0, 1, 2, 5]"""
    found = []
    for part in filter(None, text.split(",")):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def topology(report):
    """(from, to) -> (messages, bytes)"""
    return {(p["from"], p["to"]): (p["messages"], p["bytes"]) for p in report["mpi"]["topology"]}
