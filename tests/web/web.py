"""For tests of pages: the packages that drive a browser, profiles of real programs, and their pages."""
import atexit
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "jobs"))
import jobs  # noqa: E402

PACKAGES = jobs.BUILD / "web-tests"
LIMIT_S = 540
END_S = 15  # for what was started to end


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf8").rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children():
    return [int(pid) for path in pathlib.Path("/proc/self/task").glob("*/children")
            for pid in path.read_text(encoding="utf8").split()]


def leave(number, _frame):
    """Ends what the test has started as a user would, so that browsers, servers and jobs take their own with them."""
    started = children()
    for pid in started:
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
    limit = time.monotonic() + END_S
    while any(map(is_running, started)) and time.monotonic() < limit:
        time.sleep(0.05)
    sys.exit(128 + number)


for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(sent, leave)
atexit.register(shutil.rmtree, jobs.SCRATCH, ignore_errors=True)


def install():
    """The packages of package-lock.json into the build, once; the units of the pages as a module for node."""
    PACKAGES.mkdir(exist_ok=True)
    with open(PACKAGES / "lock", "w", encoding="utf8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = (HERE / "package-lock.json").read_bytes()
        stamp = PACKAGES / "installed"
        if not stamp.exists() or stamp.read_bytes() != wanted:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, PACKAGES / name)
            subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"],
                           cwd=PACKAGES, check=True,
                           capture_output=True, timeout=300)
            stamp.write_bytes(wanted)
        compiler = jobs.SOURCE / "web/node_modules/typescript/bin/tsc"
        subprocess.run(["node", compiler, jobs.SOURCE / "web/src/text/units.ts", "--outDir", PACKAGES, "--target", "es2022",
                        "--module", "esnext"], check=True)


def environment():
    return {**os.environ, "FATHOM_WEB_TESTS": str(PACKAGES), "FATHOM_WEB_UNITS": str(PACKAGES / "units.js")}


def run_node(script, *arguments, **more):
    """The script prints TAP itself. Returns its status."""
    return subprocess.run(["node", str(HERE / script), *map(str, arguments)], env={**environment(), **more}, check=False,
                          timeout=LIMIT_S).returncode


def fathom(*arguments):
    return subprocess.run([jobs.FATHOM, *map(str, arguments)], capture_output=True, timeout=120, check=True).stdout


def page(profile, *options):
    """The report in one file. Returns its address."""
    html = profile.with_suffix(".html")
    fathom("report", profile, "--format", "html", "-o", html, *options)
    return f"file://{html}"


def document(profile, *options):
    path = profile.with_suffix(".json")
    path.write_bytes(fathom("report", profile, "--format", "json", *options))
    return path


class Server:
    """with Server(directory) as server: ...   server.enter: the address with the token; server.at: without it."""

    def __init__(self, *places, env=None):
        self.process = subprocess.Popen([jobs.FATHOM, "serve", *map(str, places)], stdout=subprocess.PIPE, text=True,
                                        env=env)
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+\?token=(\S+)", line)
        if not found:
            raise LookupError(f"fathom serve said: {line}")
        self.enter, self.token = found.group(0), found.group(1)
        self.at = self.enter.split("?")[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)

    def get(self, path):
        request = urllib.request.Request(self.at + path, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def ids(self):
        """The identities of the profiles by file name."""
        return {pathlib.Path(p["file"]).name: p["id"] for p in self.get("api/list")["profiles"]}


class Site:
    """with Site(store, "--tokens", file) as server: ...   the server of a site; server.at: its address."""

    def __init__(self, store, *options):
        self.process = subprocess.Popen([jobs.FATHOM, "serve", "--site", str(store), "--port", str(free_port()),
                                         *map(str, options)], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+/", line)
        if not found:
            raise LookupError(f"fathom serve --site said: {line}")
        self.at = found.group(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)

    def get(self, path, token):
        request = urllib.request.Request(self.at + path, headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def plan(path, profiles):
    """What check_views.mjs reads, for profiles as {name: profile}."""
    path.write_text(json.dumps([{"name": name, "address": page(profile), "json": str(document(profile))}
                                for name, profile in profiles.items()]), encoding="utf8")
    return path
