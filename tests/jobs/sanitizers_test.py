#!/usr/bin/python3
"""Programs with sanitizers run under Fathom as without: they start, find what they look for and say the same, however they
are started. AddressSanitizer wants its library to be loaded first, and all of them stand between a program and libc."""
import re
import subprocess

from jobs import AROUND, BARE, MPIS, PRELOAD, SCRATCH, WAYS, Tap, calls, compile_plain, run

PLAIN = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(int argc, char **argv)
{
    volatile char *room = malloc(8);
    const char *what = argc > 1 ? argv[1] : "";
    int broken = 0;
    for (int i = 0; i < 20; i++)
        broken += nanosleep(&(struct timespec){0, 1000000}, NULL) != 0;
    printf("%d broken\n", broken);
    fflush(stdout);
    if (strcmp(what, "beyond") == 0)
        room[8] = 1;
    if (strcmp(what, "leak") != 0)
        free((void *)room);
    room = NULL;
    return strcmp(what, "status") == 0 ? 3 : 0;
}
"""

OWN_OPTIONS = 'const char *__asan_default_options(void) { return "exitcode=77"; }\n'

WITH_MPI = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int value = 1, sum, rank;
    volatile char *room = malloc(8);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", sum);
    fflush(stdout);
    MPI_Finalize();
    if (argc > 1)
        room[8] = 1;
    free((void *)room);
    return 0;
}
"""

tap = Tap()


def told(job):
    """What a sanitizer says, without numbers of the moment, and without frames that it takes from data: beyond main it
    follows frame pointers that nobody keeps, to whatever lies on the stack, the environment's strings for one."""
    lines = [re.sub(rb"==\d+==|0x[0-9a-f]+|pid=\d+", b"", line) for line in job.stderr.splitlines()]
    return [line for line in lines if re.search(rb"ERROR|WARNING|SUMMARY|^ +#\d|first in initial", line)
            and not re.search(rb"^ +#\d+ +\((\[stack\]|<unknown module>)", line)]


def same(job, bare, what):
    tap.equal((job.status, job.stdout, told(job)), (bare.status, bare.stdout, told(bare)), f"{what}: as without Fathom")


def has_runtime(compiler, *flags):
    return subprocess.run([compiler, *flags, "-x", "c", "-", "-o", "/dev/null"], input=b"int main(void) { return 0; }",
                          capture_output=True, check=False).returncode == 0


def builds():
    """(what, program) for each sanitizer there is here."""
    for kind in ("address", "thread", "leak", "undefined"):
        yield f"gcc's sanitizer for {kind}", compile_plain(f"gcc-{kind}", PLAIN, f"-fsanitize={kind}")
    flags = ["-fsanitize=address", "-shared-libsan"]
    if not has_runtime("clang", *flags):
        tap.skip("clang's shared sanitizer", "is not installed")
        return
    source, target = SCRATCH / "clang.c", SCRATCH / "clang-address"
    library = subprocess.run(["clang", "-print-runtime-dir"], capture_output=True, text=True, check=True).stdout.strip()
    source.write_text(PLAIN, encoding="utf-8")
    subprocess.run(["clang", "-g", *flags, f"-Wl,-rpath,{library}", "-o", target, source], check=True)
    yield "clang's shared sanitizer", str(target)


def run_twice(way, word, command, env, bare):
    """LeakSanitizer takes any word on a stack for a pointer and may miss a leak by chance: then a second time."""
    job = run(way, None, 0, command, env=env)
    return run(way, None, 0, command, env=env) if word == "leak" and told(job) != told(bare) else job


def without_mpi():
    env = {"FATHOM_SAMPLE": "1000"}
    for what, program in builds():
        # a search for leaks takes more than a second on aarch64
        for word in ("leak", "status") if "leak" in program else ("beyond", "leak", "status"):
            bare = run(BARE, None, 0, [program, word], env=env)
            if word == "beyond" and "address" in program:
                tap.ok(bare.status != 0 and b"heap-buffer-overflow" in bare.stderr, f"{what} finds the fault", bare)
            for way in (AROUND, PRELOAD):
                same(run_twice(way, word, [program, word], env, bare), bare, f"{what}, {word}, {way}")
                shell = ["sh", "-c", f"{program} {word}; exit $?"]
                same(run_twice(way, word, shell, env, bare), bare, f"{what}, {word}, {way} of a shell")


def options_of_a_program():
    """Those that it has itself are in force; `fathom run` can start it all the same, and a bare preload if they are in a
    library of the program."""
    program = compile_plain("own", OWN_OPTIONS + PLAIN, "-fsanitize=address")
    bare = run(BARE, None, 0, [program, "beyond"])
    tap.equal(bare.status, 77, "a program with options of its own")
    same(run(AROUND, None, 0, [program, "beyond"]), bare, f"with options of its own, {AROUND}")
    library = compile_plain("libown.so", OWN_OPTIONS, "-shared", "-fPIC")
    program = compile_plain("using", PLAIN, "-fsanitize=address", "-Wl,--no-as-needed", library, f"-Wl,-rpath,{SCRATCH}")
    # the linker puts the sanitizer's library first: the other one counts where it is preloaded
    bare = run(BARE, None, 0, [program, "beyond"], env={"LD_PRELOAD": library, "ASAN_OPTIONS": "verify_asan_link_order=0"})
    tap.equal(bare.status, 77, "a program with options of a library")
    same(run(PRELOAD, None, 0, [program, "beyond"], env={"LD_PRELOAD": library}), bare,
         f"with options of a library, {PRELOAD}")


def with_mpi():
    env = {"ASAN_OPTIONS": "detect_leaks=0"}  # MPI libraries leak
    for mpi in MPIS:
        program = mpi.compile("sanitized", WITH_MPI, "-fsanitize=address")
        bare = run(BARE, mpi, 2, [program], env=env)
        fault = run(BARE, mpi, 1, [program, "beyond"], env=env)
        tap.equal((bare.status, bare.stdout), (0, b"sum 2\n"), f"{mpi.short}: a program with AddressSanitizer runs")
        for way in WAYS:
            job = run(way, mpi, 2, [program], env=env)
            same(job, bare, f"{mpi.short}, {way}")
            tap.equal([calls(job.report(path)).get("MPI_Allreduce") for path in job.profiles()], [20],
                      f"{mpi.short}, {way}: it is measured")
            job = run(way, mpi, 1, [program, "beyond"], env=env)
            tap.equal((job.status, told(job)), (fault.status, told(fault)), f"{mpi.short}, {way}: its fault is found")


for part in (without_mpi, options_of_a_program, with_mpi):
    part()
tap.done()
