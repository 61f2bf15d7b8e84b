"""Programs of Debian that use MPI, and what they are given to do: hpcc, LAMMPS and mpi4py."""
import dataclasses
import re
import shutil
import subprocess

from jobs import SCRATCH, SOURCE, Mpi

MELT = SOURCE / "tests/jobs/programs/melt.in"

# hpcc reads the first words of fixed lines; the rest is for us.
HPCC = """hpcc, very small
-
HPL.out
8     goes to the file
1     size
{size}
1     block size
20
0     processes by row
1     grid
{rows}
{columns}
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


@dataclasses.dataclass
class Program:
    mpi: Mpi
    command: list
    calling: list  # the files that call MPI: program and libraries
    files: list = dataclasses.field(default_factory=list)  # to be copied to where it runs


def which_mpi(path):
    """The MPI a program of Debian is linked with."""
    linked = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout
    mpi = Mpi("mpich") if "libmpich" in linked else Mpi("openmpi") if "libmpi.so" in linked else None
    return mpi if mpi and mpi.installed else None


def write(name, text):
    path = SCRATCH / name
    path.write_text(text, encoding="utf-8")
    return path


def hpcc(rows=2, columns=2, size=120):
    """Each of these is None where it is not installed. On rows * columns ranks; on fewer it takes sizes of its own."""
    program = shutil.which("hpcc")
    mpi = program and which_mpi(program)
    return Program(mpi, [program], [program], [write("hpccinf.txt", HPCC.format(rows=rows, columns=columns, size=size))]) if mpi else None


def lammps(**variables):
    """See programs/melt.in for the variables."""
    program = shutil.which("lmp")
    mpi = program and which_mpi(program)
    if not mpi:
        return None
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    libraries = re.findall(r"=> (\S*liblammps\S*)", linked)
    given = [word for name, value in variables.items() for word in ("-var", name, str(value))]
    return Program(mpi, [program, "-in", MELT, "-log", "none", *given], [program] + libraries)


def python(text=PYTHON):
    find = "import importlib.util; print(importlib.util.find_spec('mpi4py.MPI').origin)"
    found = subprocess.run(["/usr/bin/python3", "-c", find], capture_output=True, text=True, check=False)
    mpi = which_mpi(found.stdout.strip()) if found.returncode == 0 else None
    return Program(mpi, ["/usr/bin/python3", write("program.py", text)], [found.stdout.strip()]) if mpi else None
