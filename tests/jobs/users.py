"""A second user of the node, for tests as root: a number is enough, nobody needs to know it by name."""
import os
import subprocess
import sys

USER = 12345
# The directories above that of a test are root's alone: another user needs help to reach what is in there.
REACHING = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
ALONE = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
AS_USER = [*ALONE, *REACHING]


def as_user(*words):
    subprocess.run([*AS_USER, *map(str, words)], check=True)


def have_own_mounts(file):
    """Whether this test has mounts that nobody else sees; it is started anew with them where that can be."""
    if os.environ.get("FATHOM_TEST_ALONE") == file:
        return True
    if os.getuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode != 0:
        return False
    os.environ["FATHOM_TEST_ALONE"] = file
    os.execvp("unshare", ["unshare", "--mount", sys.executable, file])


def need(tap, file):
    """A /dev/shm that nobody else sees, where users can reach what they are given; ends the test where there can be no
    second user, or no mounts of its own."""
    if not have_own_mounts(file):
        tap.skip("other users", "needs root, and mounts of its own")
        tap.done()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "none", "/dev/shm"], check=True)
