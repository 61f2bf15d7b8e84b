#!/usr/bin/env python3
"""The text of source lines is shown from regular files that the owner of the profile could read, and from no others: the
debug information of a program may name any file."""
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
HOME, SECRET, NAMED = SHM / "home", SHM / "secret", SHM / "home" / "source" / "named.c"
TEXT = "hunter2 = 42;\n"
PROGRAM = f"""
int main(void)
{{
    volatile double x = 1;
#line 1 "{NAMED}"
    for (long i = 0; i < 150000000; i++) x = x * 0.5 + 1;
}}
"""


def profile_of(prefix, name):
    """Made by this user, who then owns it."""
    path = HOME / name
    subprocess.run([*prefix, str(SHM / "fathom"), "run", "--sample", "1000", "--quiet", "-o", str(path), "--",
                    str(SHM / "program")], env=jobs.environment(HOME / f"segments-{name}"), cwd=HOME, check=True)
    return path


def shown(profile, prefix=(), home=SHM / "none"):
    """Whether the text of the line is in the report."""
    told = subprocess.run([*prefix, str(SHM / "fathom"), "report", "--view", "calls", str(profile)], check=True,
                          env=jobs.environment(SHM / "none", {"HOME": str(home), "XDG_CACHE_HOME": None}),
                          capture_output=True, text=True)
    if "named.c:1" not in told.stdout:
        raise LookupError(f"the line is not in the report: {told.stdout}")
    return "hunter2" in told.stdout


def replace(make):
    """What lies where the source should be."""
    parent = NAMED.parent
    if parent.is_symlink():
        parent.unlink()
    shutil.rmtree(parent, ignore_errors=True)
    make(parent)


def readable(parent):
    parent.mkdir()
    NAMED.write_text(TEXT, encoding="utf-8")


def closed(parent):
    readable(parent)
    NAMED.chmod(0o600)


def in_closed(parent):
    readable(parent)
    parent.chmod(0o700)


def link(parent):
    parent.mkdir()
    NAMED.symlink_to(SECRET / "named.c")


def link_to_readable(parent):
    parent.mkdir()
    NAMED.symlink_to(SHM / "open" / "named.c")


def directory_link(parent):
    parent.symlink_to(SECRET)


def readable_directory_link(parent):
    parent.symlink_to(SHM / "open")


def pipe(parent):
    parent.mkdir()
    os.mkfifo(NAMED)


def check_cache(tap, profile):
    """sudo may keep the user's HOME: what root remembers of symbols does not go where links in it lead."""
    home = SHM / "sudo"
    home.mkdir()
    (home / ".cache").symlink_to(SECRET)
    os.chown(home, USER, USER)
    shown(profile, home=home)
    tap.equal(sorted(path.name for path in SECRET.iterdir()), ["named.c"], "root keeps no cache in a user's home")


OTHER = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]
CASES = ((readable, True, "a file that all may read"),
         (closed, False, "a file of root's alone"),
         (in_closed, False, "a file in a directory of root's alone"),
         (link, False, "a link to such a file"),
         (link_to_readable, False, "a link, wherever it leads"),
         (directory_link, False, "a directory that is a link to one of root's alone"),
         (readable_directory_link, True, "a directory that is a link to one open to all"),
         (pipe, False, "a pipe"))


def main():
    tap = jobs.Tap()
    users.need(tap, __file__)
    HOME.mkdir(mode=0o777)
    HOME.chmod(0o777)
    for path, mode in ((SECRET, 0o700), (SHM / "open", 0o755)):
        path.mkdir(mode=mode)
        (path / "named.c").write_text(TEXT, encoding="utf-8")
    for file in (jobs.LIBRARY, jobs.FATHOM, jobs.compile_plain("program", PROGRAM, "-Wl,--build-id")):
        shutil.copy(file, SHM)
    theirs, own = profile_of(ALONE, "theirs.fathom"), profile_of([], "own.fathom")
    theirs.chmod(0o644)
    own.chmod(0o644)
    for make, wanted, what in CASES:
        replace(make)
        tap.equal(shown(theirs), wanted, f"root looks at a user's profile: {what} is {'' if wanted else 'not '}shown")
        tap.equal(shown(theirs, OTHER), wanted, f"another user looks at it: {what} is {'' if wanted else 'not '}shown")
        shows = make not in (link, link_to_readable, pipe)
        tap.equal(shown(own), shows, f"root looks at root's: {what} is {'' if shows else 'not '}shown")
    replace(readable)
    os.chown(NAMED, 54321, 54321)
    NAMED.chmod(0o600)
    tap.equal(shown(theirs, OTHER), False, "what is the viewer's alone is not shown in another user's profile")
    check_cache(tap, theirs)
    tap.done()


main()
