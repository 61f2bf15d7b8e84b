"""A copy of /etc that only a test sees: in a mount namespace of its own."""
import os
import pathlib
import shutil
import subprocess

import jobs


def unavailable():
    """Why there can be none; None if there can."""
    if os.geteuid() != 0:
        return "only root may change what is mounted"
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        return "this system allows no mount namespace"
    return None


class Etc:
    """`files`: path below /etc -> text. words: put in front of a command, they run it with that copy."""

    def __init__(self, name, files):
        self.folder = jobs.SCRATCH / f"etc-{name}"
        shutil.copytree("/etc", self.folder, symlinks=True, ignore_dangling_symlinks=True)
        for path, text in files.items():
            (self.folder / path).parent.mkdir(exist_ok=True)
            (self.folder / path).write_text(text)
        self.words = ["unshare", "--mount", "sh", "-c", f"mount --bind '{self.folder}' /etc && exec \"$@\"", "sh"]

    def __contains__(self, path):
        return (self.folder / path).exists()

    def put(self, path):
        (self.folder / path).parent.mkdir(exist_ok=True)
        (self.folder / path).touch()

    def remove(self, path):
        (self.folder / path).unlink(missing_ok=True)


def below(path):
    """The path below /etc; None if it is elsewhere."""
    return str(pathlib.Path(path).relative_to("/etc")) if pathlib.Path("/etc") in pathlib.Path(path).parents else None
