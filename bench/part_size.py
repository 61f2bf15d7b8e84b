"""The size of a profile as ranks are added, and the cost of merging very many."""
import re

import common

GOAL_BYTES_PER_RANK = 200
GOAL_CPU_S, GOAL_MIB = 20, 5
SYNTHETIC_RANKS, SYNTHETIC_SITES, SYNTHETIC_PATHS = 100_000, 200, 400


def profile_bytes(ranks):
    common.run([common.miniocean("openmpi"), "--steps", "2"], [common.LIBRARY], ranks=("openmpi", ranks))
    return (common.MADE / "bench.fathom").stat().st_size


def real_ranks():
    small, large = 16, 64
    sizes = {ranks: profile_bytes(ranks) for ranks in (small, large)}
    growth = (sizes[large] - sizes[small]) / (large - small)
    common.table(["profile of miniocean, Open MPI", "bytes"], [[f"{n} ranks", size] for n, size in sizes.items()])
    common.goal(growth <= GOAL_BYTES_PER_RANK, f"{growth:.0f} bytes more a rank (goal {GOAL_BYTES_PER_RANK})")


def merged(program, ranks, paths):
    """CPU seconds and MiB of the file."""
    text = common.run([program, ranks, SYNTHETIC_SITES, paths])
    print("".join(f"  {line}\n" for line in text.splitlines()))
    return (float(re.search(r"together +([\d.]+) s", text)[1]), float(re.search(r"file +([\d.]+) MiB", text)[1]))


def synthetic_ranks(quick):
    program = common.with_core("merge_scale")
    ranks = SYNTHETIC_RANKS // 100 if quick else SYNTHETIC_RANKS
    name = f"{ranks:,} synthetic ranks"
    cpu, _ = merged(program, ranks, 0)
    common.goal(cpu <= GOAL_CPU_S, f"{name}: {cpu:.1f} s of CPU (goal {GOAL_CPU_S} s)")
    more, mebibytes = merged(program, ranks, SYNTHETIC_PATHS)
    print(f"  {(more - cpu) / ranks * 1e6:.0f} us of CPU more a rank with {SYNTHETIC_PATHS} nodes of call paths\n")
    common.goal(mebibytes <= GOAL_MIB, f"{name} with call paths: {mebibytes} MiB (goal {GOAL_MIB} MiB)")


def main(quick):
    common.heading("The size of a profile")
    real_ranks()
    print()
    synthetic_ranks(quick)
