#!/usr/bin/env python3
"""A test of pages that is interrupted leaves nothing behind: no browser, no server, no job, no temporary file."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import web
from web import jobs

MARK = "FATHOM_INTERRUPTED_TEST"
LIMIT_S = 60


def be_interrupted():
    """In a process of its own: a server, a job and a browser at the same time."""
    web.install()
    program = jobs.MPIS[0].compile("endless", "#include <mpi.h>\n#include <unistd.h>\n"
                                   "int main(void) { MPI_Init(0, 0); for (;;) pause(); }")
    folder = jobs.SCRATCH / "profiles"
    folder.mkdir()
    threading.Thread(target=jobs.run, args=(jobs.AROUND, jobs.MPIS[0], 2, [program], {MARK: os.environ[MARK]}), daemon=True).start()
    while not [pid for pid in marked() if "endless" in name_of(pid)]:
        time.sleep(0.1)
    with web.Server(folder) as server:
        web.run_node("waiting.mjs", server.enter)


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text(encoding="utf8").strip()
    except OSError:
        return ""


def marked():
    """All processes that come from the one with the mark, whatever they are the children of."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={os.environ[MARK]}".encode() in (path / "environ").read_bytes().split(b"\0") and \
                    int(path.name) != os.getpid():
                found.append(int(path.name))
        except OSError:  # it is gone, or somebody else's
            continue
    return [pid for pid in found if web.is_running(pid)]


def main():
    if MARK in os.environ:
        be_interrupted()
        return
    web.install()
    tap = jobs.Tap()
    scratch = jobs.SCRATCH / "scratch"
    for sent in (signal.SIGTERM, signal.SIGINT):
        scratch.mkdir(exist_ok=True)
        os.environ[MARK] = str(scratch)
        with subprocess.Popen([sys.executable, __file__], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "TMPDIR": str(scratch)}) as process:
            line = process.stdout.readline()
            seen = sorted(set(map(name_of, marked())))
            process.send_signal(sent)
            status = process.wait(LIMIT_S)
        tap.equal((line, status), ("waiting\n", 128 + sent), f"{sent.name}: the test ends")
        tap.ok(all(any(name.startswith(one) for name in seen) for one in ("chromium", "fathom", "endless")),
               f"{sent.name}: there was a browser, a server and a job", seen)
        limit = time.monotonic() + LIMIT_S
        while marked() and time.monotonic() < limit:  # the browser notices by itself that nobody is there
            time.sleep(0.1)
        tap.equal([name_of(pid) for pid in marked()], [], f"{sent.name}: no process is left")
        tap.equal([path.name for path in scratch.iterdir()], [], f"{sent.name}: no file is left")
        del os.environ[MARK]
    tap.done()


main()
