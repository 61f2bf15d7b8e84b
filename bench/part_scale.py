# SPDX-License-Identifier: BSD-3-Clause
"""How long the comparison of two runs with very many contexts takes, and how much memory."""
import re

import common

GOAL_S, GOAL_MIB, CONTEXTS = 5, 1024, 1_000_000


def main(quick):
    common.heading("Comparing runs with very many contexts")
    text = common.run([common.tool_program("scale"), CONTEXTS // 20 if quick else CONTEXTS])
    print(text, end="")
    seconds = float(re.search(r"together +([\d.]+) s", text)[1])
    memory = float(re.search(r"memory +(\d+) MiB", text)[1])
    common.goal(seconds <= GOAL_S, f"compared in {seconds:.2f} s (goal {GOAL_S} s)")
    common.goal(memory <= GOAL_MIB, f"in {memory:.0f} MiB (goal {GOAL_MIB} MiB)")
