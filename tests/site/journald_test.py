#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Messages of users through a real journald: the _UID of each entry is the sender's, whatever the message says."""
import pathlib
import pwd
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import daemons
import jobs
import journald
import log_lines

USER = pwd.getpwnam("nobody").pw_uid
MANY = 2000
SEND = """
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect(sys.argv[1])
for line in sys.stdin.buffer.read().split(b"\\xfe"):
    s.send(line)
"""
# What does not fit into a datagram is given in a sealed file.
SEND_LARGE = """
import array, fcntl, os, socket, sys
name, n = sys.argv[2].encode(), 24 << 20
file = os.memfd_create("entry", os.MFD_ALLOW_SEALING)
os.write(file, b"SYSLOG_IDENTIFIER=fathom\\n" + name + b"\\n" + n.to_bytes(8, "little") + b"\\xff" * n + b"\\nNUMBER=1\\n")
fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect(sys.argv[1])
s.sendmsg([], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file]))])
"""
RECORD = {"fathom": 1, "job": {"key": "0f" * 16, "started": "2026-11-18T10:00:00Z", "ended": "2026-11-18T10:01:00Z"}}


def send(path, messages, uid=USER):
    subprocess.run(daemons.as_user(uid, ["/usr/bin/python3", "-c", SEND, path]), input=b"\xfe".join(messages), check=True)


def entries(daemon, number):
    """(text, uid, pid) of the entries of fathom, after at least this many are there."""
    def read():
        return daemon.entries("SYSLOG_IDENTIFIER=fathom")
    daemons.wait_for(lambda: len(read()) >= number, 20, 0.2)
    return [(entry["MESSAGE"], int(entry["_UID"]), int(entry["_PID"])) for entry in read()]


def fathom(*words, prefix=()):
    return subprocess.run([*prefix, jobs.FATHOM, "site", *map(str, words)], capture_output=True, text=True, check=False)


def large_entries(tap, daemon):
    """A user logs what is too large to be read as a whole. It must not hold up the records behind it."""
    store, before = daemon.folder / "site.db", len(daemon.entries("SYSLOG_IDENTIFIER=fathom"))
    for name in ("MESSAGE", "OTHER"):
        subprocess.run(daemons.as_user(USER, ["/usr/bin/python3", "-c", SEND_LARGE, daemon.socket, name]), check=True)
    send(daemon.socket, [f"MESSAGE={chunk}\nSYSLOG_IDENTIFIER=fathom\n".encode() for chunk in log_lines.chunks(RECORD)])
    there = daemons.wait_for(lambda: len(daemon.entries("SYSLOG_IDENTIFIER=fathom", "--output-fields=_UID")) == before + 3)
    made = fathom("init", "--no-spool", "--store", store, "--config", daemon.folder / "site.conf")
    read = fathom("ingest", "--journal-directory", daemon.journal, "--store", store, "--config", daemon.folder / "site.conf",
                  prefix=["prlimit", "--as=500000000"])
    tap.ok(there and read.returncode == 0 and ": 1 added" in read.stdout, "entries of many megabytes are refused, and reading goes on",
           made, read)


def main():
    tap = jobs.Tap()
    why = journald.unavailable()
    if why:
        tap.skip("records through journald", why)
        tap.done()
    with journald.Journald() as daemon:
        native = [b"MESSAGE=native\nSYSLOG_IDENTIFIER=fathom\n", b"_UID=0\n_PID=1\nMESSAGE=forged\nSYSLOG_IDENTIFIER=fathom\n",
                  b"MESSAGE\n" + (12).to_bytes(8, "little") + b"two\n_UID=0\n\n\nSYSLOG_IDENTIFIER=fathom\n_UID=0\n"]
        send(daemon.socket, native)
        found = entries(daemon, 3)
        tap.equal([text for text, _, _ in found], ["native", "forged", "two\n_UID=0\n\n"], "journald's own protocol: the texts")
        tap.equal({uid for _, uid, _ in found}, {USER}, "the uid is the sender's")
        tap.ok(all(pid > 1 for _, _, pid in found), "and so is the pid", found)
        send(daemon.syslog, [b"<14>Nov 18 00:00:00 fathom: by syslog", b"<14>fathom[1]: _UID=0 forged"])
        found = entries(daemon, 5)[3:]
        tap.equal([(text, uid) for text, uid, _ in found], [("by syslog", USER), ("_UID=0 forged", USER)],
                  "the same through /dev/log")
        send(daemon.socket, [b"MESSAGE=as root\nSYSLOG_IDENTIFIER=fathom\n"], 0)
        tap.equal(entries(daemon, 6)[-1][:2], ("as root", 0), "a message of root")
        send(daemon.socket, [b"MESSAGE=number %d\nSYSLOG_IDENTIFIER=fathom\n" % i for i in range(MANY)])
        tap.equal(len(entries(daemon, 6 + MANY)), 6 + MANY, f"{MANY} messages at once: none is lost")
        large_entries(tap, daemon)
    tap.equal(daemons.processes_of(str(daemon.folder)), [], "no process is left")
    tap.done()


main()
