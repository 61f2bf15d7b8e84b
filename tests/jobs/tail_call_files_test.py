#!/usr/bin/env python3
"""Functions that ended with a tail call are told apart from others of the same name: static functions of several files,
also if their debug information is in files of its own, or after link-time optimization."""
import itertools
import subprocess

import jobs
from trees import walk

PROGRAMS = jobs.SOURCE / "tests/jobs/programs"
SOURCES = ("tail_files_one.c", "tail_files_two.c", "tail_files.c")
WAYS = {("one", "mid", "spin"), ("two", "mid", "relay", "spin")}
FLAGS = {"plain": [], "split": ["-gsplit-dwarf"], "split, DWARF 4": ["-gsplit-dwarf", "-gdwarf-4"], "lto": ["-flto"]}


def build(compiler, level, name):
    """In a directory of its own, where the compiler leaves the files of debug information."""
    place = jobs.SCRATCH / f"tail_files.{compiler}{level}.{name.replace(' ', '')}"
    place.mkdir()
    objects = [place / f"{source}.o" for source in SOURCES]
    for source, target in zip(SOURCES, objects):
        subprocess.run([compiler, level, "-g", *FLAGS[name], "-c", "-o", target, PROGRAMS / source], check=True, cwd=place)
    subprocess.run([compiler, level, "-g", *FLAGS[name], "-o", place / "program", *objects], check=True, cwd=place)
    return place / "program"


def ways_of(calls):
    """The functions below main, and the files that define them."""
    found, files = set(), set()
    for node, way in walk(calls["root"]):
        if node["kind"] == "frame" and node["name"] == "spin":
            path = [up for up in way if up["kind"] == "frame" and up["name"] not in ("main", "_start")] + [node]
            found.add(tuple(up["name"] for up in path))
            files |= {(path[0]["name"], up["defined"].rpartition("/")[2]) for up in path if up["name"] == "mid"}
    return found, files


def check(tap, compiler, level, name):
    title = f"{compiler} {level}, {name}"
    job = jobs.run(jobs.AROUND, None, 1, [build(compiler, level, name)], env={"FATHOM_SAMPLE": "1000"})
    if not tap.ok(job.status == 0, f"{title}: the program runs", job):
        return
    ways, files = ways_of(job.report()["calls"])
    tap.equal(ways, WAYS, f"{title}: call paths")
    tap.equal(files, {("one", SOURCES[0]), ("two", SOURCES[1])}, f"{title}: of their files")


def main():
    tap = jobs.Tap()
    for compiler, level, name in itertools.product(("gcc", "clang"), ("-O2", "-O3"), FLAGS):
        if (compiler, name) != ("clang", "lto"):  # needs a linker of its own
            check(tap, compiler, level, name)
    tap.done()


main()
