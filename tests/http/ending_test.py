#!/usr/bin/env python3
"""fathom serve ends when it is told to, and with its session; and says in one sentence why it cannot begin."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import serving
from serving import jobs


def is_gone(pid):
    limit = time.monotonic() + serving.LIMIT_S
    while time.monotonic() < limit:
        try:
            os.kill(pid, 0)
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            if state == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def is_closed(connection):
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_signals(tap, folder):
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        with serving.Server(folder) as server:
            waiting = server.connect()  # an open connection does not keep it
            tap.equal((server.end(getattr(signal, name)), server.process.stderr.read()), (0, ""), f"{name} ends it well")
            tap.ok(is_closed(waiting), f"{name}: connections are closed")
            waiting.close()
    with serving.Server(folder, prefix=["nohup"]) as server:
        tap.equal(server.end(signal.SIGHUP), 0, "SIGHUP ends it even under nohup")
    with serving.Server(folder) as server:
        known = [row["id"] for row in server.profiles().values()]
        connections = [server.connect() for _ in range(20)]
        for i, connection in enumerate(connections):
            connection.sendall(server.text(f"/api/profile/{known[i % len(known)]}/mpi") * 5)
        tap.equal(server.end(), 0, "while it answers, too")
        for connection in connections:
            connection.close()


def test_session(tap, folder):
    """The shell starts a server in the background and ends: nobody is sent a signal."""
    segments = tempfile.mkdtemp(dir=jobs.SCRATCH)
    for name, prefix in {"in the background": "", "under nohup": "nohup "}.items():
        shell = subprocess.Popen(["sh", "-c", f"{prefix}{jobs.FATHOM} serve {folder} 2>&1 & echo $!; read enough"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
                                 env=jobs.environment(segments))
        pid = int(shell.stdout.readline())
        while "Serving at" not in (line := shell.stdout.readline()):
            assert line
        tap.ok(os.path.exists(f"/proc/{pid}"), f"{name}: the server runs")
        shell.stdin.write("\n")
        shell.stdin.flush()
        shell.wait()
        tap.ok(is_gone(pid), f"{name}: it ends with the session")


def test_terminal(tap, folder):
    """A terminal that goes away, as at the end of an ssh session."""
    leader, terminal = os.openpty()
    process = subprocess.Popen(["setsid", "-c", jobs.FATHOM, "serve", folder], stdin=terminal, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, env=jobs.environment(tempfile.mkdtemp(dir=jobs.SCRATCH)))
    os.close(terminal)
    line = process.stdout.readline()
    os.close(leader)
    try:
        status = process.wait(serving.LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        status = "no end"
    tap.equal((line[:11], status), ("Serving at ", 0), "it ends with its terminal")


def test_messages(tap, folder):
    def fails(*words, cwd=None, prefix=()):
        got = subprocess.run([*prefix, jobs.FATHOM, "serve", *map(str, words)], capture_output=True, text=True, check=False, cwd=cwd,
                             env=jobs.environment(tempfile.mkdtemp(dir=jobs.SCRATCH)), timeout=serving.LIMIT_S)
        return got.returncode, got.stderr, got.stdout

    empty = tempfile.mkdtemp(dir=jobs.SCRATCH)
    with serving.Server(folder) as server:
        status, text, out = fails(folder, "--port", server.port)
        tap.ok(status == 1 and text.count("\n") == 1 and f"port {server.port} is used by another program" in text and not out,
               "a port that is taken", text)
    port = server.port
    with serving.Server(folder, "--port", port) as server:
        tap.equal((server.port, server.ask("/api/list").status), (port, 200), "and then it is free again")
    with serving.Server(empty) as server:
        tap.equal(server.profiles(), {}, "an empty directory that was named: profiles may come later")
        shutil.copy(folder / "plain-mpich.fathom", empty)
        while not server.profiles():
            pass
        tap.equal(list(server.profiles()), ["plain-mpich.fathom"], "and are found then")
    empty = tempfile.mkdtemp(dir=jobs.SCRATCH)
    for name, words, wanted in (("no such directory", ["nothing/"], "nothing/"),
                                ("no such file", ["nothing.fathom"], "nothing.fathom"),
                                ("not a profile", [__file__], "not a Fathom profile"),
                                ("no module file", [folder, "--modules", "nothing"], "nothing")):
        status, text, out = fails(*words)
        tap.ok(status == 1 and text.count("\n") == 1 and wanted in text and text.startswith("fathom serve: ") and not out,
               f"{name}: one sentence", status, text)
    alone = ["unshare", "--pid", "--fork", "--mount-proc"]  # other tests may have MPI jobs
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode == 0:
        status, text, _ = fails(cwd=empty, prefix=alone)
        tap.ok(status == 1 and "this directory" in text, "no profile in this directory", text)
    else:
        tap.skip("no profile in this directory", "needs a pid namespace of its own")
    for words in (["--port", "0"], ["--port", "65536"], ["--port", "x"], ["--port", "1", "--socket", "s"], ["-o", "x"], ["--x"]):
        status, text, _ = fails(folder, *words)
        tap.ok(status == 2 and text.count("\n") == 1, f"wrong: {' '.join(words)}", text)
    status, _, out = fails("--help")
    tap.ok(status == 0 and out.startswith("fathom serve ["), "help", out)


def main():
    tap = jobs.Tap()
    folder = serving.old_profiles()
    test_signals(tap, folder)
    test_session(tap, folder)
    test_terminal(tap, folder)
    test_messages(tap, folder)
    tap.done()


if __name__ == "__main__":
    main()
