"""journald for tests: Debian's own systemd-journald, in a mount namespace in which /run is a folder of the test. Its sockets
can be reached from outside, and its journal lies in memory of nobody else. Needs root; no systemd has to run."""
import json
import pathlib
import subprocess

import daemons

CONFIGURATION = pathlib.Path("/etc/systemd/journald.conf")
SETTINGS = """[Journal]
Storage=volatile
ReadKMsg=no
Audit=no
ForwardToSyslog=no
ForwardToWall=no
RateLimitIntervalSec=0
"""


def unavailable():
    """Why journald cannot be started here; None if it can."""
    lost = [str(path) for path in (CONFIGURATION, pathlib.Path("/etc/machine-id")) if not path.exists()]
    if lost:
        return f"{lost[0]} is missing"
    why = daemons.missing("systemd-journald", "journalctl", "unshare", "setpriv")
    if not why and subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        why = "this system allows no mount namespace"
    return why


class Journald(daemons.Daemons):
    """`socket`: journald's own protocol; `syslog`: what /dev/log is elsewhere; `journal`: the directory for journalctl -D."""

    def __init__(self):
        super().__init__("journald")
        run = self.folder / "run"
        self.sockets = run / "systemd" / "journal"
        self.sockets.mkdir(parents=True)
        self.socket, self.syslog, self.journal = self.sockets / "socket", self.sockets / "dev-log", run / "log" / "journal"
        (self.folder / "journald.conf").write_text(SETTINGS)

    def __enter__(self):
        command = (f"mount --bind {self.folder}/run /run && mount --bind {self.folder}/journald.conf {CONFIGURATION} && "
                   f"exec {daemons.find('systemd-journald')}")
        try:
            self.process = self.start("journald", ["unshare", "--mount", "sh", "-c", command])
            self.await_start("journald", self.process, lambda: self.syslog.exists() and list(self.journal.glob("*/*.journal")))
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *unused):
        self.stop()

    def entries(self, *matches):
        """The entries with these fields, as journalctl prints them in JSON."""
        done = subprocess.run(["journalctl", "-D", self.journal, "--no-pager", "-o", "json", "--all", *matches],
                              capture_output=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]
