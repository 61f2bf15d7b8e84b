#!/usr/bin/env python3
"""The next definition of a name is found where dlsym(RTLD_NEXT) finds it: of every function that is interposed, and of
names with versions, in libraries of all kinds, with other preloaded libraries before and behind."""
import re
import subprocess

import sampling
import jobs

PROGRAM = "int main(void) { return 0; }\n"
MPI_C = "#include <mpi.h>\nint main(int c, char **v) { return c > 1 ? MPI_Init(&c, &v) : 0; }\n"
MPI_FORTRAN = "program p\n use mpi\n integer e\n if (command_argument_count() > 0) call MPI_Init(e)\nend program\n"
# One name with two versions, one that has an old version alone, and symbols of each kind.
KINDS = r"""
int old_twice(void) { return 1; }
int new_twice(void) { return 2; }
int only_old(void) { return 3; }
__asm__(".symver old_twice, twice@V1");
__asm__(".symver new_twice, twice@@V2");
__asm__(".symver only_old, once@V1");
int both_old(void) { return 4; }
static int chosen_now(void) { return 5; }
static int (*choose(void))(void) { return chosen_now; }
int chosen(void) __attribute__((ifunc("choose")));
__attribute__((weak)) int weak_one(void) { return 6; }
__attribute__((visibility("protected"))) int protected_one(void) { return 7; }
__attribute__((visibility("hidden"))) int hidden_one(void) { return 8; }
int variable = 9;
int sigpause(void) { return 10; }
int MPI_Send(void) { return 11; }
int undefined_here(void);
int uses(void) { return undefined_here() + hidden_one() + variable; }
__asm__(".globl absolute_one\nabsolute_one = 0x1234");
"""
SCRIPT = "V1 { global: twice; once; both_old; local: old_twice; new_twice; only_old; };\nV2 { global: *; } V1;\n"
NAMES = ["twice", "once", "both_old", "chosen", "weak_one", "protected_one", "hidden_one", "variable", "undefined_here",
         "absolute_one", "no_such_name", "MPI_Send", "sigpause"]
USER = "int uses(void);\nint undefined_here(void) { return 0; }\nint main(void) { return uses() < 0; }\n"


def compile_text(target, text, *flags, compiler="gcc", suffix=".c"):
    source = jobs.SCRATCH / f"{target}{suffix}"
    source.write_text(text, encoding="utf-8")
    path = jobs.SCRATCH / target
    subprocess.run([compiler, "-O1", "-w", "-fno-builtin", "-o", str(path), str(source), *map(str, flags)], check=True)
    return path


def library(target, text, *flags):
    return compile_text(target, text, "-shared", "-fPIC", *flags)


def check(tap, what, program, preload, names, least):
    """least: how many of the names the loader knows at least, so that the comparison says something."""
    env = {"LD_PRELOAD": " ".join(map(str, preload)), "PROBE_NAMES": str(names), "LD_LIBRARY_PATH": str(jobs.SCRATCH)}
    job = jobs.run(jobs.BARE, None, 1, [program], env=env)
    found = re.fullmatch(r"start: (\d+) found, 0 wrong\nend: (\d+) found, 0 wrong\n", job.stdout.decode())
    tap.ok(job.status == 0 and found and int(found[1]) >= least and found[1] == found[2], what, job)


def check_kinds(tap, probe, names):
    (jobs.SCRATCH / "versions").write_text(SCRIPT, encoding="utf-8")
    versions = f"-Wl,--version-script={jobs.SCRATCH / 'versions'}"
    for style in ("gnu", "sysv", "both"):
        for what, flags in (("versions", [versions]), ("no versions", ["-DNONE"])):
            text = KINDS if flags == [versions] else re.sub(r'__asm__\(".symver.*', "", KINDS)
            name = f"libkinds-{style}-{what[:2]}.so"
            below = library(name, text, *flags, f"-Wl,--hash-style={style}", "-Wl,-z,lazy")
            user = compile_text(f"user-{style}-{what[:2]}", USER, below, "-rdynamic")
            check(tap, f"a library with {what}, hash style {style}", user, [probe], names, 8)
            check(tap, "the same, preloaded behind us", user, [probe, below], names, 8)
            check(tap, "the same, preloaded before us", user, [below, probe], names, 1)


def main():
    tap = jobs.Tap()
    out = subprocess.run(["nm", "-D", "--defined-only", jobs.LIBRARY], capture_output=True, text=True, check=True).stdout
    exported = sorted({line.split()[-1].split("@")[0] for line in out.splitlines()})
    names, kinds = jobs.SCRATCH / "names", jobs.SCRATCH / "kinds"
    names.write_text("".join(f"{n}\n" for n in exported), encoding="utf-8")
    kinds.write_text("".join(f"{n}\n" for n in NAMES), encoding="utf-8")
    folder = jobs.SOURCE / "src/runtime/interpose"
    sources = [str(folder / f"{name}.c") for name in ("next", "object", "own_syscalls", "state")]
    probe = sampling.compile_program("next_probe", "-shared", "-fPIC", "-fvisibility=hidden", *sources,
                                     f"-I{jobs.SOURCE / 'src'}", target="probe.so")
    tool = library("libtool.so", "int sigpause(void) { return 1; }\nint MPI_Send(void) { return 2; }\n")
    plain = compile_text("plain", PROGRAM)
    check(tap, "a program without MPI", plain, [probe], names, 90)
    check(tap, "a position-dependent program", compile_text("fixed", PROGRAM, "-no-pie"), [probe], names, 90)
    for mpi in jobs.MPIS:
        in_c = compile_text(f"c.{mpi.name}", MPI_C, compiler=f"mpicc.{mpi.name}")
        fortran = compile_text(f"f.{mpi.name}", MPI_FORTRAN, compiler=f"mpifort.{mpi.name}", suffix=".f90")
        for what, program in (("C", in_c), ("Fortran", fortran)):
            check(tap, f"{mpi.name}, {what}", program, [probe], names, 800)
        check(tap, f"{mpi.name}: another tool behind us", in_c, [probe, tool], names, 800)
        check(tap, f"{mpi.name}: another tool before us", in_c, [tool, probe], names, 800)
    check_kinds(tap, probe, kinds)
    static = compile_text("static", PROGRAM, "-static")
    job = jobs.run(jobs.PRELOAD, None, 1, [static])
    tap.equal((job.status, job.stderr), (0, b""), "a static program runs as without us")
    tap.done()


main()
