# SPDX-License-Identifier: BSD-3-Clause
"""The size of a profile as ranks are added, and how long very many take to be reduced at MPI_Finalize."""
import re
import resource

import common

GOAL_BYTES_PER_RANK, GOAL_WITH_SAMPLES = 100, 300
GOAL_ROOT_S, GOAL_MIB, GOAL_REPORT_S = 20, 5, 5
SYNTHETIC_RANKS, SYNTHETIC_SITES, SYNTHETIC_PATHS = 100_000, 200, 400


def profile_bytes(ranks, sample):
    common.run([common.miniocean("openmpi"), "--steps", "2"], [common.LIBRARY], ranks=("openmpi", ranks),
               FATHOM_SAMPLE=sample)
    return (common.MADE / "bench.fathom").stat().st_size


def real_ranks():
    """What a rank adds, and what it adds with its call paths: a tree that grows with what is seen, up to a limit."""
    small, large = common.scaled((16, 64), (2, 4))
    rows, goals = [], []
    for name, sample, goal in (("without samples", "off", GOAL_BYTES_PER_RANK), ("with samples", "", GOAL_WITH_SAMPLES)):
        sizes = [profile_bytes(ranks, sample) for ranks in (small, large)]
        growth = (sizes[1] - sizes[0]) / (large - small)
        rows.append([name, *sizes, f"{growth:.0f}"])
        goals.append((growth <= goal, f"{growth:.0f} bytes more a rank {name} (goal {goal})"))
    common.table(["profile of miniocean, Open MPI", f"{small} ranks", f"{large} ranks", "more a rank"], rows)
    for met, text in goals:
        common.goal(met, text)


def merged(program, ranks, paths, profile):
    """Seconds until the root has the file, with a core for each host, and the file's MiB."""
    text = common.run([program, ranks, SYNTHETIC_SITES, paths, profile])
    print("".join(f"  {line}\n" for line in text.splitlines()))
    return (float(re.search(r"root +([\d.]+) s", text)[1]), float(re.search(r"file +([\d.]+) MiB", text)[1]))


def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    common.run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def shown(name, profile):
    """CPU seconds of the views that read most of the profile."""
    seconds = {view: cpu_seconds([common.FATHOM, "report", profile, "--view", view]) for view in ("summary", "calls", "flat")}
    slowest = max(seconds, key=seconds.get)
    common.goal(seconds[slowest] <= GOAL_REPORT_S, f"{name}: views "
                + ", ".join(f"{view} {s:.1f} s" for view, s in seconds.items()) + f" of CPU (goal {GOAL_REPORT_S} s)")


def synthetic_ranks(quick):
    profile = common.MADE / "synthetic.fathom"
    program = common.tool_program("merge_scale")
    ranks = SYNTHETIC_RANKS // 100 if quick else SYNTHETIC_RANKS
    name = f"{ranks:,} synthetic ranks"
    root, _ = merged(program, ranks, 0, profile)
    common.goal(root <= GOAL_ROOT_S, f"{name}: {root:.1f} s to the root's file (goal {GOAL_ROOT_S} s)")
    more, mebibytes = merged(program, ranks, SYNTHETIC_PATHS, profile)
    common.goal(more <= GOAL_ROOT_S, f"{name} with {SYNTHETIC_PATHS} nodes of call paths each: {more:.1f} s to the "
                                     f"root's file (goal {GOAL_ROOT_S} s)")
    common.goal(mebibytes <= GOAL_MIB, f"{name} with call paths: {mebibytes} MiB (goal {GOAL_MIB} MiB)")
    shown(name, profile)


def main(quick):
    common.heading("The size of a profile")
    real_ranks()
    print()
    synthetic_ranks(quick)
