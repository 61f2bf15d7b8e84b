#!/usr/bin/python3
"""MPI libraries and launchers are named in the tables of src/mpi alone: no string of another source names one.

Sentences for users may: a name is a string without a blank."""
import os
import pathlib
import re

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:[^\'\\\n]|\\.)*\'|"((?:[^"\\\n]|\\.)*)"', re.S)
NAME = re.compile(
    r"libp?mpi|mpich|openmpi|open-pal|pmix|prrte|libfabric|libuc[mpst\[]|libpsm|libhwloc|libevent|\bmca_"
    r"|^OMPI_|^ompi_|^PMIX?_|^MPIR_|^MPID_|^MV2_|^I_MPI_|^UCX_|^FI_|^SLURM|^PBS_|^LSB_|^FLUX_|^ALPS_|^COBALT_|^HYDRA_"
    r"|mpirun|mpiexec|orterun|prterun|orted|prted|hydra|slurm|^srun|scontrol|^aprun|^jsrun|^lrun|^prun|^ibrun|^flux"
    r"|pbs_mom|^Slurm|^PBS$|^LSF$|^Flux$|^MPI_LOCAL")
# What is no name of a library or a launcher, or belongs to one file for a reason.
EXCEPTIONS = {
    "site.c": {"ompi_"},  # how functions of bindings are called
    # a dictionary for compressing: what records are likely to contain
    "pack.c": {r'OMPI_MCA_btl\":\"OMPI_MCA_pml\":\"ucx\",\"UCX_TLS\":\"UCX_NET_DEVICES\":\"MPICH_\":\"I_MPI_FABRICS\":\"shm:ofi\",\"I_MPI'},
    # keys of jobs, which Fathom makes up itself
    "job.c": {"hydra-group-%016llx", "hydra", "slurm-%.20s-%.12s-%.6s", "hydra=%s", "hydra="},
}


def strings_of(path):
    """(line number, string) of a C source; those of comments and of #include are left out."""
    text = path.read_text(encoding="utf-8")
    for match in TOKEN.finditer(text):
        if match.group(1) is not None and not text[:match.start()].rpartition("\n")[2].startswith("#include"):
            yield text.count("\n", 0, match.start()) + 1, match.group(1)


def main():
    files = sorted(p for p in (SOURCE / "src").rglob("*.[ch]") if p.parent != SOURCE / "src" / "mpi")
    faults, seen = [], set()
    for path in files:
        allowed = EXCEPTIONS.get(path.name, set())
        for number, string in strings_of(path):
            if " " in string or not NAME.search(string):
                continue
            seen.add(string)
            if string not in allowed:
                faults.append(f"{path.relative_to(SOURCE)}:{number}: {string}")
    print(f"{'not ok' if faults or not files else 'ok'} 1 - no name of a library or launcher outside of src/mpi")
    for fault in faults:
        print(f"# {fault}")
    tables = [s for p in (SOURCE / "src" / "mpi").glob("*.c") for _, s in strings_of(p) if NAME.search(s)]
    print(f"{'ok' if len(tables) > 20 else 'not ok'} 2 - such names are recognised: those of the tables")
    unused = set().union(*EXCEPTIONS.values()) - seen
    print(f"{'not ok' if unused else 'ok'} 3 - every exception is needed")
    for one in sorted(unused):
        print(f"# {one}")
    print("1..3")


main()
