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


def need(tap):
    """Ends the test where there can be no second user."""
    if os.getuid() != 0:
        tap.skip("other users", "there is but one without root")
        tap.done()


def with_own_shared_memory(file):
    """Starts the test anew with a /dev/shm that nobody else sees, where users can reach what they are given."""
    if os.environ.get("FATHOM_TEST_ALONE") == file or os.getuid() != 0:
        return
    os.environ["FATHOM_TEST_ALONE"] = file
    mount = 'mount -t tmpfs -o mode=1777 none /dev/shm && exec "$@"'
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", "sh", "-c", mount, "sh", sys.executable, file])
