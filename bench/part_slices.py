# SPDX-License-Identifier: BSD-3-Clause
"""How long the slices of a very large profile take, which web pages ask for, and how much memory."""
import re

import common

GOAL_FIRST_S, GOAL_NEXT_S, GOAL_MIB, CONTEXTS, RANKS = 15, 0.1, 3072, 1_000_000, 100_000


def main(quick):
    common.heading("Slices of a very large profile for web pages")
    text = common.run([common.tool_program("slices"), CONTEXTS // 20 if quick else CONTEXTS, RANKS // 20 if quick else RANKS])
    print(text, end="")
    first, second = (float(seconds) for seconds in re.findall(r"tree/calls +([\d.]+) s", text)[:2])
    memory = max(float(mib) for mib in re.findall(r"memory so far +(\d+) MiB", text))
    common.goal(first <= GOAL_FIRST_S, f"the first slice of calls in {first:.2f} s (goal {GOAL_FIRST_S} s)")
    common.goal(second <= GOAL_NEXT_S, f"the next in {second * 1000:.0f} ms (goal {GOAL_NEXT_S * 1000:.0f} ms)")
    common.goal(memory <= GOAL_MIB, f"in {memory:.0f} MiB (goal {GOAL_MIB} MiB)")
