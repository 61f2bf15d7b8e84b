#!/usr/bin/python3
"""Programs nobody here wrote: Debian's hpcc, LAMMPS and mpi4py. Their results are the same with and without Fathom,
and every routine's count is that of an independent PMPI counter, preloaded below Fathom so that both see one run.
"""
import pathlib
import re
import shutil
import subprocess

from jobs import AROUND, BARE, PRELOAD, SCRATCH, LIBRARY, Mpi, Tap, calls, run

RANKS = 4

# All arguments of MPI routines are of register size and passed on as such; two routines return a double.
COUNTER = r"""
#include <stdio.h>
#include <unistd.h>
typedef long w;
#define PARAMETERS w a, w b, w c, w d, w e, w f, w g, w h, w i, w j, w k, w l, w m, w n, w o
#define ARGUMENTS a, b, c, d, e, f, g, h, i, j, k, l, m, n, o
static void save(void);
#define COUNT(X) static long n_##X; extern w P##X(PARAMETERS); w X(PARAMETERS) { n_##X++; return P##X(ARGUMENTS); }
#define COUNT_TIME(X) static long n_##X; extern double P##X(void); double X(void) { n_##X++; return P##X(); }
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

# hpcc reads the first words of fixed lines; the rest is for us.
HPCC = """hpcc, very small
-
HPL.out
8     goes to the file
1     size
120
1     block size
20
0     processes by row
1     grid
2
2
16.0  threshold
1     panel factorisation
2
1     recursive stopping
4
1     panels
2
1     recursive factorisation
1
1     broadcast
1
1     lookahead
1
2     swap
64
0
0
1
8     alignment
-
0     further sizes for PTRANS
0
0     further block sizes for PTRANS
0
"""

MELT = """
units           lj
atom_style      atomic
lattice         fcc 0.8442
region          box block 0 6 0 6 0 6
create_box      1 box
create_atoms    1 box
mass            1 1.0
velocity        all create 3.0 87287
pair_style      lj/cut 2.5
pair_coeff      1 1 1.0 1.0 2.5
neighbor        0.3 bin
neigh_modify    every 20 delay 0 check no
fix             1 all nve
thermo          20
run             200
"""

PYTHON = """
import array
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
for i in range(20):
    objects = world.allgather({"rank": rank, "i": i})
assert [o["rank"] for o in objects] == list(range(size))
here, there, total = (array.array("d", [value] * 100) for value in (float(rank), -1.0, 0.0))
for i in range(30):
    requests = [world.Irecv(there, source=(rank - 1) % size), world.Isend(here, dest=(rank + 1) % size)]
    MPI.Request.Waitall(requests)
world.Allreduce(here, total, op=MPI.SUM)
half = world.Split(rank % 2, rank)
text = half.bcast("even" if rank == 0 else "odd", root=0)
names = world.gather((rank, text, there[0], total[0]), root=0)
world.Barrier()
if rank == 0:
    print(names)
half.Free()
"""

tap = Tap()


def undefined(path):
    """The MPI routines that a program or library calls by name."""
    out = subprocess.run(["nm", "-D", "--undefined-only", str(path)], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\b(MPI_[A-Z]\w*)", out))


def build_counter(mpi, name, paths):
    routines = sorted(set().union(*(undefined(path) for path in paths)))
    macro = {"MPI_Wtime": "COUNT_TIME", "MPI_Wtick": "COUNT_TIME", "MPI_Finalize": "COUNT_LAST"}
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


def check(name, mpi, command, libraries, results, files=()):
    """results(job): what does not change from run to run."""
    counter = {"LD_PRELOAD": build_counter(mpi, name, libraries)}
    bare = run(BARE, mpi, RANKS, command, files=files)
    if not tap.ok(bare.status == 0 and results(bare), f"{name} runs by itself", bare):
        return
    for way in (AROUND, PRELOAD):
        job = run(way, mpi, RANKS, command, env=counter, files=files)
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


def write(name, text):
    path = SCRATCH / name
    path.write_text(text, encoding="utf-8")
    return path


# ---- the programs ----

def which_mpi(path):
    """The MPI a program of Debian is linked with."""
    linked = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout
    mpi = Mpi("mpich") if "libmpich" in linked else Mpi("openmpi") if "libmpi.so" in linked else None
    return mpi if mpi and mpi.installed else None


def hpcc():
    program = shutil.which("hpcc")
    mpi = program and which_mpi(program)
    if not mpi:
        tap.skip("hpcc", "it is not installed")
        return
    small = write("hpccinf.txt", HPCC)

    def results(job):
        text = (job.work / "hpccoutf.txt").read_text(encoding="utf-8") if (job.work / "hpccoutf.txt").exists() else ""
        return re.findall(r"(?:WALL|CPU).*?(PASSED|FAILED)", text) + re.findall(r".*Ax-b.*(?:PASSED|FAILED)", text) + \
            re.findall(r"Success=\d", text)

    check("hpcc", mpi, [program], [program], results, [small])


def lammps():
    program = shutil.which("lmp")
    mpi = program and which_mpi(program)
    if not mpi:
        tap.skip("LAMMPS", "it is not installed")
        return
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    libraries = [program] + re.findall(r"=> (\S*liblammps\S*)", linked)

    def results(job):
        text = job.stdout.decode("utf-8", "replace")
        table = re.findall(r"^ *\d+(?: +-?[\d.]+){5} *$", text, re.MULTILINE)  # step, temperature, energies, pressure
        return table + re.findall(r"^Total # of neighbors = \d+|^Neighbor list builds = \d+", text, re.MULTILINE)

    check("LAMMPS", mpi, [program, "-in", write("melt.in", MELT), "-log", "none"], libraries, results)


def python():
    find = "import importlib.util; print(importlib.util.find_spec('mpi4py.MPI').origin)"
    found = subprocess.run(["/usr/bin/python3", "-c", find], capture_output=True, text=True, check=False)
    mpi = which_mpi(found.stdout.strip()) if found.returncode == 0 else None
    if not mpi:
        tap.skip("mpi4py", "it is not installed")
        return
    check("mpi4py", mpi, ["/usr/bin/python3", write("ring.py", PYTHON)], [found.stdout.strip()],
          lambda job: job.stdout.splitlines())


def main():
    assert pathlib.Path(LIBRARY).exists(), f"{LIBRARY} is not built"
    hpcc()
    lammps()
    python()
    tap.done()


main()
