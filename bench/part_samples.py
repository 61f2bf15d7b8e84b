# SPDX-License-Identifier: BSD-3-Clause
"""Samples of call paths: what one costs beside an empty handler, what a frame costs, and what a program loses."""
import statistics
import time

import common

GOAL_INSTRUCTIONS, COUNTED = 1500, 64  # of a sample; samples in a loop that callgrind counts
GOAL_SAMPLE, GOAL_SEEN_NS, GOAL_NEW_NS, GOAL_FULL_US, GOAL_SLOWDOWN = 1.15, 10, 150, 50, 0.01
PAIRS, RANKS = 20, 2


def build():
    source = common.SOURCE / "src"
    sources = [source / "base" / "clock.c", *sorted((source / "runtime" / "signal").glob("*.c")),
               *sorted((source / "runtime" / "counters").glob("*.c"))]
    common.make("instructions.o", "gcc", "-O2", "-c", "instructions.c")
    return common.make("samples", "gcc", "-std=gnu17", "-O2", "-fomit-frame-pointer", "samples.c",
                       f"-I{source}", f"-I{common.SOURCE / 'tests'}", *map(str, sources),
                       str(common.MADE / "instructions.o"))


def figures(program, rounds, walks):
    """{word: [numbers of each line with it]}"""
    found = {}
    for line in common.run([program, rounds, walks]).splitlines():
        word, *numbers = line.split()
        found.setdefault(word, []).append([float(number) for number in numbers])
    return found


def medians(pairs, which):
    """Of the four quarters of a measurement: whether it was quiet."""
    quarter = max(1, len(pairs) // 4)
    return [statistics.median(pair[which] for pair in pairs[i:i + quarter]) for i in range(0, 4 * quarter, quarter)]


def samples(program, found):
    """What a sample costs on one stack, and on stacks that change."""
    counted = common.instructions([program, 0])
    rows = []
    for how, loop, text in (("sample", "one", "on one stack"), ("changing", "changing", "on 16 stacks, in any order")):
        bare, ours = (statistics.median(pair[i] for pair in found[how]) for i in (0, 1))
        instructions = (counted[loop] - counted["none"]) / COUNTED
        rows.append([text, f"{bare:.0f}", f"{ours:.0f}", f"{instructions:.0f}"])
        common.time_goal([medians(found[how], 0)], ours <= GOAL_SAMPLE * bare,
                         f"a sample {text}: {ours / bare:.2f} times an empty handler (goal {GOAL_SAMPLE})",
                         (instructions <= GOAL_INSTRUCTIONS,
                          f"a sample {text}: {instructions:.0f} instructions (goal {GOAL_INSTRUCTIONS})"))
    print()
    common.table(["a signal and its handler", "empty, ns", "Fathom's, ns", "instructions of Fathom's"], rows)


def interval(values):
    """Mean and half width of its 95 % interval."""
    half = 2.09 * statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return statistics.mean(values), half


def seconds(program, sample, steps):
    started = time.monotonic()
    common.run([program, "--steps", steps], (common.LIBRARY,), ranks=("openmpi", RANKS), FATHOM_SAMPLE=sample)
    return time.monotonic() - started


def slowdown(quick):
    """Of the mini ocean model, against Fathom without samples."""
    program = common.miniocean("openmpi")
    pairs, steps = (common.scaled(2, 1), common.scaled(5, 1)) if quick else (PAIRS, 25)
    rows = []
    for name, sample in (("default", ""), ("1000 Hz", "1000")):
        ratios = []
        for _ in range(pairs):
            without = seconds(program, "off", steps)
            ratios.append(seconds(program, sample, steps) / without - 1)
        mean, half = interval(ratios)
        rows.append([name, f"{100 * mean:+.2f} %", f"{100 * (mean - half):+.2f} to {100 * (mean + half):+.2f} %"])
        if name == "default":
            common.goal(not mean - half > 0, f"the default rate: not measurable over {pairs} pairs")
        else:
            common.goal(mean - half <= GOAL_SLOWDOWN, f"1000 Hz: at most {100 * GOAL_SLOWDOWN:.0f} % slower")
    print()
    common.table(["the mini ocean model", "slower", "95 % interval"], rows)


def main(quick):
    rounds, walks = (20, 200) if quick else (300, 3000)
    common.heading(f"A sample, 50 frames deep (medians of {rounds} alternations); a frame (minima of {walks})")
    program = build()
    found = figures(program, rounds, walks)
    samples(program, found)
    names = {"same": "Fathom, the stack as at the last sample", "seen": "Fathom, addresses seen before", "new": "Fathom, new addresses",
             "unw_backtrace": "libunwind's unw_backtrace, seen before", "backtrace": "glibc's backtrace",
             "unw_step": "libunwind's unw_step"}
    common.table(["a frame", "ns"], [[text, f"{found[word][0][0]:.1f}"] for word, text in names.items() if word in found])
    common.goal(found["seen"][0][0] <= GOAL_SEEN_NS, f"a frame seen before: {found['seen'][0][0]:.1f} ns (goal {GOAL_SEEN_NS})")
    common.goal(found["new"][0][0] <= GOAL_NEW_NS, f"a new one: {found['new'][0][0]:.0f} ns (goal {GOAL_NEW_NS})")
    common.goal(found["full"][0][0] <= GOAL_FULL_US,
                f"the costliest of 1,500 new stacks in a full tree: {found['full'][0][0]:.1f} us (goal {GOAL_FULL_US})")
    slowdown(quick)
