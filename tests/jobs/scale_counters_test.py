#!/usr/bin/env python3
"""Computation scaling of two runs is instruction x IPC x frequency scaling, of what the program itself does: with a
processor whose counters the program advances (made_up.py)."""
import json
import subprocess

import jobs
import made_up

PROGRAM = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include "made_up_counters.h"

/* What is counted in MPI is not work. */
static void add(void *in, void *out, int *n, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)out)[i] += ((int *)in)[i];
    advance_counter(0, 12345);
    advance_counter(1, 6789);
}

int main(int argc, char **argv)
{
    int one = 1, sum;
    MPI_Op op;
    if (argc < 3)
        return 2;
    if (getenv("MADE_UP_COUNTERS"))
        make_counters(2);
    MPI_Init(&argc, &argv);
    MPI_Op_create(add, 1, &op);
    for (int i = 0; made_up_pages[0] && i < 100; i++) {
        advance_counter(0, atol(argv[1]));
        advance_counter(1, atol(argv[2]));
        MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


def run(mpi, ranks, instructions, cycles, counted=True):
    env = {"FATHOM_SAMPLE": "off"}
    if counted:
        env |= made_up.environment("instructions,cycles")
    program = made_up.compile_with(mpi, "work", PROGRAM)
    profile, = jobs.run(jobs.AROUND, mpi, ranks, [program, str(instructions), str(cycles)], env=env).profiles()
    return profile


def factors(mode, *profiles):
    words = [jobs.FATHOM, "scale", mode, "--view", "mpi", "--format", "json", *profiles]
    runs = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)["scale"]["runs"]
    return runs[-1]["factors"]


def check(*words):
    return subprocess.run([jobs.FATHOM, "check", *words], capture_output=True, text=True, check=False)


def near(a, b):
    return a is not None and abs(a - b) <= 5e-6 * max(1, b)  # JSON has six decimals


def check_factors(tap, mpi):
    first = run(mpi, 2, 3000, 2000)
    for mode, ranks, instructions, cycles, wanted in (
            ("--same", 2, 4000, 4000, (3 / 4, 1 / 1.5)),   # more instructions, of which each takes longer
            ("--strong", 4, 1500, 1000, (1, 1)),           # half the work of a rank on twice as many
            ("--weak", 4, 3000, 4000, (1, 0.5))):
        other = run(mpi, ranks, instructions, cycles)
        got = factors(mode, first, other)
        tap.ok(near(got["instructions"], wanted[0]) and near(got["ipc"], wanted[1]),
               f"{mpi.short} {mode}: instructions and IPC", got, wanted)
        tap.ok(near(got["instructions"] * got["ipc"] * got["frequency"], got["computation"]) and
               near(got["computation"] * got["parallel"], got["global"]), f"{mpi.short} {mode}: the products", got)
        if mode == "--same":
            worse = other
    text = subprocess.run([jobs.FATHOM, "scale", "--same", "--view", "efficiency", first, worse], capture_output=True,
                          text=True, check=True).stdout
    tap.ok("= instructions" in text and "75.0" in text and "66.7" in text, f"{mpi.short}: a table of them", text)
    kept = check(worse, "--against", first, "--limit", "instructions=0.7", "--limit", "ipc=0.6")
    broken = check(worse, "--against", first, "--limit", "instructions=0.8", "--limit", "ipc=0.6")
    tap.ok(kept.returncode == 0 and broken.returncode == 3 and "ipc" not in broken.stdout and
           "instruction scaling 75.0 %, below the limit of 80.0 %" in broken.stdout, f"{mpi.short}: limits", kept, broken)
    tap.ok(kept.stderr == f"fathom check: these runs differ: arguments '4000 4000' ({worse}), '3000 2000' ({first}).\n",
           f"{mpi.short}: that the arguments differ is said", kept)
    bare = run(mpi, 2, 1, 1, counted=False)
    got = factors("--same", first, bare)
    tap.ok(got["instructions"] is got["ipc"] is got["frequency"] is None and got["computation"] > 0,
           f"{mpi.short}: unknown without counters in both", got)
    unknown = check(bare, "--against", first, "--limit", "ipc=0.5")
    tap.ok(unknown.returncode == 3 and "unknown" in unknown.stdout, f"{mpi.short}: which keeps no limit", unknown)


jobs.check_each(check_factors)
