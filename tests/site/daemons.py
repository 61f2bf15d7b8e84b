"""Daemons for tests: started in a folder of their own, stopped by their process id, nothing left behind."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

START_S = 30


class NotStarted(Exception):
    """A daemon that did not come up; the text has its output."""


def missing(*programs):
    """Why a test that needs root and these programs cannot run here; None if it can."""
    if os.geteuid() != 0:
        return "it needs root"
    lost = [name for name in programs if not find(name)]
    return f"{', '.join(lost)} not found" if lost else None


def find(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/lib/systemd:/lib/systemd")


def free_port():
    """Of the loopback interface. Another program may take it before it is used: start with a new one then."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(condition, seconds=START_S, pause=0.05):
    """Whether condition() became true within that time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(pause)
    return True


def processes_of(folder):
    """Process ids of those that have the folder in their command line or environment."""
    found, word = [], os.fsencode(folder)
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and int(entry) != os.getpid() and any(
                    word in pathlib.Path(f"/proc/{entry}/{name}").read_bytes() for name in ("cmdline", "environ")):
                found.append(int(entry))
        except OSError:
            pass
    return found


class Daemons:
    """A folder that every user can reach, with the daemons that work in it."""

    interrupted = False  # all of this process

    def __init__(self, name):
        # short, and not below TMPDIR: unix sockets have short names, and other users must get there
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"fathom-{name}-", dir="/tmp"))
        self.folder.chmod(0o755)
        self.running = []
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.interrupt)

    def interrupt(self, number, _frame):
        """Whoever ends a test has it end its daemons, which have sessions of their own; tests/run waits a few seconds for
        that."""
        Daemons.interrupted = True
        sys.exit(128 + number)

    def start(self, name, command, env=None):
        log = open(self.folder / f"{name}.out", "ab")
        # a test that is killed cannot end them
        words = ["setpriv", "--pdeathsig", "KILL", *map(str, command)]
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, cwd=self.folder,
                                   start_new_session=True)
        log.close()
        self.running.append((name, process))
        return process

    def log(self, name):
        path = self.folder / f"{name}.out"
        return path.read_text(errors="replace") if path.exists() else ""

    def await_start(self, name, process, condition):
        """Waits until the daemon is up; NotStarted if it ends before or takes too long."""
        if not wait_for(lambda: process.poll() is not None or condition()) or process.poll() is not None:
            raise NotStarted(f"{name} did not start:\n{self.log(name)}")

    def end(self, process):
        for number in (signal.SIGTERM, signal.SIGKILL) if not self.interrupted else (signal.SIGKILL,):
            try:
                process.send_signal(number)
                process.wait(10)
                break
            except subprocess.TimeoutExpired:
                pass
        self.running = [(name, other) for name, other in self.running if other is not process]

    def stop(self):
        """Ends all, the last one first, then what they left; removes the folder."""
        for _, process in reversed(list(self.running)):
            self.end(process)
        for pid in processes_of(str(self.folder)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.folder, ignore_errors=True)


def as_user(uid, command):
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", *map(str, command)]
