#!/usr/bin/env python3
"""Another user of the node was there first, with a directory of the name that ours would have: it is left alone and
said so, nothing of what lies in it is read, no lock of its owner is waited for, and nothing is lost."""
import ctypes
import os
import pathlib
import shutil
import struct
import subprocess

import jobs
import users
from jobs import AROUND, MPIS, PRELOAD, SCRATCH, WAYS, Tap, notes, run
from users import AS_USER, as_user

SHM = pathlib.Path("/dev/shm")
TMP = SCRATCH / "tmp"
EVIL = b"/tmp/a\x1b]0;owned\x07\xc2\x9b31m\n"
WORK = """
#include <mpi.h>
#include <stdlib.h>
#include <signal.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1)
        raise(SIGKILL);
    MPI_Finalize();
}
"""
ENV = {"FATHOM_DIR": None, "TMPDIR": str(TMP)}


class Opened:
    """Whether anybody has opened a directory, or something in it, since."""
    IN_OPEN = 0x20

    def __init__(self, path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if libc.inotify_add_watch(self.fd, os.fsencode(path), self.IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def seen(self):
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            return False
        return struct.unpack_from("iIII", data)[1] != 0


def fresh(squat):
    """Empty places; then the attacker comes first."""
    for directory in [*SHM.glob("fathom-*"), *TMP.glob("fathom-*")]:
        shutil.rmtree(directory) if directory.is_dir() and not directory.is_symlink() else directory.unlink()
    squat()


def directory_of_another():
    as_user("mkdir", "-m", "777", SHM / "fathom-0")


def link_of_another():
    as_user("mkdir", "-m", "777", SHM / "elsewhere")
    as_user("ln", "-s", SHM / "elsewhere", SHM / "fathom-0")


def open_to_all():
    (SHM / "fathom-0").mkdir()
    (SHM / "fathom-0").chmod(0o777)


def all_places():
    for number in ("", *[f"-{n}" for n in range(2, 9)]):
        for parent in (SHM, TMP):
            as_user("mkdir", "-m", "777", f"{parent}/fathom-0{number}")


def what_is_left(own):
    return sorted(str(p) for d in own for p in pathlib.Path(d).glob("*"))


def check_measured(tap, mpi):
    program = mpi.compile("work", WORK)
    for what, squat, why in (("a directory of another user", directory_of_another, b"belongs to another user"),
                             ("a link of another user", link_of_another, b"is a symbolic link"),
                             ("a directory open to all", open_to_all, b"is accessible to other users")):
        for way in WAYS:
            name = f"{mpi.short}, {way}, {what}"
            fresh(squat)
            opened = Opened(SHM / "fathom-0")
            job = run(way, mpi, 2, [program], env=ENV, quiet=False)
            shutil.rmtree(SHM / "elsewhere", ignore_errors=True)
            tap.ok(job.status == 0 and len(job.profiles()) == 1, f"{name}: one profile", job)
            if len(job.profiles()) != 1:
                continue
            tap.ok(any("another directory" in note for note in notes(job.report())), f"{name}: noted", job.report())
            tap.equal(what_is_left([SHM / "fathom-0-2"]), [], f"{name}: nothing is left")
            if not what.startswith("a link"):
                tap.ok(not opened.seen(), f"{name}: it is not even opened")
            if way == AROUND:
                tap.ok(job.stderr.count(why) == 1 and b"using /dev/shm/fathom-0-2 instead" in job.stderr, f"{name}: said once", job)


def check_killed(tap, mpi):
    """What is left in the other place is found, also when the first is free again."""
    program = mpi.compile("work", WORK)
    fresh(directory_of_another)
    job = run(PRELOAD, mpi, 2, [program, "die"], env=ENV)
    tap.ok(what_is_left([SHM / "fathom-0-2"]), f"{mpi.short}: killed ranks leave their segments", job)
    shutil.rmtree(SHM / "fathom-0")
    (SHM / "fathom-0").mkdir(mode=0o700)
    told = subprocess.run([jobs.FATHOM, "collect"], cwd=job.work, env=jobs.environment("none", ENV), capture_output=True,
                          check=False, timeout=jobs.LIMIT_S)
    tap.ok(told.returncode == 0 and len(job.profiles()) == 1, f"{mpi.short}: collect finds them", told)
    tap.equal(what_is_left([SHM / "fathom-0-2"]), [], f"{mpi.short}: and leaves nothing")


def check_all_taken(tap, mpi):
    program = mpi.compile("work", WORK)
    fresh(all_places)
    for way in WAYS:
        job = run(way, mpi, 2, [program], env=ENV)
        tap.ok(job.status == 0 and len(job.profiles()) == 1, f"{mpi.short}, {way}, all places taken: one profile", job)


def check_text(tap):
    """Whoever knows the id of a run writes what it is to tell: but not into a directory that is used."""
    fresh(directory_of_another)
    evil = SCRATCH / "evil"
    evil.write_bytes(EVIL)
    evil.chmod(0o644)
    write = f"{' '.join(AS_USER)} cp {evil} /dev/shm/fathom-0/$FATHOM_RUN_ID.run"
    job = run(AROUND, None, 0, ["sh", "-c", write], env=ENV, quiet=False)
    tap.ok(list((SHM / "fathom-0").glob("*.run")) and b"owned" not in job.stderr and b"\x1b" not in job.stderr,
           "another user's notes of a run are not shown", job)


def check_collect(tap):
    fresh(directory_of_another)
    opened = Opened(SHM / "fathom-0")
    env = jobs.environment("none", ENV)
    holder = subprocess.Popen([*AS_USER, "flock", "/dev/shm/fathom-0", "sh", "-c", "echo locked; read end"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    opened.seen()
    told = subprocess.run([jobs.FATHOM, "collect"], env=env, capture_output=True, check=False, timeout=jobs.LIMIT_S)
    tap.ok(told.returncode == 0 and told.stderr.count(b"\n") == 1 and b"belongs to another user" in told.stderr,
           "collect: refused in one sentence", told)
    tap.ok(not opened.seen(), "collect: what is locked is not waited for")
    holder.communicate(b"\n")
    env["FATHOM_DIR"] = str(SHM / "fathom-0")
    told = subprocess.run([jobs.FATHOM, "collect"], env=env, capture_output=True, check=False, timeout=jobs.LIMIT_S)
    tap.ok(told.returncode == 0 and told.stderr.count(b"belongs to another user") == 1, "also where FATHOM_DIR names it",
           told)


def main():
    tap = Tap()
    users.need(tap, __file__)
    TMP.mkdir()
    TMP.chmod(0o1777)
    SCRATCH.chmod(0o755)
    for mpi in MPIS:
        check_measured(tap, mpi)
        check_killed(tap, mpi)
        check_all_taken(tap, mpi)
    check_text(tap)
    check_collect(tap)
    tap.done()


main()
