# SPDX-License-Identifier: BSD-3-Clause
"""A start and a stop of a timer, beside a bare pair of clock reads: nanoseconds, ratios and instructions."""
import re

import common

LOOPS = {"one": "one timer", "hundred": "100 timers in turn", "nested": "8 nested", "threads": "on each of 8 threads",
         "thousand": "1,000 timers in turn"}
GOALS = {"one": 1.4, "hundred": 1.6, "nested": 1.6, "threads": 1.6}
GOAL_OFF = 40  # two calls through the linker's table, and a look whether a get was forgotten
GOAL_KIB = 2
PAIRS, THREADS, TIMERS, MORE_TIMERS = 8000, 8, 1000, 900  # as in timers.c
GOAL_REPORT_S, GOAL_REPORT_MIB, GOAL_TEXT_KB = 10, 256, 200
SCALES = {"ocean": 100_000, "ranges": 100_000, "shapes": 10_000}  # kind of tasks: how many of them
LAYOUT = "rich"
WARM_BATCHES = 3  # before the instructions are counted


def build():
    common.make("instructions.o", "gcc", "-O2", "-c", "instructions.c")
    common.make("timers.o", "gcc", "-O2", "-g", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-I", str(common.SOURCE / "src"),
                "-I", str(common.SOURCE / "include"), "-c", "timers.c")
    return common.make("timers", "gfortran", "-O2", "-g", "-J", str(common.MADE), "../fortran/fathom.f90", "timers.f90",
                       str(common.MADE / "timers.o"), str(common.MADE / "instructions.o"), f"-L{common.BUILD}",
                       "-lfathom", f"-Wl,-rpath,{common.BUILD}", "-pthread")


def nanoseconds(program, alternations, batches, **more):
    """{loop: [ns per pair, of each alternation]}, and {word: number} of what else the program tells."""
    found, told = {}, {}
    for _ in range(alternations):
        for line in common.run([program, batches], **more).splitlines():
            word, number = line.split()
            if "/" in word:
                found.setdefault(word, []).append(float(number))
            else:
                told[word] = int(number)
    return found, told


def instructions(program, **more):
    """{loop: instructions per pair}"""
    return {loop: n / PAIRS / (THREADS if loop.endswith("threads") else 1)
            for loop, n in common.instructions([program, WARM_BATCHES], **more).items()}


def report(ns, count):
    rows, goals = [], []
    for loop in ns:
        how, where = loop.split("/")
        bare = ns["bare/threads" if where == "threads" else "bare/one"]
        ratio = min(ns[loop]) / min(bare)
        name = "a bare pair of clock reads" + (", 8 threads" if where == "threads" else "")
        if how != "bare":
            name = f"{how}, {LOOPS[where]}"
        rows.append([name, f"{min(ns[loop]):.1f}", f"{ratio:.2f}", f"{count[loop]:.0f}"])
        if how != "bare" and where in GOALS:
            goals.append(([bare], ratio <= GOALS[where], f"{name}: {ratio:.2f} times the bare pair (goal {GOALS[where]})"))
    common.table(["per start and stop", "ns", "ratio", "instr."], rows)
    for goal in goals:
        common.time_goal(*goal)


def report_off(ns, count):
    rows = [[f"{how}, one timer", f"{min(ns[how + '/one']):.1f}", f"{count[how + '/one']:.0f}"] for how in ("C", "Fortran")]
    print()
    common.table(["with FATHOM_DISABLE=1", "ns", "instr."], rows)
    most = max(count["C/one"], count["Fortran/one"])
    common.goal(most <= GOAL_OFF, f"switched off: {most:.0f} instructions a start and stop (goal {GOAL_OFF})")


def number(pattern, text):
    return float(re.search(pattern, text)[1])


def scale(quick):
    """The report of very many tasks."""
    common.heading(f"The report of 100 timers of synthetic tasks, in the {LAYOUT} layout")
    program = common.tool_program("timers_scale")
    for kind, tasks in SCALES.items():
        tasks = tasks // 100 if quick else tasks
        text = common.run([program, tasks, 100, kind, LAYOUT])
        print("".join(f"  {line}\n" for line in text.splitlines()))
        name = f"{kind}, {tasks:,} tasks"
        seconds = number(r"way to the root +([\d.]+) s", text) + number(r"root alone +([\d.]+) s", text)
        mebibytes, kilobytes = number(r"memory +([\d.]+) MiB", text), number(r"text +([\d.]+) kB", text)
        if kind != "shapes":  # no two tasks alike in any timer: the worst case, and no goal
            common.goal(seconds <= GOAL_REPORT_S, f"{name}: {seconds:.1f} s from its first task to the text "
                                                  f"(goal {GOAL_REPORT_S} s)")
        common.goal(mebibytes <= GOAL_REPORT_MIB, f"{name}: {mebibytes:.0f} MiB on the root (goal {GOAL_REPORT_MIB} MiB)")
        common.goal(kilobytes <= GOAL_TEXT_KB, f"{name}: {kilobytes:.0f} kB of text (goal {GOAL_TEXT_KB} kB)")
        print()


def main(quick):
    alternations, batches = (1, 5) if quick else (4, 50)
    common.heading(f"A timer (minima of {alternations} x {batches} alternations; instructions by callgrind)")
    program = build()
    ns, told = nanoseconds(program, alternations, batches)
    report(ns, instructions(program))
    off, _ = nanoseconds(program, 1, batches, FATHOM_DISABLE="1")
    report_off(off, instructions(program, FATHOM_DISABLE="1"))
    common.goal(told["measured"] == TIMERS, f"of {TIMERS:,} timers {told['measured']:,} are measured")
    each = (told["shared_kb"] + told["own_kb"]) / MORE_TIMERS
    common.goal(each <= GOAL_KIB, f"{each:.2f} KiB more for each further timer of a thread (goal {GOAL_KIB} KiB)")
    scale(quick)
