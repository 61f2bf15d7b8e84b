# SPDX-License-Identifier: BSD-3-Clause
"""A whole program, with and without Fathom."""
import time

import common

RANKS = 2


def seconds(program, mpi, preload, steps):
    started = time.monotonic()
    common.run([program, "--steps", steps], preload, ranks=(mpi, RANKS))
    return time.monotonic() - started


def main(quick):
    alternations, steps = (1, common.scaled(5, 1)) if quick else (7, 25)
    common.heading(f"The mini ocean model, {RANKS} ranks, mpirun to end (s, minima of {alternations} alternations)")
    rows = []
    for mpi, name in common.MPIS.items():
        program = common.miniocean(mpi)
        plain, fathom = map(min, common.alternate(alternations, ((), (common.LIBRARY,)),
                                                  lambda preload: seconds(program, mpi, preload, steps)).values())
        rows.append([name, f"{plain:.3f}", f"{fathom:.3f}", f"{100 * (fathom / plain - 1):+.1f} %"])
    common.table(["", "plain", "Fathom", "more"], rows)
