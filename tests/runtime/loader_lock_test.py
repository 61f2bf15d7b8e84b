#!/usr/bin/env python3
"""No interposed call needs the loader's lock: each is made for the first time while another thread holds it, by a thread
that a constructor or destructor waits for, and by a child that was made without fork."""
import ctypes
import re
import subprocess

import sampling
import jobs

NEEDS_LOCK = {"dlclose"}  # by itself, with us or without
NEVER_RETURN = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"}
LIBC = ctypes.CDLL(None)
LAST = re.compile(r"P?MPI_(Pcontrol|Finalize|Abort)$")  # after these little is recorded

jobs.LIMIT_S = 30  # for a second of work


def exported(library):
    out = subprocess.run(["nm", "-D", "--defined-only", "--extern-only", library], capture_output=True, text=True, check=True).stdout
    return sorted(line.split()[-1].split("@")[0] for line in out.splitlines())


def write_names(name, names):
    path = jobs.SCRATCH / name
    path.write_text("".join(f"{n}\n" for n in names), encoding="utf-8")
    return path


def fake_mpi(names):
    """A library that has all routines of MPI and looks like Open MPI. Each fails, for its arguments are nonsense."""
    source, path = jobs.SCRATCH / "fake.c", jobs.SCRATCH / "libmpi.so.40"
    source.write_text("char ompi_mpi_comm_world[8];\n" + "".join(f"long {n}(void) {{ return 1; }}\n" for n in names),
                      encoding="utf-8")
    subprocess.run(["gcc", "-shared", "-fPIC", "-fno-builtin", "-o", str(path), str(source)], check=True)
    return path


def check(tap, what, program, arguments, n):
    """The program says how many functions it has called."""
    job = jobs.run(jobs.PRELOAD, None, 1, [program, *arguments])
    tap.ok((job.status, job.stdout.decode()) == (0, f"{arguments[0]}: {n} functions, status 0\n"), what, job)


def main():
    tap = jobs.Tap()
    names = exported(jobs.LIBRARY)
    of_mpi = [n for n in names if re.match(r"P?MPIX?_|mpi_", n)]
    # Some functions are only in newer versions of libc.
    of_libc = [n for n in names if n not in of_mpi and not n.startswith("fathom_") and
               n not in NEEDS_LOCK | NEVER_RETURN and (n.startswith("__asan") or hasattr(LIBC, n))]
    of_mpi.sort(key=lambda n: bool(LAST.match(n)))
    tap.ok(len(of_libc) > 90 and len(of_mpi) > 900, "the library's functions are known", len(of_libc), len(of_mpi))
    plugin = sampling.compile_program("loader_lock_plugin", "-shared", "-fPIC", target="plugin.so")
    library = fake_mpi(of_mpi)
    flags = ["-rdynamic", "-Wl,-z,now", "-Wno-cast-function-type"]
    plain = sampling.compile_program("loader_lock", *flags, target="plain")
    with_mpi = sampling.compile_program("loader_lock", *flags, "-Wl,--no-as-needed", str(library),
                                        f"-Wl,-rpath,{jobs.SCRATCH}", target="with_mpi")
    libc, mpi = write_names("libc", of_libc), write_names("mpi", of_mpi)
    for when in ("constructor", "destructor", "fork", "clone"):
        for creator in ("pthread_create", "thrd_create"):
            check(tap, f"{when}, {creator}: functions of libc", plain, [when, creator, libc, plugin], len(of_libc))
        check(tap, f"{when}: functions of libc in a process that is measured", with_mpi,
              [when, "thrd_create", libc, plugin, "MPI_Initialized"], len(of_libc))
        check(tap, f"{when}: routines of MPI", with_mpi, [when, "thrd_create", mpi, plugin], len(of_mpi))
        check(tap, f"{when}: routines of MPI in a process that is measured", with_mpi,
              [when, "thrd_create", mpi, plugin, "MPI_Initialized"], len(of_mpi))
        check(tap, f"{when}: routines of an MPI that was loaded privately", plain,
              [when, "thrd_create", mpi, plugin, "", library], len(of_mpi))
    tap.done()


main()
