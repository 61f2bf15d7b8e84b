#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""fathom site doctor: says of a sound installation that it is, and of each fault what to do."""
import hashlib
import json
import os
import pathlib
import pwd
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
sys.path[:0] = [str(SOURCE / "tests/jobs"), str(SOURCE / "tests/site"), str(SOURCE / "tests/site/store")]
import jobs  # noqa: E402
import log_lines  # noqa: E402
import postgres  # noqa: E402

WORK = pathlib.Path(tempfile.mkdtemp(prefix="site-doctor-", dir="/tmp"))  # short: there are sockets in it
CONFIG = WORK / "site.conf"
KEY = "0123456789abcdef0123456789abcdef\n"
TOKENS = ["# USER TOKEN [staff]", "ann a-token-of-ann-0123", "boss a-token-of-boss-0123 staff"]
CALIBRATION = {"fathom_calibration": 1, "routines": [{"name": "MPI_Send", "latency_s": 1e-6}]}


def fathom(*words):
    return subprocess.run([str(BUILD / "fathom"), "site", *map(str, words)], capture_output=True, text=True, cwd=WORK, check=False)


def doctor(*words):
    return fathom("doctor", "--config", CONFIG, "--rsyslog", WORK / "rsyslog.d", "--plugstack", WORK / "plugstack.conf", *words)


def configure(**changes):
    keys = {"spool": WORK / "spool", "send": "syslog", "syslog_socket": WORK / "log", "log": WORK / "records.log",
            "database": f"sqlite:{WORK}/site.db", "hash_names": "on", "hash_key": WORK / "key",
            "calibration": WORK / "calibration.json", "http_tokens": WORK / "tokens", "record_spool": WORK / "records", **changes}
    CONFIG.write_text("".join(f"{key} = {value}\n" for key, value in keys.items()), encoding="utf-8")
    CONFIG.chmod(0o644)


def write_tokens(*lines, mode=0o600):
    """As the server must find them."""
    path = WORK / "tokens"
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    path.chmod(mode)
    if any(entry.pw_name == "fathom" for entry in pwd.getpwall()):
        shutil.chown(path, "fathom")


def document():
    now = time.time() - 3600
    made = json.loads(fathom("simulate", "--jobs", "1").stdout.split(" ", 1)[1])
    made["job"]["started"], made["job"]["ended"] = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now + s)) for s in (-made["job"]["wall_s"], 60))
    return json.dumps(made)


def prepare():
    """What a sound site has."""
    (WORK / "spool").mkdir()
    (WORK / "spool").chmod(0o1733)
    (WORK / "rsyslog.d").mkdir()
    (WORK / "rsyslog.d/fathom.conf").write_text('input(type="imuxsock" Socket="/run/fathom/log") # fathom\n', encoding="utf-8")
    (WORK / "plugin").mkdir()
    (WORK / "plugin/spank_fathom.so").touch()
    (WORK / "libfathom.so.0").touch()
    (WORK / "plugstack.conf").write_text(f"# a comment\noptional {WORK}/plugin/spank_fathom.so lib={WORK}/libfathom.so.0\n",
                                         encoding="utf-8")
    (WORK / "key").write_text(KEY, encoding="utf-8")
    (WORK / "key").chmod(0o600)
    (WORK / "calibration.json").write_text(json.dumps(CALIBRATION), encoding="utf-8")
    write_tokens(*TOKENS)
    (WORK / "records.log").write_text("".join(log_lines.lines(1000, document())), encoding="utf-8")
    configure()
    fathom("init", "--config", CONFIG)
    fathom("ingest", "--config", CONFIG)


def check_sound(tap):
    got = doctor()
    lines = got.stdout.splitlines()
    tap.ok(got.returncode == 0 and not got.stderr and lines[-1].endswith("0 bad"), "a sound installation", got)
    tap.ok(all(line.startswith(("ok    ", "warn  ", "bad   ", "      fix: ", "      hint: ")) for line in lines[:-1]),
           "one line per check", lines)
    for what in ("configuration", "hash_key", "http_tokens", "calibration", "switch", "library", "spool", "syslog", "slurm", "rsyslog",
                 "database", "records", "log", "refused"):
        tap.ok(any(line.startswith(f"ok    {what}:") for line in lines), "it looks at " + what, lines)
    tap.ok("1 jobs" in got.stdout and "1 record" not in got.stderr, "and counts jobs", got.stdout)
    lines = doctor("--no-database").stdout
    tap.ok("database:" not in lines and "spool:" in lines, "of a node", lines)
    lines = doctor("--no-spool").stdout
    tap.ok("database:" in lines and "spool:" not in lines and "slurm:" not in lines, "of the host of the database", lines)


def says(tap, level, begins, fix, what, *words):
    got = doctor(*words)
    lines = got.stdout.splitlines()
    found = [i for i, line in enumerate(lines) if line.startswith(f"{level:5} {begins}")]
    tap.ok(bool(found) and (not fix or fix in lines[found[0] + 1]) and got.returncode == (level == "bad"), what, got.stdout,
           got.stderr)


def check_tags(tap):
    configure(tag="x: ranks=1")
    says(tap, "bad", "tag x: 'ranks' is not a word", "correct the line", "a tag by a rule that the server does not know")
    configure()


def check_tokens(tap):
    (WORK / "tokens").unlink()
    says(tap, "bad", "http_tokens: cannot read the tokens", "fathom site token USER --staff", "no file with tokens")
    write_tokens(*TOKENS, mode=0o640)
    says(tap, "bad", "http_tokens: other users can read", "chmod 600; those who could read it", "tokens that others can read")
    write_tokens(*TOKENS, "cem")
    says(tap, "bad", f"http_tokens: {WORK}/tokens:4: a line must be 'user token'", "correct the line", "a line that is no token")
    write_tokens(*TOKENS, "cem sha256:12")
    says(tap, "bad", f"http_tokens: {WORK}/tokens:4: after sha256:", "correct the line", "a digest that is none")
    digest = hashlib.sha256(b"a-token-of-ann-0123").hexdigest()
    write_tokens(*TOKENS, f"cem sha256:{digest}")
    says(tap, "bad", f"http_tokens: ann and cem have the same token in {WORK}/tokens", "remove both", "a token of two users")
    write_tokens(*TOKENS, TOKENS[1])
    says(tap, "warn", "http_tokens: a token of ann is in", "remove one", "a token that is there twice")
    write_tokens(TOKENS[1], "ann a-second-token-of-ann")
    says(tap, "warn", f"http_tokens: 2 in {WORK}/tokens, none of the staff", "--staff", "no token of the staff")
    configure(staff="bob ann")
    says(tap, "ok", f"http_tokens: 2 in {WORK}/tokens, 2 of the staff", None, "users that the configuration names are staff")
    configure()
    write_tokens(*TOKENS)
    got = doctor("--no-database").stdout
    tap.ok("http_tokens" not in got and "a-token-of" not in doctor().stdout, "not on nodes, and no token is shown", got)


def check_config(tap):
    configure(colour="green")
    says(tap, "bad", "configuration: unknown key 'colour'", "fathom site init", "an unknown key")
    configure()
    CONFIG.chmod(0o666)
    says(tap, "bad", "configuration: others than root", "chmod", "a configuration that everybody can write")
    CONFIG.chmod(0o600)
    says(tap, "bad", "configuration: users cannot read", "chmod 644", "a configuration that nobody can read")
    configure(hash_key=WORK / "nokey")
    says(tap, "bad", f"hash_key: {WORK}/nokey", "/dev/urandom", "no key")
    configure()
    (WORK / "key").chmod(0o644)
    says(tap, "bad", "hash_key: others than root can read", "chmod 600", "a key that others can read")
    (WORK / "key").chmod(0o600)
    (WORK / "key").write_text("0123\n", encoding="utf-8")
    says(tap, "bad", "hash_key:", "/dev/urandom", "a key that is none")
    (WORK / "key").write_text(KEY, encoding="utf-8")
    (WORK / "calibration.json").write_text("{", encoding="utf-8")
    says(tap, "bad", "calibration:", "fathom calibrate", "a damaged calibration")
    (WORK / "calibration.json").unlink()
    configure(measure="off")
    says(tap, "warn", "measure: off", "measure = on", "measuring that is switched off")
    configure()


def check_spool(tap):
    spool = WORK / "spool"
    spool.chmod(0o777)
    says(tap, "bad", f"spool: {spool} has mode 777", "chmod 1733", "a spool that everybody can read")
    spool.chmod(0o1733)
    (spool / "a.fathom").touch()
    os.utime(spool / "a.fathom", (time.time() - 3 * 86400,) * 2)
    says(tap, "warn", "spool: 1 profiles wait, the oldest since 72.0 h", "fathom site send", "profiles that are not sent")
    (spool / "a.fathom").rename(spool / "a.fathom.refused")
    says(tap, "warn", "spool: 1 profiles were refused", "", "profiles that were refused")
    (spool / "a.fathom.refused").unlink()
    configure(keep=WORK / "records.log")
    says(tap, "bad", f"keep: {WORK}/records.log is no directory", "keep", "profiles that cannot be kept")
    configure(keep=WORK / "kept")
    says(tap, "warn", f"keep: {WORK}/kept", "ADMIN.md", "a directory that is made when it is needed")
    (WORK / "kept").mkdir()
    for mode, owner, level, what in ((0o775, 0, "bad", "can be written to by others"), (0o757, 0, "bad", "can be written to by others"),
                                     (0o755, 54321, "bad", "belongs neither to root nor"), (0o750, 0, "ok", "")):
        (WORK / "kept").chmod(mode)
        if os.geteuid() == 0:
            os.chown(WORK / "kept", owner, 0)
        elif owner:
            continue
        says(tap, level, f"keep: {WORK}/kept{what and ' ' + what}", "ADMIN.md" if what else "", f"a directory with mode {mode:o} of {owner}")
    configure(spool=WORK / "nowhere")
    says(tap, "bad", f"spool: {WORK}/nowhere is no directory", "fathom site init", "no spool")
    configure(send="journald", journald_socket=WORK / "nothing")
    says(tap, "bad", f"journald: {WORK}/nothing", "systemd-journald", "no journald")
    configure(send="spool")
    says(tap, "bad", "record_spool:", "1733", "no directory for records")
    configure()


def check_system(tap):
    (WORK / "plugstack.conf").write_text("#optional /x/spank_fathom.so\n", encoding="utf-8")
    says(tap, "warn", "slurm:", "ADMIN.md", "a plug-in that is not loaded")
    (WORK / "plugstack.conf").write_text(f"optional {WORK}/gone/spank_fathom.so\n", encoding="utf-8")
    says(tap, "bad", f"slurm: {WORK}/gone/spank_fathom.so", "install", "a plug-in that is not there")
    (WORK / "plugstack.conf").write_text(f"optional {WORK}/plugin/spank_fathom.so lib={WORK}/gone.so\n", encoding="utf-8")
    says(tap, "bad", f"slurm: {WORK}/gone.so", "lib=", "a library that is not there")
    (WORK / "plugstack.conf").write_text(f"optional {WORK}/plugin/spank_fathom.so\n", encoding="utf-8")
    (WORK / "rsyslog.d/fathom.conf").unlink()
    says(tap, "warn", "rsyslog: nothing", "/usr/share/fathom/site/rsyslog", "an rsyslog that knows nothing of it")


def check_store(tap):
    day = int(time.time() // 86400)
    says(tap, "warn", "records: there are none", "send", "an empty database", "--store", fresh("empty.db"))
    says(tap, "bad", "database:", "fathom site init", "no database", "--store", WORK / "none.db")
    (WORK / "text.db").write_text("this is no database" * 100, encoding="utf-8")
    says(tap, "bad", "database:", "fathom site init", "something else in its place", "--store", WORK / "text.db")
    if os.geteuid() == 0:
        os.chown(fresh("own.db"), 54321, 54321)
        says(tap, "bad", f"database: {WORK}/own.db belongs to uid 54321", "chown", "a database of somebody else", "--store",
             WORK / "own.db")
    old = fresh("old.db")
    database = sqlite3.connect(old)
    with database:
        database.execute("UPDATE fathom SET value = '1' WHERE name = 'version'")
        database.execute("INSERT INTO refused VALUES (?, 'incomplete', 500)", (day,))
    database.close()
    says(tap, "bad", "database:", "fathom site init", "the database of an older Fathom", "--store", old)
    database = sqlite3.connect(WORK / "site.db")
    with database:
        database.execute("INSERT INTO refused VALUES (?, 'incomplete', 500)", (day,))
        database.execute("UPDATE jobs SET ended = ended - 864000, started = started - 864000")
    database.close()
    says(tap, "warn", "refused: 500 incomplete", "Losses", "many records that were refused, with the reason")
    says(tap, "warn", "records: the last job ended 24", "ingest", "records that do not arrive any more")
    with open(WORK / "records.log", "ab") as log:
        log.truncate(200 << 20)
    says(tap, "warn", "log: 200.0 MiB", "fathom-ingest", "an ingest that is behind")


def fresh(name):
    fathom("init", "--config", CONFIG, "--no-spool", "--store", WORK / name)
    return WORK / name


def check_postgres(tap):
    why_not = postgres.why_not()
    if why_not:
        tap.skip("PostgreSQL", why_not)
        return
    with postgres.server() as address:
        fathom("init", "--config", CONFIG, "--no-spool", "--store", address)
        got = doctor("--store", address)
        tap.ok("ok    database: PostgreSQL" in got.stdout and "0 jobs" in got.stdout, "PostgreSQL", got)
    got = doctor("--store", address)
    tap.ok("bad   database:" in got.stdout and got.returncode == 1, "one that does not run", got)


def main():
    tap = jobs.Tap()
    try:
        prepare()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as daemon:
            daemon.bind(str(WORK / "log"))
            for check in (check_sound, check_tokens, check_config, check_spool, check_system, check_store, check_postgres):
                check(tap)
        says(tap, "bad", "syslog: nobody reads", "rsyslog", "a log daemon that has ended")
        for words in (["--no-spool", "--no-database"], ["nodes"], ["--colour"]):
            got = doctor(*words)
            tap.ok(got.returncode == 2 and got.stderr.count("\n") == 1, " ".join(words), got)
    finally:
        shutil.rmtree(WORK)
    tap.done()


if __name__ == "__main__":
    main()
