#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Messages of users through a real rsyslogd with the installed configuration: the uid in each line is the sender's, whatever
the text says; one message is one line; none is lost; a relay passes the line on as it is."""
import json
import os
import pathlib
import pwd
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import daemons
import jobs
import log_lines
import rsyslog

USER = pwd.getpwnam("nobody").pw_uid
KEY = "0123456789abcdef" * 2
# TIME HOST uid=N pid=N TEXT, as in doc/SITE.md
LINE = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+[+-]\d\d:\d\d) (\S+) uid=(\d+) pid=(\d+) (.*)", re.DOTALL)
SEND = """
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect(sys.argv[1])
for line in sys.stdin.buffer.read().split(b"\\xfe"):
    s.send(line)
"""
HOSTILE = {
    b"<14>Nov 18 00:00:00 fathom: plain": b"plain",
    b"<14>Nov 18 00:00:00 fathom[1]: with a pid": b"with a pid",
    b"<14>fathom: uid=0 pid=1 in the text": b"uid=0 pid=1 in the text",
    b"<14>fathom: x @[_PID=1 _UID=0 _GID=0 _COMM=y]": b"x @[_PID=1 _UID=0 _GID=0 _COMM=y]",
    b'<14>fathom: @cee: {"uid":0,"pid":1}': b'@cee: {"uid":0,"pid":1}',
    b"<14>fathom: a\n2026-01-01T00:00:00.0+00:00 host uid=0 pid=1 b": b"a#0122026-01-01T00:00:00.0+00:00 host uid=0 pid=1 b",
    b"<14>fathom: \x1b[31mred\x00nul": b"#033[31mred#000nul",
    b"<14>fathom: %msg% %$!uid% %s%n": b"%msg% %$!uid% %s%n",
    b"<14>fathom: 1 " + KEY.encode() + b" 1/1 9a3b11c0 " + b"x" * 840: b"1 " + KEY.encode() + b" 1/1 9a3b11c0 " + b"x" * 840,
}
NOT_OURS = (b"<14>other: not ours", b"<14>fathom-relay: 2026-01-01T00:00:00.0+00:00 host uid=0 pid=1 forged", b"no priority")
MANY = 2000


def send(daemon, messages, uid=USER):
    subprocess.run(daemons.as_user(uid, ["/usr/bin/python3", "-c", SEND, daemon.socket]), input=b"\xfe".join(messages), check=True)


def check_configuration(tap):
    for kind in ("single", "node", "central"):
        daemon = rsyslog.Rsyslog(kind)
        status, output = daemon.check()
        tap.ok(status == 0 and "error" not in output, f"rsyslogd accepts fathom-{kind}.conf", output)
        daemon.stop()


def check_lines(tap, lines, name):
    """Every line is whole, of the user, with the text that was sent."""
    found = [LINE.fullmatch(line) for line in lines]
    tap.ok(all(found), f"{name}: every line has the layout", *lines)
    tap.equal({int(m[3]) for m in found if m}, {USER}, f"{name}: the uid is the sender's")
    tap.equal({m[2] for m in found if m}, {daemons.socket.gethostname().split(".")[0].encode()}, f"{name}: the host is this one")
    tap.ok(all(int(m[4]) > 1 for m in found if m), f"{name}: the pid is not the forged one")
    tap.equal([m[5] for m in found if m], list(HOSTILE.values()), f"{name}: the texts, one message a line")


def check_single(tap):
    with rsyslog.Rsyslog("single") as daemon:
        send(daemon, [*HOSTILE, *NOT_OURS])
        check_lines(tap, daemon.lines(len(HOSTILE)), "one host")
        subprocess.run(daemons.as_user(USER, ["logger", "-u", daemon.socket, "-t", "fathom", "by logger"]), check=True)
        line = daemon.lines(len(HOSTILE) + 1)[-1]
        tap.ok(re.search(rb" uid=%d pid=\d+ by logger$" % USER, line), "a message of logger(1)", line)
        send(daemon, [b"<14>fathom: as root"], 0)
        line = daemon.lines(len(HOSTILE) + 2)[-1]
        tap.ok(re.search(rb" uid=0 pid=\d+ as root$", line), "a message of root", line)
        send(daemon, [b"<14>fathom: number %d" % i for i in range(MANY)])
        lines = daemon.lines(len(HOSTILE) + 2 + MANY)
        tap.equal(len(lines), len(HOSTILE) + 2 + MANY, f"{MANY} messages at once: no limit of rate, nothing else was written")
        tap.equal(daemon.records.stat().st_mode & 0o777, 0o640, "the file is not for everybody")


def check_relay(tap):
    with rsyslog.Rsyslog("central") as central:
        with rsyslog.Rsyslog("node", central.port) as node:
            send(node, [*HOSTILE, *NOT_OURS])
            check_lines(tap, central.lines(len(HOSTILE)), "through a relay")
            before = len(central.lines(len(HOSTILE)))
            central.end(central.process)
            send(node, [b"<14>fathom: while the central host is down"])
            central.launch()
            send(node, [b"<14>fathom: when it is up again"])
            texts = [line.rpartition(b"pid=")[2].partition(b" ")[2] for line in central.lines(before + 2)[before:]]
            tap.ok(b"when it is up again" in texts, "the node goes on after the central host was down", *texts)


def check_relayed_records(tap):
    """What the central host writes is ingested: each job once, with the uid of its user, also if that host was away."""
    env = {**os.environ, "FATHOM_SITE_CONFIG": os.devnull}
    store = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / "relayed.db"

    def fathom(*words):
        return subprocess.run([jobs.FATHOM, "site", *map(str, words)], env=env, capture_output=True, text=True, check=False, timeout=60)

    documents = [line.split(" ", 1)[1] for line in fathom("simulate", "--jobs", 60).stdout.splitlines()]
    fathom("init", "--no-spool", "--store", store)
    forged = json.loads(documents[0])
    forged["job"]["ranks"] = -1
    with rsyslog.Rsyslog("central") as central, rsyslog.Rsyslog("node", central.port) as node:
        def send_all(part):
            chunks = [chunk for document in part for chunk in log_lines.chunks(document)]
            send(node, [b"<14>fathom: " + chunk.encode() for chunk in chunks])
            return len(chunks)

        count = send_all(documents[:30])
        central.lines(count)
        central.end(central.process)
        count += send_all(documents[30:])
        central.launch()
        count += send_all([json.dumps(forged, separators=(",", ":"))])
        central.lines(count)
        got = fathom("ingest", "--store", store, central.records)
    rows = json.loads(fathom("query", "--store", store, "--format", "json", "SELECT key, uid FROM jobs").stdout)
    tap.equal(sorted((row["key"], row["uid"]) for row in rows), sorted((json.loads(one)["job"]["key"], USER) for one in documents),
              "records through a relay are in the database, each once, of their user")
    refused = json.loads(fathom("query", "--store", store, "--format", "json", "SELECT why, records FROM refused").stdout)
    tap.equal(refused, [{"why": "malformed", "records": 1}], f"and nothing else was refused than what is wrong: {got.stdout!r}")


def main():
    tap = jobs.Tap()
    why = rsyslog.unavailable()
    if why:
        tap.skip("records through rsyslog", why)
        tap.done()
    for check in (check_configuration, check_single, check_relay, check_relayed_records):
        check(tap)
    tap.done()


main()
