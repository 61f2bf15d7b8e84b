# SPDX-License-Identifier: BSD-3-Clause
"""A PostgreSQL server for a test: in a folder of its own, on a unix socket there alone, stopped at the end."""
import contextlib
import glob
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time


def programs():
    """The directory of initdb and postgres, or None."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb")) or [shutil.which("initdb") or ""]
    return pathlib.Path(found[-1]).parent if found[-1] else None


def unprivileged():
    """What to put before a command so that it does not run as root; PostgreSQL refuses that. None: not possible."""
    if os.getuid() != 0:
        return []
    try:
        user = pwd.getpwnam("postgres")
    except KeyError:
        return None
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]


def why_not():
    """Why there can be no server here, or None."""
    if not programs():
        return "PostgreSQL is not installed"
    if unprivileged() is None:
        return "there is no user postgres, and root cannot run PostgreSQL"
    return None


def _wait_until_ready(server, folder):
    for _ in range(1200):
        ready = subprocess.run([programs() / "pg_isready", "-q", "-h", folder], check=False)
        if ready.returncode == 0:
            return
        if server.poll() is not None:
            break
        time.sleep(0.05)
    raise RuntimeError((pathlib.Path(folder) / "log").read_text(errors="replace"))


@contextlib.contextmanager
def server(durable=False):
    """Yields the address of a database that does not exist yet. Without `durable`, what it writes is lost with the machine."""
    # not in TMPDIR: the path of a socket must be short, and another user must get there
    folder = tempfile.mkdtemp(prefix="fathom-postgres-", dir="/tmp")
    prefix = unprivileged()
    try:
        if prefix:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        os.chmod(folder, 0o755)
        subprocess.run(prefix + [programs() / "initdb", "-D", f"{folder}/data", "-U", "fathom", "-A", "trust", "-E",
                                 "UTF8", "--no-sync", "--locale=C"],
                       check=True, stdout=subprocess.DEVNULL, cwd=folder)
        with open(f"{folder}/log", "wb") as log:
            process = subprocess.Popen(
                prefix + [programs() / "postgres", "-D", f"{folder}/data", "-k", folder, "-c", "listen_addresses=",
                          "-c", f"fsync={'on' if durable else 'off'}", "-c", "max_locks_per_transaction=256"],
                stdout=log, stderr=log, cwd=folder)
        try:
            _wait_until_ready(process, folder)
            yield f"postgresql://fathom@/site?host={folder}"
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
