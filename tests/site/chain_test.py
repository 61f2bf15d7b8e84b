#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The whole way of a site for real: unmodified MPI programs of a user under Slurm, the Epilog sends their records, rsyslog or
journald writes them, `fathom site ingest` puts each into SQLite and PostgreSQL once, and `fathom site report`, the mails and the
pages have their numbers. What another user says through the same socket is that user's."""
import contextlib
import csv
import email
import email.policy
import json
import os
import pathlib
import pwd
import re
import signal
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "jobs"), str(TESTS / "site/store"), str(TESTS / "web")]
import daemons
import jobs
import journald
import log_lines
import postgres
import rsyslog
import slurm
import web
from slurm_site import OTHER, USER, Site, srun_of

CALLS = 25
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < %d; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (argc > 1) {
        printf("%%d %%d\n", rank, (int)getpid());
        fflush(stdout);
        for (;;)
            pause();
    }
    MPI_Finalize();
    return 0;
}
""" % CALLS
NAMES = {uid: pwd.getpwuid(uid).pw_name for uid in (USER, OTHER)}
SEND = """
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect(sys.argv[1])
for line in sys.stdin.read().split("\\0"):
    s.send(line.encode())
"""
# columns of the table of jobs that have another name than the key of the record, which is in the section "job" unless it is here
COLUMNS = {"id": "job_id", "wall_sum_s": "cpu_s", "end": "end_state", "user": "user_name", "weight": "sample_weight"}
TIMES = ("started", "ended")  # numbers in the database


class Database:
    """One of the site's databases."""

    def __init__(self, site, kind, address):
        self.site, self.kind, self.address = site, kind, address

    def fathom(self, *words):
        return subprocess.run(self.command(*words), env=self.site.environment, cwd=self.site.folder, capture_output=True,
                              text=True, timeout=60, check=False)

    def command(self, word, *words):
        """As root, whose configuration says nothing of logs and databases."""
        return [jobs.FATHOM, "site", word, "--config", str(self.site.folder / "ingest.conf"), "--store", self.address,
                *map(str, words)]

    def rows(self, sql):
        done = self.fathom("query", "--format", "json", sql)
        return json.loads(done.stdout) if done.returncode == 0 else [done.stderr]

    def jobs(self):
        return self.rows("SELECT * FROM jobs ORDER BY started, key, uid")

    def number(self):
        return self.rows("SELECT COUNT(*) AS n FROM jobs")[0]["n"]

    def report(self, *words):
        done = self.fathom("report", "--format", "json", *words)
        return json.loads(done.stdout)["site"] if done.returncode == 0 else done.stderr

    def routines(self):
        """{(key, name of a routine): row} of all jobs, from the exported tables."""
        folder = self.site.folder / f"export-{self.kind}"
        self.fathom("export", "--table", "routines", folder)
        keys = {str(row["id"]): row["key"] for row in self.rows("SELECT id, key FROM jobs")}
        with open(folder / "routines.csv", encoding="utf-8", newline="") as table:
            return {(keys[row["job"]], row["name"]): row for row in csv.DictReader(table)}


class Chain(Site):
    """A site with databases. Profiles are kept, so that what is in a database can be compared with them."""

    def __init__(self):
        super().__init__(PROGRAM, "chain")
        self.kept = self.folder / "kept"
        self.kept.mkdir()
        (self.folder / "mails").mkdir()
        sink = self.folder / "sendmail"
        sink.write_text(f"#!/bin/sh\ncat >$(mktemp {self.folder}/mails/XXXXXX)\n")
        sink.chmod(0o755)
        (self.folder / "ingest.conf").write_text(
            f"log =\nmail_command = {sink} -t -i\nmail_domain = example.org\nmail_least_hours = 0\nmail_per_minute = 0\n")
        self.databases = []

    def add_database(self, kind, address):
        database = Database(self, kind, address)
        self.databases.append(database)
        return database.fathom("init", "--no-spool")

    def send_by(self, lines):
        (self.folder / "send.conf").write_text(f"spool = {self.spool}\nkeep = {self.kept}\n{lines}")

    def profiles(self):
        return sorted(self.kept.rglob("*.fathom"))

    def after(self, run):
        """What a job returned, and the records of the profiles that it left, after its Epilog has ended."""
        before = self.profiles()
        result = run()
        daemons.wait_for(lambda: not self.ask("squeue", "-h").strip(), 30)
        return result, [record_of(path) for path in self.profiles() if path not in before]


def record_of(profile):
    made = subprocess.run([jobs.FATHOM, "site", "record", "--config", os.devnull, profile], capture_output=True, check=True)
    return json.loads(made.stdout)


# ---- jobs ----

def facts(record):
    """What is known of a job from its program."""
    calls = [r["calls"] for r in record["mpi"]["routines"] if r["name"] == "MPI_Allreduce"]
    return record["job"]["user"], record["job"]["ranks"], record["job"]["program"], record["job"]["complete"], calls


def known(mpi, complete=True):
    return NAMES[USER], 2, f"chain.{mpi.name}", complete, [2 * CALLS]


def by_srun(site, mpi):
    return site.srun(USER, *srun_of(mpi), site.programs["chain", mpi.name], cwd=site.home[USER])


def by_mpirun(site, mpi):
    return site.sbatch(USER, f"{' '.join(mpi.mpirun(2))} {site.programs['chain', mpi.name]}\n", folder=site.home[USER])


def killed(site, mpi):
    """Rank 1 is killed while both wait; Slurm ends the other."""
    words = ["srun", "--overcommit", "--unbuffered", "--kill-on-bad-exit=1", *srun_of(mpi), site.programs["chain", mpi.name],
             "wait"]
    with subprocess.Popen(daemons.as_user(USER, words), env=site.environment, cwd=site.home[USER], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as waiting:
        pids = dict(map(int, waiting.stdout.readline().split()) for _ in range(2))
        os.kill(pids[1], signal.SIGKILL)
        waiting.communicate(timeout=slurm.LIMIT_S)
    return waiting.returncode


def run_jobs(tap, site):
    """The records of all jobs, as their profiles have them."""
    records = []
    for mpi in jobs.MPIS:
        done, made = site.after(lambda mpi=mpi: by_srun(site, mpi))
        tap.equal((done.returncode, done.stdout, done.stderr), (0, "", ""), f"{mpi.short}: srun notices nothing")
        tap.equal([facts(r) for r in made], [known(mpi)], f"{mpi.short}: srun: one profile is kept, with what the program did")
        records += made
        done, made = site.after(lambda mpi=mpi: by_mpirun(site, mpi))
        tap.equal((done, [facts(r) for r in made]), ((0, ""), [known(mpi)]), f"{mpi.short}: mpirun in a batch script: the same")
        records += made
        status, made = site.after(lambda mpi=mpi: killed(site, mpi))
        tap.ok(status != 0 and [facts(r) for r in made] == [known(mpi, False)],
               f"{mpi.short}: a job with a rank that kill -9 ended: one profile, not complete", status, made)
        tap.ok(all(r["job"].get("end") for r in made), f"{mpi.short}: which says how it ended", made)
        records += made
    tap.equal(list(site.spool.iterdir()), [], "nothing is left in the spool")
    return records


# ---- databases ----

def close(got, wanted):
    """Equal, but for the rounding to microseconds."""
    if isinstance(got, (int, float)) and isinstance(wanted, (int, float)):
        return abs(got - wanted) <= 2e-6 * max(1, abs(wanted))
    return got == wanted


def differences(row, record):
    """What a row of the table of jobs says otherwise than the record, for all fields of the job."""
    wrong = [] if row["uid"] == USER else [f"uid {row['uid']}"]
    fields = [(COLUMNS.get(key, key), value) for key, value in record["job"].items()
              if key not in TIMES and not isinstance(value, (dict, list))]
    fields += [("mpi_s", record["mpi"]["time_s"]), ("program_s", record["split"]["program_s"]),
               ("parallel", record["efficiency"].get("parallel")), ("memory_bytes", record["memory"]["high_water_bytes"])]
    for column, value in fields:
        if column not in row or not close(row[column], int(value) if isinstance(value, bool) else value):
            wrong.append(f"{column}: {row.get(column)!r}, not {value!r}")
    return wrong


def compare_routines(database, records):
    wrong, rows = [], database.routines()
    for record in records:
        for routine in record["mpi"]["routines"]:
            row = rows.get((record["job"]["key"], routine["name"]), {})
            for key in ("calls", "time_s", "bytes"):
                if not close(float(row.get(key) or 0), float(routine.get(key, 0))):
                    wrong.append(f"{routine['name']} {key}: {row}, not {routine}")
    return wrong


def compare_report(report, records):
    """What the report of the user says otherwise than the sum of the records."""
    def total(section, key):
        return sum(r[section][key] for r in records)
    programs = {name: sum(r["job"]["program"] == name for r in records) for name in {r["job"]["program"] for r in records}}
    routine = next((row for row in report["routines"] if row["name"] == "MPI_Allreduce"), {})
    pairs = {
        "jobs": (report["totals"]["jobs"], len(records)),
        "complete_jobs": (report["totals"]["complete_jobs"], sum(r["job"]["complete"] for r in records)),
        "ranks": (report["totals"]["ranks"], total("job", "ranks")),
        "cpu_s": (report["totals"]["cpu_s"], total("job", "wall_sum_s")),
        "mpi_s": (report["totals"]["mpi_s"], total("mpi", "time_s")),
        "users": ([(row["user"], row["jobs"]) for row in report["users"]], [(NAMES[USER], len(records))]),
        "programs": ({row["program"]: row["jobs"] for row in report["programs"]}, programs),
        "calls": (routine.get("calls"), 2 * CALLS * len(records)),
        "jobs with it": (routine.get("jobs"), len(records)),
    }
    return [f"{name}: {got!r}, not {wanted!r}" for name, (got, wanted) in pairs.items() if not close(got, wanted)]


def check_database(tap, database, records, others=0):
    """Exactly these jobs of the user, and so many of the other one."""
    kind, rows = database.kind, database.jobs()
    mine = {row["key"]: row for row in rows if row["uid"] == USER}
    tap.equal((sorted(row["key"] for row in rows if row["uid"] == USER), len(rows)),
              (sorted(r["job"]["key"] for r in records), len(records) + others), f"{kind}: each job is there once")
    wrong = [d for r in records for d in differences(mine.get(r["job"]["key"], {"uid": None}), r)]
    tap.ok(not wrong, f"{kind}: with the user who ran it and the numbers of its profile", *wrong)
    wrong = compare_routines(database, records)
    tap.ok(not wrong, f"{kind}: and those of each routine", *wrong)
    report = database.report("--user", NAMES[USER])
    wrong = compare_report(report, records) if isinstance(report, dict) else [report]
    tap.ok(not wrong, f"{kind}: the report of the user has their sums", *wrong)


def ingested(database, number, *source):
    """Reads the source until so many jobs are in the database; what was printed last."""
    done = []

    def is_there():
        done[:] = [database.fathom("ingest", *source)]
        return done[0].returncode != 0 or database.number() >= number
    daemons.wait_for(is_there, 30, 0.2)
    return done[0]


# ---- what people get to see ----

def check_mail(tap, database):
    """The user's mail about these days, which are not over: a trial, through the command in the place of sendmail."""
    kind, folder = database.kind, database.site.folder / "mails"
    ends = database.rows("SELECT MIN(ended) AS first, MAX(ended) AS last FROM jobs")[0]
    days = [time.strftime("%Y-%m-%d", time.gmtime(ends[name])) for name in ("first", "last")]
    done = database.fathom("analyse", "--quiet")
    tap.equal((done.returncode, done.stderr), (0, ""), f"{kind}: the records are analysed")
    done = database.fathom("mail", "--from", days[0], "--to", days[1], "--user", NAMES[USER], "--test", "a@example.org")
    mails = [email.message_from_bytes(path.read_bytes(), policy=email.policy.default) for path in folder.iterdir()]
    tap.equal((done.returncode, done.stderr, [mail["To"] for mail in mails]), (0, "", ["a@example.org"]),
              f"{kind}: a mail is sent")
    texts = [mail.get_body((part,)).get_content() for mail in mails for part in ("plain", "html")]
    number = sum(row["uid"] == USER for row in database.jobs())
    tap.ok(len(texts) == 2 and all(re.search(rf"\b{number} jobs", text) and "chain.mpich" in text and "forged" not in text for text in texts),
           f"{kind}: both of its parts have the user's jobs, and nobody else's", *texts)
    for path in folder.iterdir():
        path.unlink()


def check_page(tap, database):
    """The job list and a job, for root, who is of the staff, in a browser."""
    kind = database.kind
    words = [jobs.FATHOM, "serve", "--site", database.address, "--config", str(database.site.folder / "ingest.conf")]
    with subprocess.Popen(words, env=database.site.environment, cwd=database.site.folder, stdout=subprocess.PIPE,
                          text=True) as server:
        try:
            at = re.search(r"http://\S+", server.stdout.readline())
            shown = subprocess.run(["node", str(TESTS / "web/site_list.mjs"), at.group(0)], env=web.environment(),
                                   capture_output=True, text=True, timeout=120, check=False)
        finally:
            server.terminate()
    seen = json.loads(shown.stdout) if shown.returncode == 0 else {"jobs": [], "opened": "", "problems": [shown.stderr]}
    wanted = sorted((row["job_id"], row["program"], row["user_name"], str(row["ranks"])) for row in database.jobs())
    shown = [tuple(row[name].split("\n")[0].rstrip(" \u2715") for name in ("Job", "Program", "User", "Ranks")) for row in seen["jobs"]]
    tap.equal(sorted(shown), [(job, program, user, f"{int(ranks):,}") for job, program, user, ranks in wanted],
              f"{kind}: the job list in a browser")
    tap.ok("MPI_Allreduce" in seen["opened"] and not seen["problems"], f"{kind}: and a job of it", seen["opened"], seen["problems"])


# ---- somebody else ----

def forged(records):
    """Records that the other user makes of the user's: of the same jobs, of an invented one, and root's."""
    made = []
    for number, claim in enumerate((NAMES[USER], "root", NAMES[USER])):
        record = json.loads(json.dumps(records[number % len(records)]))
        record["job"].update(user=claim, ranks=7777, program="forged", uid=USER)
        if number == 2:
            record["job"]["key"] = "f" * 32
        made.append(record)
    return made


def send_forged(path, messages):
    subprocess.run(daemons.as_user(OTHER, ["/usr/bin/python3", "-c", SEND, path]), input="\0".join(messages), text=True,
                   check=True)


def check_forged(tap, database, name):
    rows = database.rows(f"SELECT uid, user_name, program, ranks FROM jobs WHERE uid <> {USER}")
    tap.ok(rows and {(row.get("uid"), row.get("user_name")) for row in rows} == {(OTHER, NAMES[OTHER])},
           f"{name}: what another user claims is that user's", rows)


# ---- the two log daemons ----

def through_rsyslog(tap, site):
    with rsyslog.Rsyslog("single") as daemon:
        site.send_by(f"send = syslog\nsyslog_socket = {daemon.socket}\n")
        service = site.databases[-1]  # reads while jobs run, from before the log is there; the other one reads it afterwards
        with open(site.folder / "service.out", "w", encoding="utf-8") as out:
            following = subprocess.Popen(service.command("ingest", "--follow", daemon.records), env=site.environment,
                                         cwd=site.folder, stdout=out, stderr=out)
        try:
            records = run_jobs(tap, site)
            fakes = forged(records)
            send_forged(daemon.socket, ["<14>fathom: " + chunk for fake in fakes for chunk in log_lines.chunks(fake)])
            total = len(records) + len(fakes)
            daemons.wait_for(lambda: following.poll() is not None or service.number() >= total, 30, 0.2)
        finally:
            following.terminate()
            following.wait(30)
        said = (site.folder / "service.out").read_text()
        tap.ok(following.returncode == 0 and f"{total} added" in said, f"{service.kind}: ingest as a service", said)
        for database in site.databases:
            done = ingested(database, total, daemon.records)
            tap.equal((done.returncode, done.stderr), (0, ""), f"{database.kind}: ingest reads the log of rsyslog")
            check_database(tap, database, records, len(fakes))
            check_forged(tap, database, f"{database.kind}, rsyslog")
            tap.equal(database.rows("SELECT * FROM refused"), [], f"{database.kind}: nothing was refused")
            done = database.fathom("ingest", daemon.records)
            tap.ok(": 0 added\n" in done.stdout and database.number() == total, f"{database.kind}: read again, nothing is added",
                   done)
    return records, len(fakes)


def through_journald(tap, site, before, others):
    why = journald.unavailable()
    if why:
        tap.skip("records through journald", why)
        return
    mpi = jobs.MPIS[-1]
    with journald.Journald() as daemon:
        site.send_by(f"send = journald\njournald_socket = {daemon.socket}\n")
        _, records = site.after(lambda: by_srun(site, mpi))
        tap.equal([facts(r) for r in records], [known(mpi)], "journald: one profile is kept")
        fake = forged(records)[0]
        send_forged(daemon.socket, [f"_UID={USER}\nMESSAGE={chunk}\nSYSLOG_IDENTIFIER=fathom\n" for chunk in log_lines.chunks(fake)])
        for database in site.databases:
            source = ("--journal-directory", daemon.journal)
            total = len(before) + len(records) + others + 1
            done = ingested(database, total, *source)
            tap.equal((done.returncode, done.stderr), (0, ""), f"{database.kind}: ingest reads the journal")
            check_database(tap, database, before + records, others + 1)
            check_forged(tap, database, f"{database.kind}, journald")
            done = database.fathom("ingest", *source)
            tap.ok(": 0 added\n" in done.stdout and database.number() == total, f"{database.kind}: read again, nothing is added",
                   done)


def check_chain(tap, site):
    with contextlib.ExitStack() as servers:
        tap.equal(site.add_database("SQLite", f"sqlite:{site.folder}/site.db").returncode, 0, "a database of SQLite")
        why = postgres.why_not()
        if why:
            tap.skip("the same with PostgreSQL", why)
        else:
            made = site.add_database("PostgreSQL", servers.enter_context(postgres.server()))
            tap.ok(made.returncode == 0, "a database of PostgreSQL", made)
        through_journald(tap, site, *through_rsyslog(tap, site))
        web.install()
        for database in site.databases:
            check_mail(tap, database)
            check_page(tap, database)


def main():
    tap = jobs.Tap()
    why = slurm.unavailable() or rsyslog.unavailable()
    if not why and not (jobs.BUILD / "spank_fathom.so").exists():
        why = "the plug-in is not built: slurm/spank.h was not found"
    if why:
        tap.skip("from Slurm to the report", why)
        tap.done()
    with Chain() as site:
        try:
            check_chain(tap, site)
        except Exception as error:  # pylint: disable=broad-except
            tap.ok(False, "the test runs to its end", repr(error))
        if tap.failed:
            for name in ("slurmctld.log", "slurmd.log"):
                tap.note((site.folder / name).read_text(errors="replace")[-4000:])
    try:
        os.rmdir(f"/dev/shm/fathom-{USER}")
    except OSError:
        pass
    tap.equal(daemons.processes_of(str(site.folder)), [], "no process is left")
    tap.done()


main()
