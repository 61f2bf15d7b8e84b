#!/usr/bin/env python3
"""fathom site report: all of one job, and pages of HTML that nobody's names can break; on SQLite and on PostgreSQL."""
import csv
import email
import html.parser
import io
import json
import os
import pathlib
import shutil
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

WORK = pathlib.Path(tempfile.mkdtemp(prefix="report-", dir=os.environ.get("TMPDIR")))
os.environ["FATHOM_SITE_CONFIG"] = str(WORK / "site.conf")  # not the machine's own configuration
EVIL = "<script>alert(1)</script>'\"&\x1b[31m'; DROP TABLE jobs; --"
CALIBRATION = {"fathom_calibration": 1, "routines": [
    {"name": "MPI_Allreduce", "latency_s": 1e-5, "bandwidth_bytes_per_s": 1e6}, {"name": "MPI_Waitall", "latency_s": 1e-6}]}
VOID = {"meta", "br"}


class Page(html.parser.HTMLParser):
    """Elements of a page, in which everything that is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.attributes, self.wrong, self.words = [], [], set(), [], ""
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("/" + tag)

    def handle_data(self, data):
        self.words += data


def record(number, batch, program="pop", **more):
    ended = 1774915200 + 100 * number
    return {"fathom": 1, "record": 1,
            "job": {"key": "%032x" % number, "id": batch, "user": EVIL, "account": EVIL, "partition": EVIL, "program": program,
                    "command": EVIL, "mpi": "Open MPI " + EVIL, "language": "C", "compiler": EVIL, "launcher": "mpirun",
                    "started": stamp(ended - 60), "ended": stamp(ended), "ranks": 4, "hosts": 2, "complete": True, "wall_s": 60,
                    "wall_sum_s": 240, "overhead_s": 0.5, "environment": {"OMPI_MCA_" + EVIL: EVIL}},
            "mpi": {"time_s": 60 + number, "routines": [
                {"name": "MPI_Waitall", "calls": 1000, "time_s": 10},
                {"name": "MPI_Allreduce", "calls": 4000, "time_s": 40, "bytes": 5000000, "count_arguments": 7, "comm_calls": 16000},
                {"name": EVIL, "calls": 1, "time_s": 1}],
                    "regions": [{"path": EVIL, "wall_s": 3, "mpi_s": 1, "entries": 2}]},
            "split": {"program_s": 180}, "efficiency": {"parallel": 0.5 + number / 100},
            "findings": [{"rule": "imbalance", "text": EVIL, "cost_s": 24, "function": EVIL, "file": EVIL, "line": 7}],
            "timers": [{"name": EVIL, "time_s": 1, "events": 1}],
            "hosts": [{"name": EVIL, "ranks": 2, "slowness": 1.25}, {"name": "node2", "ranks": 2, "slowness": 0.75}], **more}


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def fathom(*words):
    return subprocess.run([str(BUILD / "fathom"), "site", *words], capture_output=True, text=True, cwd=WORK, check=False)


class Site:
    def __init__(self, tap, engine, store):
        self.tap, self.engine, self.store = tap, engine, store
        fathom("init", "--no-spool", "--store", store)
        self.read = fathom("ingest", "--store", store, "records.log")

    def report(self, *words):
        return fathom("report", "--store", self.store, "--calibration", "calibration.json", *words)

    def json(self, *words):
        got = self.report("--format", "json", *words)
        return json.loads(got.stdout)["site"] if got.returncode == 0 else {"failed": got}

    def ok(self, good, what, *why):
        self.tap.ok(good, f"{self.engine}: {what}", *why)


def check_job(site):
    found = site.json("--job", "4711")["jobs"]
    job = found[0]
    site.ok(len(found) == 1 and job["uid"] == 1003 and job["job"]["user"] == "1003" and job["job"]["ranks"] == 4 and
            job["efficiency"]["parallel"] == 0.53, "a job by the id of the batch system", job)
    by_number = site.json("--job", f"#{job['number']}")["jobs"]
    site.ok(by_number == found, "and by its number in the database", by_number)
    names = [row["name"] for row in job["routines"]]
    site.ok(names[:2] == ["MPI_Allreduce", "MPI_Waitall"] and job["routines"][0]["calls_per_rank"] == 1000 and
            job["routines"][0]["bytes_per_call"] == 1250, "its routines, those with the most time first", job["routines"])
    row = job["estimates"][0]
    site.ok(abs(row["latency_s"] - 0.04) < 1e-6 and abs(row["transfer_s"] - 5) < 1e-6 and
            abs(row["synchronisation_s"] - 34.96) < 1e-6, "split by the calibration", row)
    site.ok([row["host"] for row in job["hosts"]][1:] == ["node2"] and job["hosts"][1]["slower"] == -0.25 and
            job["findings"][0]["cost_s"] == 24 and len(job["settings"]) == 1 and len(job["timers"]) == 1,
            "hosts, findings, settings and timers", job["hosts"], job["findings"])
    efficiency = next(row for row in job["compared"] if row["figure"].startswith("parallel"))
    site.ok(efficiency["runs"] == 5 and efficiency["value"] == 53 and efficiency["min"] == 51 and efficiency["max"] == 55,
            "where it stands among the runs of its program", efficiency)
    site.ok(len(job["runs"]) == 4 and job["number"] not in [row["number"] for row in job["runs"]], "these runs", job["runs"])
    several = site.json("--job", "815")["jobs"]
    site.ok(len(several) == 2 and several[0]["job"]["ended"] > several[1]["job"]["ended"],
            "all jobs of that id, the latest first", several)
    rows = list(csv.DictReader(io.StringIO(site.report("--job", "4711", "--format", "csv", "--table", "routines").stdout)))
    site.ok(rows and rows[0]["name"] == "MPI_Allreduce" and float(rows[0]["time_s"]) == 40, "a table as CSV", rows)
    one = site.report("--job", "4711", "--table", "hosts").stdout
    site.ok("node2" in one and "-25.0" in one and "MPI_Allreduce" not in one and "parallel efficiency" not in one,
            "one table as text: a faster host has a minus", one)
    many = site.report("--job", "815", "--format", "csv", "--table", "routines")
    site.ok(many.returncode == 1 and "#" in many.stderr, "of one job only", many)
    for words, status in ((["--job", "4712"], 1), (["--job", "x' OR '1'='1"], 1), (["--job", "1", "--user", "u"], 2),
                          (["--job", "1", "--week", "last"], 2), (["--job", "4711", "--table", "users"], 2)):
        got = site.report(*words)
        site.ok(got.returncode == status and got.stderr.count("\n") == 1 and not got.stdout, " ".join(words), got)


def check_numbers(site):
    got = site.report("--from", "2026-03-30", "--to", "2026-04-01", "--format", "csv", "--table", "critical_jobs").stdout
    rows = list(csv.DictReader(io.StringIO(got)))
    site.ok(rows and all(row["number"].isdigit() and row["ranks"].isdigit() for row in rows), "whole numbers in CSV", got[:600])


def check_pages(site):
    for what, words in (("a summary", ["--from", "2026-03-30", "--to", "2026-04-01"]), ("a job", ["--job", "4711"])):
        text = site.report(*words)
        got = site.report("--format", "html", *words)
        page = Page(got.stdout)
        site.ok(got.returncode == 0 and not page.wrong and not set(page.elements) & {"script", "img", "iframe", "link"} and
                not any(name.startswith("on") for name in page.attributes), what + " as HTML has no scripts",
                got.stderr, page.wrong)
        site.ok("<script>alert(1)</script>" in page.words and "MPI_Allreduce" in page.words and "\x1b" not in got.stdout,
                "names are text there", got.stdout[-3000:])
        site.ok("\x1b" not in text.stdout and "<script>" in text.stdout, "as they are in the text, without escape sequences",
                text.stdout[-3000:])
        headings = [line.split("  ")[0] for line in text.stdout.splitlines() if line.startswith("routine ")]
        site.ok(headings and page.elements.count("table") == len(
            [line for line in text.stdout.split("\n\n") if "\n" in line.strip("\n")]), "with the same tables", headings)
    whole = site.report("--from", "2026-03-30", "--to", "2026-04-01", "--format", "html", "-o", "page.html")
    page = (WORK / "page.html").read_text(encoding="utf-8")
    site.ok(whole.returncode == 0 and page.startswith("<!doctype html>") and 'id="critical_jobs"' in page,
            "written to a file, with the critical jobs", whole)


def check(tap, engine, store):
    site = Site(tap, engine, store)
    site.ok(site.read.returncode == 0 and "6 added" in site.read.stdout, "records with hostile names are read", site.read)
    check_job(site)
    check_numbers(site)
    check_pages(site)


def check_unknown(tap):
    """A job without an efficiency wastes nobody knows how much: that is not nothing, whatever its CPU time."""
    made = {"alpha": record(1, "1", "alpha"), "beta": record(2, "2", "beta"), "gamma": record(3, "3", "gamma")}
    made["beta"]["efficiency"]["parallel"] = 1
    del made["gamma"]["efficiency"], made["gamma"]["split"]
    for one in made.values():
        one["job"].update(ranks=400, wall_sum_s=24000 if one is made["gamma"] else 20000)
    with open(WORK / "unknown.log", "w", encoding="utf-8") as log:
        for number, program in enumerate(made):
            log.writelines(log_lines.lines(3987000 + number, json.dumps(made[program])))
    fathom("init", "--no-spool", "--store", "unknown.db")
    got = fathom("ingest", "--quiet", "--store", "unknown.db", WORK / "unknown.log")
    days = ("--store", "unknown.db", "--from", "2026-03-31", "--to", "2026-03-31")
    rows = json.loads(fathom("report", *days, "--format", "json").stdout)["site"]["programs"]
    tap.ok([(row["program"], row["wasted_s"] is None) for row in rows] == [("alpha", False), ("beta", False), ("gamma", True)],
           "programs whose waste is unknown are after those that waste nothing", got, rows)
    totals = json.loads(fathom("report", *days, "--user", "3987002", "--format", "json").stdout)["site"]["totals"]
    tap.ok(totals["wasted_s"] is None and totals["cpu_s"] == 24000, "nor is their sum nothing", totals)
    mails = fathom("mail", *days, "-o", "mails")
    texts = {path.stem: email.message_from_bytes(path.read_bytes()).get_payload(0).get_payload(decode=True).decode()
             for path in (WORK / "mails").glob("*.eml")}
    tap.equal({user: "unknown" in text for user, text in texts.items()}, {"3987000": False, "3987001": False, "3987002": True},
              "mails say unknown, too")


def main():
    tap = jobs.Tap()
    check_unknown(tap)
    (WORK / "calibration.json").write_text(json.dumps(CALIBRATION), encoding="utf-8")
    with open(WORK / "records.log", "w", encoding="utf-8") as log:
        for number in range(1, 6):
            log.writelines(log_lines.lines(1000 + number, json.dumps(record(number, "4711" if number == 3 else "815"
                                                                            if number > 3 else EVIL))))
        log.writelines(log_lines.lines(1006, json.dumps(record(6, "99", EVIL))))
    check(tap, "SQLite", "site.db")
    why_not = postgres.why_not()
    if why_not:
        tap.skip("the same on PostgreSQL", why_not)
    else:
        with postgres.server() as address:
            check(tap, "PostgreSQL", address)
    shutil.rmtree(WORK)
    tap.done()


if __name__ == "__main__":
    main()
