#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""While the file of the administrator's switch exists, the library measures nothing wherever it is loaded, except under
`fathom run`. In /etc/ld.so.preload it measures every job of the host, and no program with more rights than its user."""
import json
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

import etc
import jobs

PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
"""
# What `fathom run` sets to have a program without MPI measured.
NAMED = 'export FATHOM_NAMED=$$ FATHOM_DIR="$1"; exec "$2"'


def off_file():
    options = json.loads((jobs.BUILD / "meson-info" / "intro-buildoptions.json").read_text(encoding="utf-8"))
    return next(option["value"] for option in options if option["name"] == "off_file")


def check_switch(tap, mpi, switched):
    program = mpi.compile("done", PROGRAM)
    for way in jobs.WAYS:
        for exists, copy in switched.items():
            job = jobs.run(way, mpi, 2, [program], prefix=copy.words)
            tap.equal((job.status, job.stdout, job.stderr), (0, b"done\n", b""),
                      f"{mpi.short}, {way}: the job is as ever {'with' if exists else 'without'} the file")
            measured = not exists or way != jobs.PRELOAD
            tap.equal((len(job.profiles()), job.left()), (int(measured), []),
                      f"{mpi.short}, {way}: {'measured' if measured else 'nothing made'}")


def check_doctor(tap, switched):
    for exists, copy in switched.items():
        doctor = subprocess.run([*copy.words, jobs.FATHOM, "doctor"], capture_output=True, text=True, check=False)
        tap.equal(f"switch: {off_file()} exists" in doctor.stdout, exists,
                  f"fathom doctor {'tells of' if exists else 'says nothing about'} the file")


def check_everywhere(tap, folder):
    """The library in /etc/ld.so.preload."""
    library = shutil.copy(jobs.LIBRARY, folder)
    copy = etc.Etc("everywhere", {"ld.so.preload": f"{library}\n"})
    for mpi in jobs.MPIS:
        program = mpi.compile("done", PROGRAM)
        for exists in (False, True):
            copy.put(etc.below(off_file())) if exists else copy.remove(etc.below(off_file()))
            job = jobs.run(jobs.BARE, mpi, 2, [program], prefix=copy.words)
            tap.equal((job.status, job.stdout, job.stderr, len(job.profiles()), job.left()),
                      (0, b"done\n", b"", int(not exists), []),
                      f"{mpi.short}, /etc/ld.so.preload: {'nothing while it is switched off' if exists else 'measured'}")
    copy.remove(etc.below(off_file()))
    user = pwd.getpwnam("nobody").pw_uid
    for mode in (0o755, 0o4755, 0o2755):
        program, segments = folder / f"true-{mode:o}", folder / f"segments-{mode:o}"
        shutil.copy("/bin/true", program)
        program.chmod(mode)
        segments.mkdir(mode=0o700)
        os.chown(segments, user, user)
        segments.chmod(0o700)
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        done = subprocess.run([*copy.words, *as_user, "sh", "-c", NAMED, "sh", segments, program], capture_output=True,
                              check=False)
        tap.equal((done.returncode, done.stderr), (0, b""), f"a program of mode {mode:o} runs")
        made = [path.name for path in segments.iterdir()]
        if mode == 0o755:
            tap.ok(made, "as an ordinary one it can be measured by its user")
        else:
            tap.equal(made, [], "with more rights than its user it is not, whatever the environment says")


def main():
    tap = jobs.Tap()
    why = etc.unavailable()
    if not why and not etc.below(off_file()):
        why = f"the switch of this build is {off_file()}, which is not below /etc"
    if why:
        tap.skip("the switch of a site", why)
        tap.done()
    switched = {exists: etc.Etc("off" if exists else "on", {}) for exists in (True, False)}
    switched[True].put(etc.below(off_file()))
    switched[False].remove(etc.below(off_file()))
    for mpi in jobs.MPIS:
        check_switch(tap, mpi, switched)
    check_doctor(tap, switched)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="fathom-off-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        check_everywhere(tap, folder)
    finally:
        shutil.rmtree(folder)
    tap.done()


main()
