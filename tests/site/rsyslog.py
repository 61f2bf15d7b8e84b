"""rsyslog for tests: Debian's own rsyslogd with the configuration files of examples/site/rsyslog, in a folder of its own, on a
socket and a port of its own. Needs root, as only root gets the credentials of other users' messages."""
import os
import pathlib
import re
import subprocess

import daemons

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parent.parent.parent))
EXAMPLES = SOURCE / "examples" / "site" / "rsyslog"


def unavailable():
    """Why rsyslog cannot be started here; None if it can."""
    return daemons.missing("rsyslogd", "logger", "setpriv")


class Rsyslog(daemons.Daemons):
    """kind: "single", "node" (sends to `port`) or "central" (listens there). `socket` is what programs write to, `records` the
    file that is written."""

    def __init__(self, kind="single", port=None):
        super().__init__("rsyslog")
        self.kind, self.port = kind, port or daemons.free_port()
        self.socket, self.records = self.folder / "run" / "log", self.folder / "out" / "records.log"
        self.configuration = self.folder / "rsyslog.conf"
        text = (EXAMPLES / f"fathom-{kind}.conf").read_text()
        for pattern, to in (("/run/fathom/log", str(self.socket)), ("/var/log/fathom/records.log", str(self.records)),
                            (r'fileGroup="fathom" dirGroup="fathom"', ""), (r'port="10514"', f'port="{self.port}"'),
                            (r'target="central.example.org"', 'target="127.0.0.1"'),
                            (r'action.resumeInterval="10"', 'action.resumeInterval="1"')):
            text = re.sub(pattern, to, text)
        # as Debian's /etc/rsyslog.conf, without the system's own socket
        self.configuration.write_text('module(load="imuxsock" SysSock.Use="off")\n'
                                      f'global(workDirectory="{self.folder}")\n{text}')

    def check(self):
        """`rsyslogd -N1`: (status, output)."""
        done = subprocess.run([daemons.find("rsyslogd"), "-N1", "-f", self.configuration], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr

    def is_up(self):
        if self.kind != "central":
            return self.socket.exists()
        try:
            daemons.socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except OSError:
            return False

    def __enter__(self):
        try:
            self.launch()
        except BaseException:
            self.stop()
            raise
        return self

    def launch(self):
        self.process = self.start("rsyslogd", [daemons.find("rsyslogd"), "-n", "-iNONE", "-f", self.configuration])
        self.await_start("rsyslogd", self.process, self.is_up)

    def __exit__(self, *unused):
        self.stop()

    def lines(self, number):
        """The lines of the file, after at least this many are in it."""
        def read():
            return self.records.read_bytes().split(b"\n")[:-1] if self.records.exists() else []
        daemons.wait_for(lambda: len(read()) >= number, 20)
        return read()
