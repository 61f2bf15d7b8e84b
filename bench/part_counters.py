# SPDX-License-Identifier: BSD-3-Clause
"""What four counters add to an MPI call: read in user space before it and after it, and what a system call would take."""
import common

GOAL_NS = 15
BATCHES = 300
ROWS = {"user_space": "in user space, without the instruction that reads a hardware counter",
        "system_call": "with system calls, which the runtime does not make in MPI calls"}


def main(quick):
    common.heading("Four counters around an MPI call")
    source = common.SOURCE / "src"
    parts = [str(source / name) for name in ("base/perf_names.c", "runtime/counters/open.c", "runtime/counters/read.c",
                                             "runtime/counters/state.c")]
    program = common.make("counters", "gcc", "-O2", "-g", "-I", str(source), "counters.c", *parts)
    found = {}
    for _ in range(common.scaled(2 if quick else 12, 1)):
        for line in common.run([program, common.scaled(BATCHES, 2)]).splitlines():
            how, ns = line.split()
            found.setdefault(how, []).append(float(ns))
    bare = found.pop("nothing")
    added = {how: min(ns) - min(bare) for how, ns in found.items()}
    common.table(["read before and after a call", "ns"], [[ROWS[how], f"{ns:.1f}"] for how, ns in added.items()])
    ns = added["user_space"]
    common.time_goal([bare], ns <= GOAL_NS, f"four counters in user space: {ns:.1f} ns per call (goal {GOAL_NS})")
    print(flush=True)
