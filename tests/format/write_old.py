#!/usr/bin/env python3
"""Keeps profiles and segments of this build for the versions to come: write_old.py VERSION. They go to
tests/format/old/VERSION, which must not be there yet, and are never written again. Needs root, both MPIs, and a build
whose path may be known to everybody (the profiles name its library)."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import time

import old_files
from old_files import jobs  # finds it
import hosts

RANKS = 4
SLOTS = {"nodea": 2, "nodeb": 2}


def build(mpi):
    text = (old_files.HERE / "every_kind.c").read_text(encoding="utf-8")
    return mpi.compile("every_kind", text, f"-I{jobs.SOURCE / 'include'}", f"-L{jobs.BUILD}", "-lfathom",
                       f"-Wl,-rpath,{jobs.BUILD}")


def keep_profile(place, name, profile):
    shutil.copy(profile, place / f"{name}.fathom")
    old_files.keep(place / f"{name}.json.xz", old_files.facts(profile))


def keep_segments(place, name, segments):
    with tarfile.open(place / f"{name}{old_files.SEGMENTS}", "w:xz") as tar:
        for file in sorted(pathlib.Path(segments).iterdir()):
            tar.add(file, file.name)
    _, profiles = old_files.collected(place / f"{name}{old_files.SEGMENTS}", jobs.SCRATCH / f"collected-{name}")
    old_files.keep(place / f"{name}.json.xz", [old_files.facts(p) for p in profiles])


def copy_of_running(mpi, program):
    """The segments of a job that still runs, and after every process of it was killed."""
    job, env = jobs.prepare(jobs.PRELOAD)
    process = subprocess.Popen(jobs.command_line(jobs.PRELOAD, mpi, RANKS, [program, "waits"]), cwd=job.work, env=env,
                               stdin=subprocess.DEVNULL, start_new_session=True)
    while len([name for name in job.left() if name.endswith(".segment")]) < RANKS:
        time.sleep(0.1)
    time.sleep(3)
    os.killpg(process.pid, signal.SIGSTOP)
    subprocess.run(["pkill", "-STOP", "-f", str(program)], check=False)
    copy = jobs.SCRATCH / f"running-{mpi.name}"
    shutil.copytree(job.segments, copy)
    subprocess.run(["pkill", "-KILL", "-f", str(program)], check=False)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return copy


def write(place):
    place.mkdir(parents=True)
    for mpi in jobs.MPIS:
        program = build(mpi)
        for name, words, env in (("whole", ["whole"], {}), ("plain", ["whole"], {"FATHOM_SAMPLE": "off"}),
                                 ("killed", ["killed"], {})):
            job = jobs.run(jobs.AROUND, mpi, RANKS, [program, *words], env=env)
            keep_profile(place, f"{name}-{mpi.name}", job.profiles()[0])
        keep_segments(place, f"dead-{mpi.name}", copy_of_running(mpi, program))
        with hosts.Hosts(*SLOTS) as fleet:
            job, env = jobs.prepare(jobs.AROUND, {"FATHOM_DIR": None})
            env.pop("FATHOM_DIR", None)
            subprocess.run([jobs.FATHOM, "run", "-q", "--", *fleet.mpirun(mpi, SLOTS), program, "whole"], cwd=job.work,
                           env=env, check=True, stdin=subprocess.DEVNULL)
            keep_profile(place, f"hosts-{mpi.name}", job.profiles()[0])


write(old_files.OLD / sys.argv[1])
