#!/usr/bin/env python3
"""Floating point against the estimated peak of a core, which depends on the vectors of the processor: with counters that
the program itself advances (made_up.py)."""
import pathlib
import re
import subprocess

import jobs
import made_up

PROGRAM = r"""
#define _GNU_SOURCE
#include <mpi.h>
#include "made_up_counters.h"

int main(int argc, char **argv)
{
    make_counters(2);
    MPI_Init(&argc, &argv);
    advance_counter(0, 3000000);
    advance_counter(1, 2000000);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def expected_peak():
    """Two units that work on vectors of doubles, as the kernel describes the processor."""
    words = set(re.search(r"^(?:flags|Features)\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"),
                          re.M).group(1).split())
    if "asimd" in words:
        length = pathlib.Path("/proc/sys/abi/sve_default_vector_length")
        return 2 * 2 * max(16, int(length.read_text()) if "sve" in words else 0) // 8
    if {"avx2", "fma"} <= words:
        return 32 if "avx512f" in words else 16
    return 8 if "avx" in words else 4


def run(mpi, name):
    program = made_up.compile_with(mpi, "flops", PROGRAM)
    # Resolved events, which are otherwise made by `fathom run` on a processor that has them.
    env = made_up.environment("") | {"LD_PRELOAD": made_up.LIBRARY, "FATHOM_EVENTS": f"0:1:0:0:{name},0:0:0:0:cycles"}
    job = jobs.run(jobs.BARE, mpi, 2, [program], env=env)
    profile, = job.profiles()
    text = subprocess.run([jobs.FATHOM, "report", "--view", "counters", profile], capture_output=True, text=True,
                          check=True).stdout
    return job.report(), " ".join(text.split())


def check_peak(tap, mpi):
    peak = expected_peak()
    report, text = run(mpi, "fp-operations")
    counters, host = report["counters"], report["job"]["hosts_list"][0]
    tap.equal([host["peak_flops_per_cycle"], counters["peak_flops_per_cycle"], counters["flops_per_cycle"]],
              [peak, peak, 1.5], f"{mpi.short}: the estimated peak of the host, and operations per cycle")
    tap.ok(abs(counters["fraction_of_peak"] - 1.5 / peak) < 1e-6, f"{mpi.short}: the fraction", counters)
    tap.ok(re.search(rf"operations per second, all ranks; 1\.50 per cycle, [\d.]+ % of the estimated peak of {peak} per "
                     r"cycle\.", text), f"{mpi.short}: it is said", text)
    report, text = run(mpi, "fp-instructions")
    tap.equal([report["counters"]["peak_flops_per_cycle"], report["counters"]["fraction_of_peak"]], [peak, None],
              f"{mpi.short}: instructions are no fraction of it")
    tap.ok("there is no fraction of the peak" in text and "estimated peak" not in text, f"{mpi.short}: which is said", text)


jobs.check_each(check_peak)
