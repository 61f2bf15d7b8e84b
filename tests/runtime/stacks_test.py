#!/usr/bin/env python3
"""Stacks of a program that is sampled: none is too small, none is taken for another, and all are followed to their end."""
import sampling
import jobs

THEMES = ("full-coroutine", "full-handler", "full-thread", "beside", "deep", "no-calls", "left", "priorities")


def compare(tap, program, theme):
    bare, job = sampling.run([program, theme], sampled=False), sampling.run([program, theme])
    tap.equal((job.status, job.stdout.decode()), (bare.status, bare.stdout.decode()), f"{theme}: as without samples")
    return job


def paths_through(samples, program, function):
    inside = sampling.function_of(program, function)
    return [steps for _, steps in samples.paths if any(inside(step) for step in steps)]


def check_paths(tap, program, jobs_of, reader):
    elsewhere = paths_through(sampling.Samples(jobs_of["beside"], reader), program, "work_elsewhere")
    tap.ok(elsewhere and all(steps[0] == "gap" for steps in elsewhere), "beside: no other stack is taken for the thread's",
           *elsewhere[:5])
    deep = paths_through(sampling.Samples(jobs_of["deep"], reader), program, "work_deep")
    in_thread = sampling.function_of(program, "deep_thread")
    for name, paths in (("thread", [s for s in deep if any(map(in_thread, s))]),
                        ("first thread", [s for s in deep if not any(map(in_thread, s))])):
        tap.ok(paths and all(steps[0] != "gap" and len(steps) > 80 for steps in paths), f"deep: to the end, {name}",
               *paths[:3])
    counts = sampling.Samples(jobs_of["full-thread"], reader).counts
    tap.equal(counts["unsampled_threads"], 0, "full-thread: sampled")


def check_debugger(tap, program):
    """One stops the program at each signal, so none is sent; the report says why there are no samples."""
    job = sampling.run([program, "trace", *sampling.NAMED, program, "work"], sampled=False)
    tap.equal((job.status, job.stdout), (0, b"0 stops\n"), "a debugger sees no signal")
    job.collect()
    notes = [note["text"] for note in job.report()["job"]["notes"]]
    tap.ok(any("debugger" in note for note in notes), "and that is noted", *notes)


def main():
    tap = jobs.Tap()
    program, reader = sampling.compile_program("stacks"), sampling.reader()
    check_paths(tap, program, {theme: compare(tap, program, theme) for theme in THEMES}, reader)
    check_debugger(tap, program)
    tap.done()


main()
