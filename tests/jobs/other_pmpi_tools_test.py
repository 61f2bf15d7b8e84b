#!/usr/bin/env python3
"""A second PMPI tool beside Fathom, above it, below it or linked into the program: it sees every call that it would
see alone, Fathom counts each once, and the profile names the tool."""
import pathlib

import counting
import jobs


def first_figure(routines):
    return {name: figures[:1] for name, figures in routines.items()}


def own_calls(job):
    """What the library itself calls by public names: only the tool sees it."""
    seen = counting.sums(counting.read_lines(job, "counter"))
    known = counting.sums(counting.read_lines(job, "tally"))
    return {name: calls for name, calls in seen.items() if name not in known}


def check(tap, title, job, alone, tool):
    if not tap.ok(job.status == 0, f"{title}: the program ends well", job):
        return
    report = job.report()
    known = counting.sums(counting.read_lines(job, "tally"))
    seen = counting.sums(counting.read_lines(job, "counter"))
    wrong = counting.differences(seen, first_figure(known) | own_calls(alone))
    tap.ok(not wrong, f"{title}: the tool sees every call", *wrong)
    wrong = counting.differences(counting.figures(report), known)
    tap.ok(not wrong, f"{title}: Fathom counts each once", *wrong)
    tap.equal(report["job"]["tool"], tool, f"{title}: the profile names it")


def check_mpi(tap, mpi):
    program = counting.compile_program(mpi, "all", *counting.ALL)
    tool = counting.counter_library(mpi)
    source = pathlib.Path(jobs.SCRATCH / f"counter.{mpi.name}.c")
    linked = counting.compile_program(mpi, "linked", *counting.ALL, flags=[str(source), "-rdynamic"])
    alone = jobs.run(jobs.BARE, mpi, 2, [program], env={"LD_PRELOAD": tool})
    cases = {
        "above": ([program], f"{tool} {jobs.LIBRARY}", tool),
        "below": ([program], f"{jobs.LIBRARY} {tool}", tool),
        "linked in": ([linked], jobs.LIBRARY, linked),
    }
    for place, (command, preload, name) in cases.items():
        job = jobs.run(jobs.BARE, mpi, 2, command, env={"LD_PRELOAD": preload})
        check(tap, f"{mpi.short}, a tool {place}", job, alone, name)
    # with `fathom run` the tool's own preload stays
    job = jobs.run(jobs.AROUND, mpi, 2, [program], env={"LD_PRELOAD": tool})
    check(tap, f"{mpi.short}, a tool preloaded under fathom run", job, alone, tool)
    # found as well where the program starts with MPI_Init_thread
    program = counting.compile_program(mpi, "threads", "threads.c", flags=["-pthread"])
    for place, preload in {"above": f"{tool} {jobs.LIBRARY}", "below": f"{jobs.LIBRARY} {tool}"}.items():
        job = jobs.run(jobs.BARE, mpi, 2, [program, 1, 8, 50], env={"LD_PRELOAD": preload})
        title = f"{mpi.short}, threads with a tool {place}"
        check(tap, title, job, job, tool)
    job = jobs.run(jobs.PRELOAD, mpi, 2, [program, 1, 2, 5])
    tap.equal(job.report()["job"]["tool"], None, f"{mpi.short}: no tool is named where there is none")


jobs.check_each(check_mpi)
