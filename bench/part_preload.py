# SPDX-License-Identifier: BSD-3-Clause
"""What the preloaded library costs a program that has nothing to do with MPI: it is loaded into every process of a job."""
import os
import re
import subprocess

import common

PROGRAM = "/bin/true"
GOAL_INSTRUCTIONS = 25000
GOAL_RELOCATIONS = 250
GOAL_FAULTS = 20
RUNS = 20


def preloads():
    return {"plain": (), "preloaded": (common.LIBRARY,)}


def environment(preload):
    return common.environment(preload, common.MADE / "bench.fathom", {})


def instructions(preload):
    """All that the process executes, the loader's work included."""
    out = common.MADE / "callgrind.preload"
    subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}", PROGRAM],
                   env=environment(preload), check=True)
    return int(re.search(r"^totals: (\d+)", out.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)[1])


def page_faults(preload):
    """The least of several runs."""
    least = None
    for _ in range(RUNS):
        pid = os.posix_spawn(PROGRAM, [PROGRAM], environment(preload))
        faults = os.wait4(pid, 0)[2].ru_minflt
        least = faults if least is None else min(least, faults)
    return least


def relocations():
    listing = subprocess.run(["readelf", "-rW", common.LIBRARY], stdout=subprocess.PIPE, text=True, check=True).stdout
    return len(re.findall(r"^[0-9a-f]{16} ", listing, re.MULTILINE))


def main(quick):
    del quick  # it takes two seconds
    common.heading(f"Being preloaded into a program without MPI ({PROGRAM}; instructions by callgrind)")
    count = {how: instructions(preload) for how, preload in preloads().items()}
    faults = {how: page_faults(preload) for how, preload in preloads().items()}
    more, more_faults = (figure["preloaded"] - figure["plain"] for figure in (count, faults))
    common.table(["", "plain", "preloaded", "more"],
                 [["instructions", count["plain"], count["preloaded"], more],
                  ["page faults", faults["plain"], faults["preloaded"], more_faults]])
    common.goal(more <= GOAL_INSTRUCTIONS, f"{more} instructions more (goal {GOAL_INSTRUCTIONS})")
    common.goal(more_faults <= GOAL_FAULTS, f"{more_faults} page faults more (goal {GOAL_FAULTS})")
    n = relocations()
    common.goal(n <= GOAL_RELOCATIONS, f"{n} relocations (goal {GOAL_RELOCATIONS})")
