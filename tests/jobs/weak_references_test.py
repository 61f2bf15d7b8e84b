#!/usr/bin/env python3
"""Whether an MPI routine is there is asked by weak references: each is null exactly where it is without Fathom, in
programs with MPI, without, and in plug-ins that bring MPI with them."""
import re
import subprocess

from jobs import BARE, LIBRARY, MPIS, PRELOAD, SCRATCH, WAYS, Tap, calls, compile_plain, run

# NAMES: every routine that Fathom defines. Some are asked for in a table, which the loader fills in another way.
ASKING = r"""
#include <stdio.h>
#define X(name) extern int name(void) __attribute__((weak));
NAMES
#undef X
static const struct { const char *name; int (*routine)(void); } table[] = {
#define X(name) {#name, name},
NAMES
#undef X
};
static void ask(FILE *out)
{
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (!table[i].routine)
            fprintf(out, "%s is not in the table\n", table[i].name);
#define X(name) if (!name) fprintf(out, #name " is not there\n");
NAMES
}
"""
MAIN = ASKING + "int main(void) { ask(stdout); return 0; }\n"
# As mpi4py does: the routine with large counts where there is one.
USING = r"""
#include <mpi.h>
#include <stdio.h>
#ifdef OPEN_MPI
extern int MPI_Bcast_c(void *, MPI_Count, MPI_Datatype, int, MPI_Comm);
#endif
#pragma weak MPI_Bcast_c
void ask_all(FILE *out);
int use(int *argc, char ***argv)
{
    int rank, value = 0, result;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    value = rank == 0 ? 42 : 0;
    result = MPI_Bcast_c ? MPI_Bcast_c(&value, 1, MPI_INT, 0, MPI_COMM_WORLD)
                         : MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        ask_all(stdout);
    if (result != 0 || value != 42)
        printf("rank %d: broadcast %d, value %d\n", rank, result, value);
    fflush(stdout);
    return MPI_Finalize();
}
"""
LINKED = "int use(int *, char ***);\nint main(int argc, char **argv) { return use(&argc, &argv); }\n"
LOADING = r"""
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*use)(int *, char ***) = plugin ? (int (*)(int *, char ***))dlsym(plugin, "use") : NULL;
    if (!use)
        fprintf(stderr, "%s\n", dlerror());
    return use ? use(&argc, &argv) : 1;
}
"""
# What is ours alone, and what libc has as well.
OURS = r"""
#include <stdio.h>
extern void fathom_timer_start(int) __attribute__((weak));
extern int mq_notify(int, void *) __attribute__((weak));
int main(void) { return printf("%d %d\n", fathom_timer_start != NULL, mq_notify != NULL) < 0; }
"""
tap = Tap()


def names():
    listing = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    return sorted(set(re.findall(r" T (P?MPIX?_\w+)$", listing, re.MULTILINE)))


def asking(text):
    return text.replace("NAMES", " ".join(f"X({name})" for name in names()))


def same(what, mpi, ranks, command, wanted_calls=None):
    bare = run(BARE, mpi, ranks, command)
    tap.ok(bare.status == 0 and b"is not there" in bare.stdout, f"{what}: runs without Fathom, and lacks some", bare)
    for way in WAYS if mpi else (PRELOAD, ):
        job = run(way, mpi, ranks, command)
        odd = set(job.stdout.splitlines()) ^ set(bare.stdout.splitlines())
        tap.ok((job.status, job.stdout) == (bare.status, bare.stdout), f"{what}, {way}: the same routines are there",
               *sorted(odd)[:20], job.stderr)
        if wanted_calls and job.profiles():
            made = calls(job.report())
            tap.ok(made.get("MPI_Bcast", 0) + made.get("MPI_Bcast_c", 0) == wanted_calls,
                   f"{what}, {way}: those that are, are measured", made)


def plugin_of(mpi):
    sources = []
    for name, text in (("asks", asking(ASKING) + "void ask_all(FILE *out) { ask(out); }\n"), ("uses", USING)):
        sources.append(SCRATCH / f"{name}.c")
        sources[-1].write_text(text, encoding="utf-8")
    library = SCRATCH / f"libplugin-{mpi.name}.so"
    subprocess.run([f"mpicc.{mpi.name}", "-shared", "-fPIC", "-fno-builtin", "-w", "-o", library, *sources], check=True)
    return library


def main():
    same("a program without MPI", None, 0, [compile_plain("without", asking(MAIN))])
    job = run(PRELOAD, None, 0, [compile_plain("ours", OURS, "-w")])
    tap.equal(job.stdout, b"1 1\n", "weak references to Fathom's own functions, and to libc's, stay")
    for mpi in MPIS:
        plugin = plugin_of(mpi)
        linked = mpi.compile("linked", LINKED, str(plugin), f"-Wl,-rpath,{SCRATCH}")
        same(f"{mpi.short}, a library of the program", mpi, 2, [linked], 2)
        same(f"{mpi.short}, a plug-in with MPI", mpi, 2, [compile_plain("loading", LOADING), plugin], 2)
    tap.done()


main()
