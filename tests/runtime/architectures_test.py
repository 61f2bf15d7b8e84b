#!/usr/bin/env python3
"""Both architectures: what has assembly, registers, rules of unwinding or clocks in it runs on the machine at hand, and
once more for the other architecture under qemu-user, built by tools/cross.sh into a folder of the build. CROSS=all (make
cross) runs all unit tests there that need no more than libc.

What qemu-user cannot do: it refuses SS_AUTODISARM, so nothing is sampled; it has no vdso, so handlers return to a place
that no table describes; it has no ptrace, so nothing can be attached to; it has no perf events, so nothing is counted.
"""
import json
import os
import pathlib
import platform
import shutil
import subprocess

import sampling
import jobs

ROUTINES = {"MPI_Init": 1, "MPI_Finalize": 1, **dict.fromkeys(
    ("MPI_Allreduce", "MPI_Alltoallw", "MPI_Barrier", "MPI_Get_accumulate", "MPI_Pcontrol", "MPI_Sendrecv"), 1000)}
OUTPUTS = {"waits": ("poll 50", "select 50", "nanosleep 50", "sem 50", "messages 20", "sendmsg 20", "read 5", "limits 20"),
           "signals": ("masks", "suspend", "wait-one", "stacks"),
           "stacks": ("deep", "full-coroutine", "full-thread")}
# Emulating an x86, qemu before 8.1 gives handlers a stack that is not aligned as compilers rely on.
TAKE_SIGNALS = ("runtime-extents", "runtime-odd_frames", "runtime-stack_memory", "runtime-unwind")
# Notes on what qemu-user cannot do.
NOT_EMULATED = ("threads not sampled", "nothing was counted: this kernel has no perf events", "timed with clock_gettime")
LIMIT_S = 120


class Architecture:
    """How programs are built and run here, and where the library for them is."""

    def __init__(self, name, compiler, build, emulator=()):
        self.name, self.compiler, self.build, self.emulator = name, compiler, pathlib.Path(build), list(emulator)
        self.library = self.build / "libfathom.so.0"
        self.place = jobs.SCRATCH / name
        self.place.mkdir()

    def compile(self, target, source, *flags):
        """source: of our programs, or a path."""
        subprocess.run([self.compiler, "-O2", "-g", "-w", "-o", str(self.place / target),
                        str(sampling.PROGRAMS / source), *map(str, flags)], check=True)
        return str(self.place / target)

    def run(self, program, *words, measured=True, env=()):
        """With the library, or without; its status and what it printed. FATHOM_NAMED is the process's own pid."""
        settings = {"LD_LIBRARY_PATH": f"{self.place}:{self.build}", "FATHOM_DIR": str(self.place / "segments"),
                    **({"LD_PRELOAD": str(self.library)} if measured else {"FATHOM_DISABLE": "1"}), **dict(env)}
        if self.emulator:
            given = [word for name, value in settings.items() for word in ("-E", f"{name}={value}")]
            command = [*self.emulator, *given, "-E", "FATHOM_NAMED=$$"]
        else:
            command = ["env", *(f"{name}={value}" for name, value in settings.items()), "FATHOM_NAMED=$$"]
        script = " ".join(word if "$$" in word else f"'{word}'" for word in [*command, program, *words])
        done = subprocess.run(["timeout", "-s", "KILL", str(LIMIT_S), "sh", "-c", "exec " + script], capture_output=True,
                              cwd=self.place, check=False)
        return done.returncode, done.stdout.decode()


def check_arguments(tap, arch):
    """Wrappers of MPI, the trampoline of MPI_Pcontrol, the jumps of libc's functions, timers and the clock."""
    arch.compile("libmpifake.so", "fake_mpi.c", "-fPIC", "-shared")
    program = arch.compile("arguments", "arguments.c", f"-I{jobs.SOURCE / 'include'}", f"-L{arch.place}", "-lmpifake",
                           arch.library)
    bare = arch.run(program, measured=False)
    tap.equal(bare, (0, "1234567.8000 0\n"), f"{arch.name}: calls of MPI and of libc without Fathom")
    profile = arch.place / "arguments.fathom"
    tap.equal(arch.run(program, env={"FATHOM_OUTPUT": str(profile)}), bare, f"{arch.name}: every argument and result is kept")
    done = subprocess.run([jobs.FATHOM, "report", str(profile), "--format", "json"], capture_output=True, check=False)
    if not tap.ok(done.returncode == 0, f"{arch.name}: its profile is read here", done):
        return
    report = json.loads(done.stdout)
    calls = {r["name"]: r["calls"] for r in report["mpi"]["routines"]}
    tap.equal({name: calls.get(name) for name in ROUTINES}, ROUTINES, f"{arch.name}: every call is counted")
    timer, wall = report["timers"][0], report["job"]["wall_s"]
    notes = [note["text"] for note in report["job"]["notes"]
             if not (arch.emulator and note["text"].startswith(NOT_EMULATED))]
    tap.ok(timer["name"] == "work" and 0 < timer["total_s"]["max"] < wall and
           0 < report["mpi"]["time_s"] < wall and not notes,
           f"{arch.name}: its clock runs as the kernel's does", timer, wall, notes)


def check_outputs(tap, arch):
    for name, themes in OUTPUTS.items():
        program = arch.compile(name, f"{name}.c", "-pthread")
        # most of them wait most of the time
        found = jobs.at_once(4, [lambda theme=theme, measured=measured: arch.run(program, *theme.split(), measured=measured)
                                 for theme in themes for measured in (False, True)])
        for theme, bare, measured in zip(themes, found[::2], found[1::2]):
            tap.equal(measured, bare, f"{arch.name}: {name} {theme}: as without Fathom")


def check_units(tap, arch, programs):
    for program in programs:
        name = program.name
        if arch.name == "x86_64" and name in TAKE_SIGNALS:
            tap.skip(f"{arch.name}: {name}", "the emulator misaligns the stack of a handler")
            continue
        status, out = arch.run(str(program), measured=False,
                               env={"FATHOM_SOURCE": str(jobs.SOURCE), "TMPDIR": str(arch.place)})
        tap.ok(status == 0, f"{arch.name}: {name}", f"status {status}",
               *(line for line in out.splitlines() if not line.startswith("ok")))


def other():
    """The other architecture, built; or why it cannot be tried."""
    machine = {"x86_64": "aarch64", "aarch64": "x86_64"}.get(platform.machine())
    if not machine:
        return None, f"{platform.machine()} has no other one", ()
    triple, emulator = f"{machine}-linux-gnu", f"qemu-{machine}"
    for tool in (f"{triple}-gcc", emulator):
        if not shutil.which(tool):
            return None, f"there is no {tool}", ()
    build = jobs.BUILD / "other"
    everything = os.environ.get("CROSS") == "all"
    subprocess.run([str(jobs.SOURCE / "tools/cross.sh"), str(build), "libfathom.so.0",
                    "unit-tests" if everything else "signal-tests"], check=True)
    arch = Architecture(machine, f"{triple}-gcc", build, [emulator, "-L", f"/usr/{triple}"])
    tests = sorted(p for p in (build / "tests").iterdir() if os.access(p, os.X_OK) and p.is_file()
                   and (everything or p.name.startswith("runtime-")))
    return arch, None, tests if everything else [clock_test(arch), *tests]


def clock_test(arch):
    """By itself: with the other unit tests everything would be built a second time."""
    source = jobs.SOURCE / "tests/base/clock_test.c"
    return pathlib.Path(arch.compile("base-clock", source, "-std=gnu17", "-D_GNU_SOURCE", f"-I{jobs.SOURCE / 'src'}",
                                     f"-I{jobs.SOURCE / 'tests'}", arch.build / "src/libbase.a"))


def main():
    tap = jobs.Tap()
    check_arguments(tap, Architecture(platform.machine(), "gcc", jobs.BUILD))
    arch, why_not, units = other()
    if arch:
        check_arguments(tap, arch)
        check_outputs(tap, arch)
        check_units(tap, arch, units)
    else:
        tap.skip("the other architecture", why_not)
    tap.done()


main()
