# SPDX-License-Identifier: BSD-3-Clause
"""How long the names of a large program take: the first time, and again."""
import re
import shutil

import common

GOAL_FIRST_S, GOAL_AGAIN_S, GOAL_MIB = 10, 1, 200
FUNCTIONS, COPIES, ADDRESSES = 200, 340, 20_000


def large_program(quick):
    """One object with many functions, linked in many copies whose symbols have other names."""
    where = common.MADE / "large"
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir()
    source = where / "unit.cc"
    source.write_text(common.run(["python3", common.SOURCE / "bench" / "large_unit.py", 20 if quick else FUNCTIONS]),
                      encoding="utf-8")
    unit = where / "unit.o"
    common.run(["g++", "-O2", "-g", "-fno-exceptions", "-fno-asynchronous-unwind-tables", "-c", source, "-o", unit])
    copies = []
    for number in range(10 if quick else COPIES):
        copies.append(where / f"copy{number}.o")
        common.run(["objcopy", f"--prefix-symbols=copy{number}_", unit, copies[-1]])
    main = where / "main.c"
    main.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    program = where / "large"
    common.run(["gcc", "-g", "-o", program, main, *copies])
    for copy in copies:
        copy.unlink()
    return program


def main(quick):
    common.heading("Names of a large program")
    program, tool, cache = large_program(quick), common.tool_program("symbols"), common.MADE / "large" / "cache"
    size = program.stat().st_size / 2**20
    common.goal(size >= GOAL_MIB or quick, f"a program of {size:.0f} MiB, nearly all of it DWARF")
    rows, seconds = [], []
    for title, where in (("without a cache, one thread", ""), ("the first time", cache), ("again", cache)):
        text = common.run([tool, program, ADDRESSES, where, 0 if where else 1])
        seconds.append(float(re.match(r"([\d.]+) s", text)[1]))
        rows.append([title, *text.strip().replace(" named", "").replace(" with lines", "").split(", ")])
    common.table([f"{ADDRESSES:,} addresses", "time", "named", "with lines", "frames"], rows)
    common.goal(seconds[1] <= GOAL_FIRST_S, f"the first time in {seconds[1]:.2f} s (goal {GOAL_FIRST_S} s)")
    common.goal(seconds[2] <= GOAL_AGAIN_S, f"again in {seconds[2]:.2f} s (goal {GOAL_AGAIN_S} s)")
    shutil.rmtree(program.parent)
