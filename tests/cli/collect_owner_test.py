#!/usr/bin/env python3
"""Root collects what a user's processes left behind as that user: what a user asks for is done with the user's rights."""
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parent.parent.parent))
sys.path.insert(0, str(SOURCE / "tests" / "jobs"))
import jobs  # noqa: E402
import users  # noqa: E402
from users import ALONE, USER  # noqa: E402

SHM = pathlib.Path("/dev/shm")
SEGMENTS, HOME, SECRET = SHM / f"fathom-{USER}", SHM / "home", SHM / "secret"


def leave(output):
    """A segment of a process of the user's, which wanted its profile there."""
    env = {**jobs.environment(SEGMENTS), "LD_PRELOAD": str(SHM / "libfathom.so.0"), "FATHOM_OUTPUT": str(output)}
    subprocess.run([*ALONE, "sh", "-c", "export FATHOM_NAMED=$$; exec sh -c 'kill -KILL $$'"], env=env, cwd=HOME,
                   check=False)


def collect(*words, **more):
    env = jobs.environment(SHM / "none")
    return subprocess.run([jobs.FATHOM, "collect", *map(str, words)], env=env, capture_output=True, check=False,
                          timeout=jobs.LIMIT_S, **more)


def left():
    return [path.name for path in SEGMENTS.glob("*.segment")]


def check_own_place(tap):
    leave(HOME / "own.fathom")
    tap.equal(len(left()), 1, "a killed process leaves its segment")
    told = collect(SEGMENTS)
    profile = HOME / "own.fathom"
    tap.ok(told.returncode == 0 and profile.exists() and not left(), "root collects it", told)
    tap.ok(profile.exists() and profile.stat().st_uid == USER, "the profile is the user's own")


def check_forbidden(tap):
    leave(SECRET / "planted.fathom")
    told = collect(SEGMENTS)
    tap.ok(not list(SECRET.glob("planted*")), "nothing is written where the user may not", told)
    for path in SEGMENTS.glob("*.segment"):
        path.unlink()


def check_links(tap):
    """A profile of the same job is added to: so root would read, and copy, what a link names."""
    leave(HOME / "linked" / "own.fathom")
    (HOME / "linked").symlink_to(SECRET)
    told = collect(SEGMENTS)
    tap.ok(not list(SECRET.glob("own*")), "a link of the user's is followed with the user's rights", told)
    (HOME / "linked").unlink()
    for path in SEGMENTS.glob("*.segment"):
        path.unlink()


def check_output(tap):
    leave("")
    told = collect(SEGMENTS, "-o", SECRET)
    tap.ok(told.returncode == 1 and told.stderr.count(b"\n") == 1 and f"uid {USER}".encode() in told.stderr and left(),
           "-o where the owner may not write is refused in one sentence, and nothing is lost", told)
    told = collect(SEGMENTS.name, "-o", HOME, cwd=SHM)
    tap.ok(told.returncode == 0 and not left(), "-o where the owner may write is used; the directory may be relative", told)


def check_another(tap):
    """Without root there is nobody to become."""
    leave("")
    other = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]
    told = subprocess.run([*other, str(SHM / "fathom"), "collect", str(SEGMENTS)], env=jobs.environment(SHM / "none"),
                          capture_output=True, check=False, timeout=jobs.LIMIT_S)
    tap.ok(told.returncode == 1 and b"belongs to another user" in told.stderr and told.stderr.count(b"\n") == 1 and left(),
           "other users are refused in one sentence", told)


def main():
    tap = jobs.Tap()
    users.need(tap, __file__)
    HOME.mkdir()
    os.chown(HOME, USER, USER)
    SECRET.mkdir(mode=0o700)
    for file in (jobs.LIBRARY, jobs.FATHOM):
        shutil.copy(file, SHM)
    check_own_place(tap)
    check_forbidden(tap)
    check_links(tap)
    check_output(tap)
    check_another(tap)
    tap.done()


main()
