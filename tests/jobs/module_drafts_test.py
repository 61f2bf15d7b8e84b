#!/usr/bin/env python3
"""Drafts of module files for programs nobody here wrote, Debian's LAMMPS, hpcc and mpi4py, and for miniocean: made from
the program or from a profile they have at most 15 modules, nearly all samples of a run are in one that says what it is,
and the report has nothing to say against them."""
import json
import subprocess

import debian
import ocean_model
from jobs import AROUND, FATHOM, MPIS, SCRATCH, Tap, run

RANKS = 4
MOST = 15
OTHER = {"(unmapped)", "libraries"}

# Works in the interpreter, and waits.
PYTHON = """
from mpi4py import MPI
world = MPI.COMM_WORLD
for i in range(100):
    total = sum(j * j for j in range(20000))
    world.allreduce(total)
print(world.rank)
"""


def miniocean(mpi):
    return debian.Program(mpi, [ocean_model.build(mpi)], [])


def fathom(*words):
    return subprocess.run([FATHOM, *map(str, words)], capture_output=True, text=True, check=False)


def check_draft(tap, name, made_from, profile, wanted):
    draft = SCRATCH / f"{name}.modules"
    draft.unlink(missing_ok=True)
    done = fathom("modules", "init", made_from, "-o", draft)
    if not tap.equal((done.returncode, done.stderr), (0, ""), f"{name}: a draft"):
        return
    lines = [line.split() for line in draft.read_text(encoding="utf-8").splitlines() if line.startswith("module")]
    modules = {words[1] for words in lines}
    tap.ok(len(modules) <= MOST and wanted <= modules, f"{name}: {len(modules)} modules", sorted(modules), wanted)
    found = json.loads(fathom("report", profile, "--format", "json", "--modules", draft).stdout)["modules"]["list"]
    times = {m["name"]: m["work_s"] + m["transfer_s"] + m["waiting_s"] for m in found}
    known = sum(time for module, time in times.items() if module not in OTHER)
    tap.ok(known >= 0.95 * sum(times.values()) > 0, f"{name}: at least 95 % of the samples are in a module", times)
    text = fathom("report", profile, "--view", "modules", "--modules", draft).stdout
    tap.ok("match" not in text, f"{name}: no note about patterns", text)


def check(tap, name, program, wanted, wanted_from_profile):
    """`wanted`: modules of the draft made from the program, or from the script."""
    job = run(AROUND, program.mpi, RANKS, program.command, files=program.files)
    if not tap.ok(job.status == 0 and len(job.profiles()) == 1, f"{name} runs", job):
        return
    profile = job.profiles()[0]
    source = program.command[1] if "python" in str(program.command[0]) else program.command[0]
    check_draft(tap, f"{name}, program", source, profile, wanted)
    check_draft(tap, f"{name}, profile", profile, profile, wanted_from_profile)


def main():
    tap = Tap()
    ocean = {"baroclinic", "barotropic", "halo", "pcg", "miniocean", "mpi", "system"}
    for mpi in MPIS:
        check(tap, f"miniocean with {mpi.short}", miniocean(mpi), ocean, {"baroclinic", "vertical", "mpi", "system"})
    for name, program, wanted, timed in (
            ("LAMMPS", debian.lammps(), {"Pair", "Fix", "lammps", "mpi", "system"}, {"lammps", "mpi", "system"}),
            ("hpcc", debian.hpcc(), {"hpcc", "math", "mpi", "system"}, {"hpcc", "mpi", "system"}),
            ("mpi4py", debian.python(PYTHON), {"python", "numpy", "mpi4py", "mpi", "system"}, {"python", "mpi4py", "mpi"})):
        if program:
            check(tap, name, program, wanted, timed)
        else:
            tap.skip(name, "is not installed")
    tap.done()


main()
