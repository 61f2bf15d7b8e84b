#!/usr/bin/env python3
"""fathom site ingest: every record of a log is in the database once, whatever else is in the log and whenever it dies."""
import collections
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
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

WORK = pathlib.Path(tempfile.mkdtemp(prefix="ingest-", dir=os.environ.get("TMPDIR")))
KILLS = int(os.environ.get("KILLS", "25"))


# not the machine's own configuration
os.environ["FATHOM_SITE_CONFIG"] = str(WORK / "site.conf")


def fathom(*words):
    return subprocess.run([str(BUILD / "fathom"), "site", *words], capture_output=True, text=True, cwd=WORK, check=False)


def records(n, seed=1):
    made = fathom("simulate", "--jobs", str(n), "--seed", str(seed))
    return [(int(uid), text) for uid, text in (line.split(" ", 1) for line in made.stdout.splitlines())]


class Site:
    """A database with a log."""

    def __init__(self, name, server=None):
        """server: address of a database of PostgreSQL, in whose place this one is made."""
        self.log, self.store = WORK / (name + ".log"), str(WORK / (name + ".db"))
        if server:
            self.log, self.store = WORK / (name + ".postgres.log"), server.replace("/site?", f"/{name}?")
        self.made = fathom("init", "--no-spool", "--store", self.store)
        self.log.touch()

    def write(self, *lines):
        with open(self.log, "a", encoding="utf-8", newline="") as log:
            log.writelines(lines)

    def ingest(self, *words):
        return fathom("ingest", "--store", self.store, *words, str(self.log))

    def ask(self, sql):
        if self.store.startswith("postgresql:"):
            return [tuple(row.values()) for row in
                    json.loads(fathom("query", "--store", self.store, "--format", "json", sql).stdout)]
        database = sqlite3.connect(self.store)
        rows = database.execute(sql).fetchall()
        database.close()
        return rows

    def jobs(self):
        return collections.Counter(key for key, in self.ask("SELECT key FROM jobs"))

    def refused(self):
        return dict(self.ask("SELECT why, SUM(records) FROM refused GROUP BY why"))


def key_of(text):
    return json.loads(text)["job"]["key"]


def keys(documents):
    return collections.Counter(key_of(text) for _, text in documents)


def test_order(tap, documents):
    site = Site("order")
    lines = [line for uid, text in documents for line in log_lines.lines(uid, text)] * 2
    random.Random(1).shuffle(lines)
    site.write(*lines)
    got = site.ingest()
    tap.ok(got.returncode == 0 and site.jobs() == keys(documents) and not site.refused(),
           "chunks out of order and repeated", got, site.refused())
    got = site.ingest()
    tap.ok(got.returncode == 0 and site.jobs() == keys(documents) and "0 added" in got.stdout, "nothing is read twice", got)


def test_hostile(tap, documents):
    site = Site("hostile")
    (uid, text), (other, second) = documents[:2]
    mine = log_lines.chunks(text)
    stolen = json.loads(second)
    stolen["job"]["user"] = "root'; DROP TABLE jobs; --<script>\x1b[31m"
    site.write(
        "no line of a log\n", "\n", "\0\0\0\n", "x" * 100000 + "\n",
        log_lines.line(uid, "1 nothing"), log_lines.line(uid, "uid=0 " + mine[0]),
        "2026-11-18T17:13:24+00:00 node uid=4294967296 pid=1 %s\n" % mine[0],
        "2026-11-18T17:13:24+00:00 node uid=-1 pid=1 %s\n" % mine[0],
        "not-a-time node uid=1 pid=1 %s\n" % mine[0],
        *(log_lines.line(uid + 1, chunk) for chunk in mine[1:]),  # of somebody else: they do not complete it
        log_lines.line(uid, mine[0]), log_lines.line(uid, mine[0].replace("fathom", "FATHOM")),
        *log_lines.lines(uid, stolen),
        *log_lines.lines(uid, json.dumps({"job": {"key": "0" * 32}})),
        *log_lines.lines(uid, json.dumps({"fathom": 1, "record": 1, "job": {"key": "f" * 32, "wall_s": -5, "ranks": 1e300}})))
    got = site.ingest()
    rows = site.ask("SELECT uid, user_name, key FROM jobs")
    tap.ok(got.returncode == 0 and len(rows) == 1 and rows[0][0] == uid and rows[0][1] == str(uid),
           "the uid is the one the daemon vouches for", got, rows)
    refused = site.refused()
    tap.ok(refused.get("malformed", 0) >= 8 and refused.get("oversized") == 1 and refused.get("contradictory") == 1,
           "what is refused is counted with the reason", refused)
    site.write(*(log_lines.line(uid, chunk) for chunk in mine[1:]))
    got = site.ingest()
    tap.ok(key_of(text) in site.jobs(), "a record whose chunks come later is complete after a restart", got)
    before = site.refused()
    site.ingest()
    tap.ok(site.refused() == before, "what was refused is not counted again", before, site.refused())


def test_forged(tap, documents):
    """The daemon vouches for the sender alone; what no job of the site can have is refused with a reason."""
    site, (uid, text) = Site("forged"), documents[0]
    changes = (
        ("in the future", {"started": "2999-01-01T00:00:00Z", "ended": "2999-01-01T01:00:00Z"}),
        ("before the first day", {"started": "1999-01-01T00:00:00Z", "ended": "1999-01-01T01:00:00Z"}),
        ("beyond capacity", {"ranks": 10**6}), ("beyond capacity", {"hosts": 10**5}),
        ("impossible times", {"wall_s": 1e9}), ("impossible times", {"wall_sum_s": 1e12}),
    )
    for number, (_, change) in enumerate(changes):
        forged = json.loads(text)
        forged["job"].update(change, key=f"{number:032x}")
        site.write(*log_lines.lines(uid, forged))
    site.write(*log_lines.lines(uid, text))
    config = WORK / "forged.conf"
    config.write_text("processors = 4096\nfirst_day = 2020-01-01\n", encoding="utf-8")
    got = site.ingest("--config", str(config))
    tap.ok(site.jobs() == {key_of(text): 1} and site.refused() == collections.Counter(why for why, _ in changes),
           "figures that no job can have are refused, each with its reason", got, site.refused())
    config.write_text("first_day = yesterday\n", encoding="utf-8")
    got = site.ingest("--config", str(config))
    tap.ok(got.returncode == 1 and "first_day" in got.stderr, "a first day that is none is an error", got)


def test_missing(tap, documents):
    site = Site("missing")
    uid, text = next(document for document in documents if len(log_lines.chunks(document[1])) > 2)
    site.write(*(log_lines.line(uid, chunk) for chunk in log_lines.chunks(text)[:-1]))
    site.ingest()
    tap.ok(not site.jobs() and not site.refused(), "an incomplete record waits")
    later = documents[0] if documents[0][1] != text else documents[1]
    site.write(*(log_lines.line(later[0], chunk, "2026-11-18T23:13:24Z") for chunk in log_lines.chunks(later[1])))
    got = site.ingest()
    tap.ok(site.refused() == {"incomplete": 1} and len(site.jobs()) == 1, "and is given up after an hour of the log", got,
           site.refused())
    site.ingest()
    tap.ok(site.refused() == {"incomplete": 1}, "once", site.refused())


def test_clocks(tap, documents):
    """Lines of nodes whose clocks are hours behind, days ahead or jump, among those of others."""
    site = Site("clocks")
    several = [document for document in documents if len(log_lines.chunks(document[1])) > 2][:3]
    stamps = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + ahead)) for ahead in (-10, -7200, 3 * 86400)]
    pieces = [[log_lines.line(uid, chunk, stamp) for chunk in log_lines.chunks(text)] for (uid, text), stamp in zip(several, stamps)]
    jumping = [document for document in documents if document not in several and len(log_lines.chunks(document[1])) > 1][0]
    jumps = [log_lines.line(jumping[0], chunk, stamps[number % 3]) for number, chunk in enumerate(log_lines.chunks(jumping[1]))]
    site.write(*(line for turn in itertools.zip_longest(*pieces, jumps) for line in turn if line))
    got = site.ingest()
    tap.ok(site.jobs() == keys([*several, jumping]) and not site.refused(), "clocks of nodes that differ lose nothing", got, site.refused())
    site.write(log_lines.line(1, "nonsense", stamps[2]))
    site.ingest()
    days = site.ask("SELECT day FROM refused")
    tap.ok(days == [(int(time.time()) // 86400,)], "nothing is refused on a day to come", days)


def test_rotation(tap, documents):
    site = Site("rotation")
    half = len(documents) // 2
    site.write(*(line for uid, text in documents[:half] for line in log_lines.lines(uid, text)))
    site.ingest()
    uid, text = documents[half]
    chunks = [log_lines.line(uid, chunk) for chunk in log_lines.chunks(text)]
    site.write(*chunks[:1], chunks[1][:50])  # the last line is not complete yet
    site.ingest()
    site.write(chunks[1][50:])
    os.rename(site.log, str(site.log) + ".1")
    site.write(*chunks[2:], *(line for uid, text in documents[half + 1:] for line in log_lines.lines(uid, text)))
    got = site.ingest()
    tap.ok(site.jobs() == keys(documents) and not site.refused(), "a rotated log is read to its end", got, site.refused())
    os.truncate(site.log, 0)
    site.write(*log_lines.lines(uid + 7, text))
    site.ingest()
    tap.ok(sum(site.jobs().values()) == len(documents) + 1, "a log that was truncated is read from its start")


def test_follow(tap, documents):
    site = Site("follow")
    with subprocess.Popen([str(BUILD / "fathom"), "site", "ingest", "--store", site.store, "--follow", str(site.log)],
                          stdout=subprocess.PIPE, text=True) as service:
        wanted = keys(documents[:50])
        try:
            for uid, text in documents[:50]:
                site.write(*log_lines.lines(uid, text))
            while site.jobs() != wanted and service.poll() is None:
                time.sleep(0.1)
        finally:
            service.send_signal(signal.SIGTERM)
        out = service.communicate()[0]
        tap.ok(service.returncode == 0 and site.jobs() == wanted and "50 added" in out, "as a service, until SIGTERM", out)


def test_spool(tap, documents):
    site = Site("spool")
    spool = WORK / "spooled"
    spool.mkdir()
    for _, text in documents[:20]:
        (spool / (key_of(text) + ".json")).write_text(text + "\n")
    (spool / "hostile.json").symlink_to("/etc/shadow")
    (spool / "long.json").write_text("x" * 10000)
    (spool / "other.txt").write_text("left alone")
    os.mkfifo(spool / "pipe.json")
    got = fathom("ingest", "--store", site.store, str(spool))
    left = sorted(path.name for path in spool.iterdir())
    tap.ok(got.returncode == 0 and site.jobs() == keys(documents[:20]) and left == ["hostile.json", "other.txt", "pipe.json"]
           and site.refused() == {"oversized": 1}, "a spool directory", got, left, site.refused())
    owners = {uid for uid, in site.ask("SELECT uid FROM jobs")}
    tap.ok(owners == {os.getuid()}, "the user is the owner of the file", owners)


def test_kills(tap, server=None):
    """Some records more before each start, so that there is always something to be interrupted."""
    engine = "PostgreSQL" if server else "SQLite"
    site = Site("kills", server)
    rng = random.Random(7)
    command = [str(BUILD / "fathom"), "site", "ingest", "--store", site.store, "--batch", "3", "--quiet", str(site.log)]
    waiting = records(8 * KILLS * 4, 7)
    documents, killed, takes = [], 0, 0.0
    while killed < KILLS and waiting:
        more, waiting = waiting[:8], waiting[8:]
        documents += more
        site.write("nonsense\n", *(line for uid, text in more for line in log_lines.lines(uid, text)))
        started = time.monotonic()
        with subprocess.Popen(command) as ingest:
            if takes:
                time.sleep(rng.random() * takes)
                killed += ingest.poll() is None
                ingest.kill()
        takes = takes or time.monotonic() - started
    got = site.ingest("--batch", "3")
    whole = Site("whole", server)
    shutil.copy(site.log, whole.log)
    whole.ingest()
    tap.ok(got.returncode == 0 and site.jobs() == whole.jobs() == keys(documents) and killed > KILLS // 2,
           f"{engine}: kill -9 of ingest loses and doubles nothing", got, f"killed {killed} of {KILLS} times")
    tap.ok(site.refused() == whole.refused() and site.refused(), engine + ": what is refused is counted once", site.refused(),
           whole.refused())
    sums = "SELECT SUM(jobs) AS jobs, SUM(cpu_us) AS cpu, SUM(mpi_us) AS mpi, SUM(ranks) AS ranks FROM day_jobs"
    tap.ok(site.ask(sums) == whole.ask(sums), engine + ": the roll-ups are the same", site.ask(sums), whole.ask(sums))
    tap.note(f"{engine}: killed {killed} times while it ran, {len(documents)} records")


def test_names(tap, documents):
    """Users whose names have the first 64 bytes in common, and one that is not known."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        tap.skip("long names of users", "this system allows no mount namespace")
        return
    site, (_, text) = Site("names"), documents[0]
    names = {4711: "é" * 40 + "-ann", 4712: "é" * 40 + "-bob", 4713: "4713"}
    users = WORK / "passwd"
    users.write_text(pathlib.Path("/etc/passwd").read_text(encoding="utf-8") +
                     "".join(f"{names[uid]}:x:{uid}:{uid}::/:/bin/sh\n" for uid in (4711, 4712)), encoding="utf-8")
    site.write(*(line for uid in names for line in log_lines.lines(uid, text)))
    got = subprocess.run(["unshare", "--mount", "sh", "-c", 'mount --bind "$1" /etc/passwd && shift && exec "$@"', "sh", str(users),
                          str(BUILD / "fathom"), "site", "ingest", "--store", site.store, str(site.log)], capture_output=True,
                         text=True, check=False, cwd=WORK)
    tap.ok(dict(site.ask("SELECT uid, user_name FROM jobs")) == names, "long names of users are told apart", got)


def test_hashed(tap, documents):
    """With hashed names a record is of the user who has sent it, too, whatever hash it has in it."""
    site, (_, text), forged = Site("hashed"), documents[0], json.loads(documents[1][1])
    uid, forged["job"]["user"] = os.getuid(), "h0123456789abcdef"
    (WORK / "key").write_text("0f" * 16 + "\n", encoding="utf-8")
    config = WORK / "hashed.conf"
    config.write_text(f"hash_names = on\nhash_key = {WORK}/key\n", encoding="utf-8")
    site.write(*log_lines.lines(uid, text), *log_lines.lines(uid, forged))
    got = site.ingest("--config", str(config))
    names = [name for name, in site.ask("SELECT user_name FROM jobs")]
    tap.ok(len(names) == 2 and len(set(names)) == 1 and names[0] != forged["job"]["user"] and re.fullmatch("h[0-9a-f]{16}", names[0]),
           "hashed names are those of the senders", got, names)
    for name, key in (("unknown", f"hash_key = {WORK}/key\n"), ("keyless", f"hash_key = {WORK}/none\n")):
        site, plain = Site(name), json.loads(text)
        plain["job"]["user"], uid = "ann", 3987654
        config.write_text(f"hash_names = on\n{key}", encoding="utf-8")
        site.write(*log_lines.lines(uid, plain), *log_lines.lines(uid, forged))
        got = site.ingest("--config", str(config))
        names = {name for name, in site.ask("SELECT user_name FROM jobs")} | {name for name, in site.ask("SELECT name FROM names")}
        tap.ok(forged["job"]["user"] in names and "ann" not in names and str(uid) not in names and
               len([name for name in names if re.fullmatch("h[0-9a-f]{16}", name)]) == (2 if name == "unknown" else 1),
               f"a user whom the system does not know has no name in clear: {name}", got, names)


def main():
    tap = jobs.Tap()
    documents = records(300)
    for test in (test_order, test_hostile, test_forged, test_missing, test_clocks, test_rotation, test_follow, test_spool, test_names, test_hashed):
        test(tap, documents)
    test_kills(tap)
    why_not = postgres.why_not()
    if why_not:
        tap.skip("kill -9 of ingest into PostgreSQL", why_not)
    else:
        with postgres.server() as address:
            test_kills(tap, address)
    shutil.rmtree(WORK)
    tap.done()


if __name__ == "__main__":
    main()
