#!/usr/bin/python3
"""fathom site send: into the log, the journal and a spool of records; what stays, what is removed, as whom it is sent."""
import json
import os
import pathlib
import pwd
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "jobs"))
import jobs  # noqa: E402

OTHER = 54321  # a user whom the system does not know
CHUNK = re.compile(r"1 ([0-9a-f]{32}) (\d+)/(\d+) ([0-9a-f]{8}) (.+)\|")


class Daemon:
    """A log daemon's socket: what comes in, with the uid that the kernel vouches for."""

    def __init__(self, path):
        self.path = str(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.socket.bind(self.path)
        os.chmod(self.path, 0o666)
        self.socket.setblocking(False)

    def received(self):
        found = []
        while True:
            try:
                data, control, _, _ = self.socket.recvmsg(65536, 1024)
            except BlockingIOError:
                return found
            uid = [struct.unpack("3i", c[2][:12])[1] for c in control if c[1] == socket.SCM_CREDENTIALS]
            found.append((uid[0] if uid else None, data.decode("ascii")))

    def close(self):
        self.socket.close()
        os.unlink(self.path)


def joined(lines):
    """The document of these chunks."""
    chunks = [CHUNK.fullmatch(line) for line in lines]
    if not all(chunks) or {c.group(1, 3, 4) for c in chunks} != {chunks[0].group(1, 3, 4)}:
        return None
    ordered = sorted(chunks, key=lambda c: int(c.group(2)))
    if [int(c.group(2)) for c in ordered] != list(range(1, int(ordered[0].group(3)) + 1)):
        return None
    return json.loads("".join(c.group(5) for c in ordered))


class Site:
    """A directory with a spool of profiles and a configuration."""

    def __init__(self, profile, more=""):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="s", dir=jobs.SCRATCH))
        for folder in (jobs.SCRATCH, self.root):
            os.chmod(folder, 0o755)
        if "TMPDIR" in os.environ:  # made for this test alone
            os.chmod(os.environ["TMPDIR"], 0o755)
        self.spool, self.records, self.profile = self.root / "spool", self.root / "records", profile
        for folder in (self.spool, self.records):
            folder.mkdir()
            os.chmod(folder, 0o1733)
        self.config = self.root / "site.conf"
        self.configure(more)

    def configure(self, more):
        self.config.write_text(f"spool = {self.spool}\nrecord_spool = {self.records}\nsyslog_socket = {self.root}/log\n"
                               f"journald_socket = {self.root}/journal\n{more}\n", encoding="utf-8")

    def add(self, name="a.fathom", owner=None):
        shutil.copy(self.profile, self.spool / name)
        os.chmod(self.spool / name, 0o600)
        if owner is not None:
            os.chown(self.spool / name, owner, owner)
        return self.spool / name

    def send(self, *words):
        return subprocess.run([jobs.FATHOM, "site", "send", "--config", str(self.config), *words], capture_output=True,
                              text=True, timeout=90, check=False, cwd=self.root)

    def names(self):
        return sorted(p.name for p in self.spool.iterdir())


def record_of(profile):
    words = [jobs.FATHOM, "site", "record", "--config", os.devnull, str(profile)]
    return json.loads(subprocess.run(words, capture_output=True, check=True).stdout)


def to_syslog(tap, profile):
    site = Site(profile)
    site.add()
    tap.ok(site.send().returncode == 1 and site.names() == ["a.fathom"], "without a daemon the profile stays, status 1")
    daemon = Daemon(site.root / "log")
    sent = site.send()
    lines = daemon.received()
    daemon.close()
    tap.equal((sent.returncode, sent.stdout), (0, "1 sent, 0 excluded, 0 refused, 0 left\n"), "sent at the next try")
    heads = [re.match(r"<14>[A-Z][a-z][a-z] [ 123]\d \d\d:\d\d:\d\d fathom: (.*)", line) for _, line in lines]
    tap.ok(lines and all(heads), "lines have the header of syslog", *lines)
    tap.ok(all(len(line) < 1024 for _, line in lines), "no line is longer than RFC 3164 allows")
    tap.equal(joined([h.group(1) for h in heads]), record_of(profile), "the chunks are the record")
    tap.equal(site.names(), [], "the profile is removed")


def to_journald(tap, profile):
    site = Site(profile, "send = journald\nchunk_bytes = 300")
    site.add()
    daemon = Daemon(site.root / "journal")
    tap.equal(site.send("--quiet").stdout, "", "--quiet prints nothing")
    entries = [dict(line.split("=", 1) for line in entry.splitlines()) for _, entry in daemon.received()]
    daemon.close()
    tap.ok(len(entries) > 3 and all(e["SYSLOG_IDENTIFIER"] == "fathom" and e["PRIORITY"] == "6" for e in entries),
           "entries of the journal", *entries)
    tap.equal(joined([e["MESSAGE"] for e in entries]), record_of(profile), "their messages are the record")
    tap.ok(all(len(e["MESSAGE"]) <= 300 for e in entries), "of the length that is configured")


def to_spool(tap, profile):
    site = Site(profile, f"send = spool\nkeep = {jobs.SCRATCH}/kept")
    kept = jobs.SCRATCH / "kept"
    for _ in range(2):
        site.add()
        tap.equal(site.send().returncode, 0, "into a spool of records")
    record = record_of(profile)
    files = list(site.records.iterdir())
    tap.equal([f.name for f in files], [record["job"]["key"] + ".json"], "a file per job")
    tap.equal(json.loads(files[0].read_text(encoding="ascii")), record, "which is the record")
    tap.equal(files[0].stat().st_mode & 0o777, 0o600, "and not for others")
    copies = sorted(str(p.relative_to(kept)) for p in kept.rglob("*.fathom"))
    tap.ok(site.names() == [] and len(copies) == 2 and re.fullmatch(r"\d{4}-\d\d/a.fathom", copies[1]) and
           copies[0].endswith("/a-2.fathom"), "profiles are kept by month", copies)
    tap.ok((kept / copies[0]).read_bytes() == pathlib.Path(profile).read_bytes(), "as they were")
    files[0].unlink()
    site.configure("send = spool\nkeep = /dev/null")
    site.add()
    lost = site.send()
    tap.ok(lost.returncode == 1 and "/dev/null" in lost.stderr and not list(site.records.iterdir()),
           "nothing is sent if profiles cannot be kept: it would be sent again each time", lost)
    tap.equal(site.names(), ["a.fathom"], "they stay")


def busy_daemon(tap, profile):
    """A daemon that takes nothing more: sending ends, and nothing is lost."""
    site = Site(profile, "send_seconds = 0.1")
    daemon = Daemon(site.root / "log")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.setblocking(False)
        other.connect(daemon.path)
        try:
            while True:
                other.send(b"noise")
        except BlockingIOError:
            pass
    site.add()
    busy = site.send()
    tap.ok(busy.returncode == 1 and site.names() == ["a.fathom"] and "1 left" in busy.stdout and
           "takes no more" in busy.stderr, "what it does not take stays", busy)
    daemon.received()
    tap.equal((site.send().returncode, site.names()), (0, []), "and is sent when it reads again")
    daemon.close()


def damaged(tap, profile):
    site = Site(profile, "send = spool")
    whole = pathlib.Path(profile).read_bytes()
    (site.spool / "cut.fathom").write_bytes(whole[:len(whole) // 2])
    (site.spool / "none.fathom").write_bytes(b"")
    (site.spool / "other.txt").write_bytes(b"x")
    os.symlink(profile, site.spool / "link.fathom")
    os.mkfifo(site.spool / "pipe.fathom")
    os.mkdir(site.spool / "dir.fathom")
    os.link(profile, site.spool / "hard.fathom")
    site.add("\x1b[31mred\n.fathom")
    sent = site.send()
    os.unlink(site.spool / "hard.fathom")
    tap.equal((sent.returncode, sent.stdout), (0, "1 sent, 0 excluded, 2 refused, 0 left\n"), "damaged profiles are refused")
    tap.equal(site.names(), ["cut.fathom.refused", "dir.fathom", "link.fathom", "none.fathom.refused", "other.txt",
                             "pipe.fathom"], "once; what is no file of its own is not touched")
    tap.ok("\x1b" not in sent.stderr, "names are shown safely")


def excluded(tap, profile):
    site = Site(profile, "send = spool\nexclude_programs = *")
    site.add()
    tap.equal(site.send().stdout, "0 sent, 1 excluded, 0 refused, 0 left\n", "an excluded job is counted")
    tap.ok(not site.names() and not list(site.records.iterdir()), "and leaves nothing")
    kept = site.root / "own.fathom"
    shutil.copy(profile, kept)
    site.configure("send = spool")
    tap.equal(site.send(str(kept)).stdout, "1 sent, 0 excluded, 0 refused, 0 left\n", "a profile given by name")
    tap.ok(kept.exists(), "stays")
    wrong = site.send("/nonexistent")
    tap.ok(wrong.returncode == 1 and "/nonexistent" in wrong.stderr, "a spool that is not there is an error", wrong)
    site.configure("colour = red")
    wrong = site.send()
    tap.ok(wrong.returncode == 1 and "unknown key 'colour' in" in wrong.stderr, "so is a key that is unknown", wrong)


def as_the_owner(tap, profile):
    name = "records are sent with the uid of the owner of the profile"
    if os.geteuid() != 0:
        tap.skip(name, "only root can become somebody else")
        return
    site = Site(profile)
    daemon = Daemon(site.root / "log")
    site.add("root.fathom")
    site.add("other.fathom", owner=OTHER)
    sent = site.send()
    uids = {uid for uid, _ in daemon.received()}
    tap.equal(uids, {0, OTHER}, name)
    tap.equal((sent.returncode, site.names()), (0, []), "root removes both")
    site.configure("send = spool\nexclude_users = daemon")
    site.add("daemon.fathom", owner=pwd.getpwnam("daemon").pw_uid)
    tap.equal(site.send().stdout, "0 sent, 1 excluded, 0 refused, 0 left\n",
              "excluded users are the owners of profiles, whatever USER was in the job")
    site.configure("send = spool\nhash_names = on\nhash_key = " + str(site.root / "key"))
    (site.root / "key").write_text("00" * 16, encoding="ascii")
    os.chmod(site.root / "key", 0o600)
    site.add("other.fathom", owner=OTHER)
    sent = site.send()
    files = list(site.records.iterdir())
    tap.equal(([f.stat().st_uid for f in files], sent.returncode), ([OTHER], 0), "the file of a record belongs to the owner")
    tap.ok(files and json.loads(files[0].read_text(encoding="ascii"))["job"]["user"][0] == "h",
           "names are hashed with a key that only root can read")
    kept = jobs.SCRATCH / "for-the-server"
    kept.mkdir()
    os.chown(kept, 0, OTHER + 1)
    kept.chmod(0o750)
    site.configure(f"send = spool\nkeep = {kept}")
    site.add("other.fathom", owner=OTHER)
    sent = site.send()
    modes = [(p.stat().st_uid, p.stat().st_gid, p.stat().st_mode & 0o777) for p in sorted(kept.rglob("*"))]
    tap.equal(modes, [(0, OTHER + 1, 0o750), (OTHER, OTHER + 1, 0o640)],
              "the group of the directory can read profiles that are kept, others cannot")
    # the user cannot list the spool, but can leave a profile in it and send it
    listed = subprocess.run(["setpriv", f"--reuid={OTHER}", "--clear-groups", jobs.FATHOM, "site", "send", "--config",
                             str(site.config)], capture_output=True, text=True, check=False, timeout=60)
    tap.ok(listed.returncode == 1, "others cannot list the spool or read the key", listed)
    daemon.close()


def by_fathom_run(tap, mpi, program):
    site = Site(None, "run = spool")
    env = {"FATHOM_SITE_CONFIG": str(site.config)}
    job = jobs.run(jobs.AROUND, mpi, 2, [program], env=env)
    tap.ok(len(job.profiles()) == 1 and site.names() == [os.path.basename(job.profiles()[0])],
           f"{mpi.short}: 'fathom run' leaves a copy in the spool", site.names(), job)
    tap.ok((site.spool / site.names()[0]).read_bytes() == pathlib.Path(job.profiles()[0]).read_bytes(),
           f"{mpi.short}: the same profile")
    inside = jobs.run(jobs.INSIDE, mpi, 2, [program], env=env)
    tap.equal(len(site.names()), 2, f"{mpi.short}: once also if it is started for each rank")
    tap.equal(inside.stderr, b"", f"{mpi.short}: and says nothing")
    off = jobs.run(jobs.AROUND, mpi, 2, [program], env={**env, "FATHOM_SITE": "off"})
    tap.equal((len(site.names()), off.status), (2, 0), f"{mpi.short}: FATHOM_SITE=off")
    daemon = Daemon(site.root / "log")
    sent = jobs.run(jobs.AROUND, mpi, 2, [program], env={**env, "FATHOM_SITE": "send"})
    record = joined([line.split("fathom: ", 1)[1] for _, line in daemon.received()])
    tap.equal((record, len(site.names())), (record_of(sent.profiles()[0]), 2), f"{mpi.short}: FATHOM_SITE=send")
    daemon.close()
    jobs.run(jobs.AROUND, mpi, 2, [program], env={**env, "FATHOM_SITE": "send"})
    tap.equal(len(site.names()), 3, f"{mpi.short}: without a daemon the spool takes it")
    direct = jobs.run(jobs.PRELOAD, mpi, 2, [program], env={"FATHOM_OUTPUT": str(site.spool) + "/"})
    tap.equal((len(site.names()), direct.profiles()), (4, []), f"{mpi.short}: a job writes its profile into the spool itself")
    site.spool.rename(site.root / "away")
    gone = jobs.run(jobs.AROUND, mpi, 2, [program], env=env, quiet=False)
    tap.ok(gone.status == 0 and b"cannot copy" in gone.stderr, f"{mpi.short}: a spool that is gone is told, no failure", gone)


def main():
    tap = jobs.Tap()
    programs = {mpi: mpi.compile("sender", "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); "
                                 "for (int i = 0; i < 50; i++) MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }")
                for mpi in jobs.MPIS}
    first = jobs.run(jobs.AROUND, jobs.MPIS[0], 2, [programs[jobs.MPIS[0]]])
    profile = first.profiles()[0]
    for check in (to_syslog, to_journald, to_spool, busy_daemon, damaged, excluded, as_the_owner):
        check(tap, profile)
    for mpi, program in programs.items():
        by_fathom_run(tap, mpi, program)
    tap.done()


main()
