#!/usr/bin/env python3
"""Threads and children of a program that is sampled, and modules that come and go."""
import sampling
import jobs


def check_children(tap, program, reader):
    for theme in ("forks", "threads", "many", "idle", "deaf", "shared"):
        bare, job = sampling.run([program, theme], sampled=False), sampling.run([program, theme])
        tap.equal((job.status, job.stdout.decode()), (bare.status, bare.stdout.decode()), f"{theme}: as without samples")
        if theme != "forks":
            counts = sampling.Samples(job, reader).counts
            tap.ok(counts["samples"] > 0, f"{theme}: sampled", counts)
        if theme == "many":
            # 256 at a time, the first thread among them
            tap.equal(counts["unsampled_threads"], 600 - 255, "threads beyond those that can be sampled are counted")
        if theme == "idle":
            periods = sum(n for n, _ in sampling.Samples(job, reader).paths)
            tap.ok(counts["samples"] < periods / 4 and periods > 150 * 0.5 * sampling.HZ,
                   "idle threads are woken less often, and all their time is counted", counts, periods)
        if theme == "deaf":
            tap.equal(counts["unsampled_threads"], 1, "a thread that blocks all signals is counted")


def check_threads(tap, program, reader):
    samples = sampling.Samples(sampling.run([program, "threads"]), reader)
    in_work = sampling.function_of(program, "work")
    tap.ok(samples.seconds(in_work) > 0, "samples of threads lie in what they run", samples.counts)
    between = [s for _, s in samples.paths if any(map(in_work, s)) and any(step.startswith("libfathom") for step in s[:2])]
    tap.ok(not between, "and nothing of ours is around it", *between[:3])


def check_modules(tap, reader):
    program = sampling.compile_program("modules")
    plugins = [sampling.compile_program("plugin", "-shared", "-fPIC", f"-DNAME={name}", target=f"{name}.so") for name in "AB"]
    job = sampling.run([program, *plugins, 200])
    tap.equal((job.status, job.stdout), (0, b"200 good\n"), "modules are loaded and unloaded")
    samples = sampling.Samples(job, reader)
    a, b = (samples.seconds(lambda step, name=name: step.startswith(f"{name}.so+")) for name in "AB")
    # three times as long in B, at the same place in memory
    tap.ok(0 < 1.5 * a < b < 6 * a, "each has its own samples", f"{a} s, {b} s; {job.stderr.decode()}")
    unknown = samples.seconds(lambda step: step.startswith("unknown"))
    tap.equal(unknown, 0, "no address without its module")
    tap.ok(len(samples.paths) < 1000, "a module that comes back is the same again", len(samples.paths))


def main():
    tap = jobs.Tap()
    program, reader = sampling.compile_program("children"), sampling.reader()
    check_children(tap, program, reader)
    check_threads(tap, program, reader)
    check_modules(tap, reader)
    tap.done()


main()
