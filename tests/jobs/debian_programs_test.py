#!/usr/bin/python3
"""Programs nobody here wrote: Debian's hpcc, LAMMPS and mpi4py. Their results are the same with and without Fathom,
and every routine's count is that of an independent PMPI counter, preloaded below Fathom so that both see one run.
"""
import pathlib
import re
import subprocess

import counting
import debian
from jobs import AROUND, BARE, PRELOAD, LIBRARY, Tap, calls, run

RANKS = 4

# All arguments and results of MPI routines are of register size and passed on as such; clocks are not counted.
COUNTER = r"""
#include <stdio.h>
#include <unistd.h>
typedef long w;
#define PARAMETERS w a, w b, w c, w d, w e, w f, w g, w h, w i, w j, w k, w l, w m, w n, w o
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o
static void save(void);
#define COUNT(X) static long n_##X; extern w P##X(PARAMETERS); w X(PARAMETERS) { n_##X++; return P##X(ARGUMENTS); }
#define COUNT_LAST(X) static long n_##X; extern w P##X(void); w X(void) { n_##X++; save(); return P##X(); }
@COUNT@
static void save(void)
{
    char name[60];
    snprintf(name, sizeof name, "counted.%d", (int)getpid());
    FILE *file = fopen(name, "w");
@SAVE@
    fclose(file);
}
"""

tap = Tap()


def undefined(path):
    """The MPI routines that a program or library calls by name."""
    out = subprocess.run(["nm", "-D", "--undefined-only", str(path)], capture_output=True, text=True, check=True).stdout
    return {name for name in re.findall(r"\b(MPI_[A-Z]\w*)", out) if not counting.UNCOUNTED.search(name)}


def build_counter(mpi, name, paths):
    routines = sorted(set().union(*(undefined(path) for path in paths)))
    macro = {"MPI_Finalize": "COUNT_LAST"}
    text = COUNTER.replace("@COUNT@", "\n".join(f"{macro.get(r, 'COUNT')}({r})" for r in routines))
    text = text.replace("@SAVE@", "\n".join(f'    fprintf(file, "{r} %ld\\n", n_{r});' for r in routines))
    return mpi.compile(f"counter-{name}", text, "-shared", "-fPIC", "-fno-builtin", "-w")


def counted(job):
    """Routine -> calls of all ranks, as the counter saw them."""
    total = {}
    for path in job.work.glob("counted.*"):
        for line in path.read_text(encoding="ascii").splitlines():
            name, number = line.split()
            total[name] = total.get(name, 0) + int(number)
    return {name: number for name, number in total.items() if number}


def check(name, program, results):
    """results(job): what does not change from run to run."""
    counter = {"LD_PRELOAD": build_counter(program.mpi, name, program.calling)}
    bare = run(BARE, program.mpi, RANKS, program.command, files=program.files)
    if not tap.ok(bare.status == 0 and results(bare), f"{name} runs by itself", bare):
        return
    for way in (AROUND, PRELOAD):
        job = run(way, program.mpi, RANKS, program.command, env=counter, files=program.files)
        tap.equal((job.status, results(job)), (bare.status, results(bare)), f"{name}, {way}: the same results")
        try:
            report = job.report()
        except LookupError as error:
            tap.ok(False, f"{name}, {way}: one profile", error, job)
            continue
        tap.ok(report["job"]["complete"] and report["job"]["ranks"] == RANKS and not job.left(),
               f"{name}, {way}: a complete profile of {RANKS} ranks", report["job"])
        seen, known = calls(report), counted(job)
        wrong = {n: (seen.get(n, 0), known.get(n, 0)) for n in seen.keys() | known if seen.get(n) != known.get(n)}
        tap.note(f"{name}: {sum(known.values())} calls of {len(known)} routines")
        tap.ok(known and not wrong, f"{name}, {way}: every routine's count is that of the counter",
               f"routine: (Fathom, counter) {wrong}")


# ---- the programs ----

def hpcc():
    program = debian.hpcc()
    if not program:
        tap.skip("hpcc", "it is not installed")
        return

    def results(job):
        text = (job.work / "hpccoutf.txt").read_text(encoding="utf-8") if (job.work / "hpccoutf.txt").exists() else ""
        # PTRANS leaves out lines of CPU time if the clock measured none
        return re.findall(r"WALL.*?(PASSED|FAILED)", text) + sorted(set(re.findall(r"CPU.*?(PASSED|FAILED)", text))) + \
            re.findall(r".*Ax-b.*(?:PASSED|FAILED)", text) + \
            re.findall(r"Success=\d", text)

    check("hpcc", program, results)


def lammps():
    program = debian.lammps()
    if not program:
        tap.skip("LAMMPS", "it is not installed")
        return

    def results(job):
        text = job.stdout.decode("utf-8", "replace")
        table = re.findall(r"^ *\d+(?: +-?[\d.]+){5} *$", text, re.MULTILINE)  # step, temperature, energies, pressure
        return table + re.findall(r"^Total # of neighbors = \d+|^Neighbor list builds = \d+", text, re.MULTILINE)

    check("LAMMPS", program, results)


def python():
    program = debian.python()
    if not program:
        tap.skip("mpi4py", "it is not installed")
        return
    check("mpi4py", program, lambda job: job.stdout.splitlines())


def main():
    assert pathlib.Path(LIBRARY).exists(), f"{LIBRARY} is not built"
    hpcc()
    lammps()
    python()
    tap.done()


main()
