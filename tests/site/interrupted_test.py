#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A test with daemons that is interrupted leaves neither daemons nor files; one that is killed leaves no daemons."""
import pathlib
import re
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import daemons
import jobs
import slurm

DAEMONS = {"munged", "slurmctld", "slurmd"}


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf8").strip()
    except OSError:
        return ""


def daemons_of(folder):
    return {name_of(pid) for pid in daemons.processes_of(folder)} & DAEMONS


def main():
    tap = jobs.Tap()
    why = slurm.unavailable()
    if not why and not (jobs.BUILD / "spank_fathom.so").exists():
        why = "the plug-in is not built: slurm/spank.h was not found"
    if why:
        tap.skip("interrupted tests", why)
        tap.done()
    for sent in (signal.SIGTERM, signal.SIGKILL):
        with subprocess.Popen(["/usr/bin/python3", pathlib.Path(__file__).parent / "slurm_test.py"], stdout=subprocess.PIPE,
                              text=True) as test:
            up = re.search(r"is up in (\S+)", test.stdout.readline())
            folder = up[1] if up else "/nonexistent"
            running = daemons_of(folder)
            test.send_signal(sent)
            test.wait(60)
        tap.equal(running, DAEMONS, f"{sent.name}: the daemons ran")
        daemons.wait_for(lambda: not daemons_of(folder), 20)
        tap.equal(daemons_of(folder), set(), f"{sent.name}: no daemon is left")
        if sent == signal.SIGTERM:
            tap.ok(not pathlib.Path(folder).exists(), f"{sent.name}: no file is left")
        else:
            cleaner = daemons.Daemons("cleaner")
            cleaner.folder.rmdir()
            cleaner.folder = pathlib.Path(folder)
            cleaner.stop()
    tap.done()


main()
