#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Databases of every version of the schema are brought up to date and have what they had."""
import collections
import datetime
import gzip
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
sys.path[:0] = [str(SOURCE / "tests/site/store"), str(SOURCE / "tests/jobs")]
import jobs  # noqa: E402
import postgres  # noqa: E402

OLD = SOURCE / "tests/site/old"
WORK = pathlib.Path(tempfile.mkdtemp(prefix="old-", dir=os.environ.get("TMPDIR")))
FACTS = json.loads((OLD / "facts.json").read_text(encoding="utf-8"))
QUESTION = ("SELECT (SELECT COUNT(*) FROM jobs) AS jobs, (SELECT ROUND(SUM(cpu_s)) FROM jobs) AS cpu_s, "
            "(SELECT SUM(calls) FROM day_routines) AS calls, (SELECT SUM(jobs) FROM month_groups) AS in_groups, "
            "(SELECT COUNT(*) FROM findings) AS findings")


def site(*words):
    return subprocess.run([str(BUILD / "fathom"), "site", *words], capture_output=True, text=True, check=False,
                          cwd=WORK, timeout=300)


def make_sqlite(version, number):
    path = WORK / f"{version}-{number}.db"
    database = sqlite3.connect(path)
    database.executescript(gzip.decompress((OLD / f"{version}.sqlite.sql.gz").read_bytes()).decode())
    database.close()
    return f"sqlite:{path}"


def make_postgres(version, address):
    psql = [str(postgres.programs() / "psql"), "-q", "-X", "-v", "ON_ERROR_STOP=1"]
    base = address.replace("/site?", "/postgres?")
    name = f"old{version}"
    subprocess.run([*psql, base, "-c", f"CREATE DATABASE {name}"], check=True)
    text = gzip.decompress((OLD / f"{version}.postgres.sql.gz").read_bytes())
    subprocess.run([*psql, address.replace("/site?", f"/{name}?")], input=text, stdout=subprocess.DEVNULL, check=True)
    return address.replace("/site?", f"/{name}?")


def first_of(step, day):
    """The first day of the week or quarter that has a day (src/site/store/steps.h)."""
    date = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
    if step == "week":
        date = date.replace(day=min(7 * ((date.day - 1) // 7), 21) + 1)
    else:
        date = date.replace(month=3 * ((date.month - 1) // 3) + 1, day=1)
    return (date - datetime.date(1970, 1, 1)).days


def rows_of(address, table):
    got = site("query", "--format", "json", "--store", address, f"SELECT * FROM {table}")
    return json.loads(got.stdout)


def check_steps(tap, address, name):
    """Weeks and quarters have the sums of their days."""
    keys = {"users": ["user_id"], "programs": ["program_id", "user_id"], "hosts": ["host_id"],
            "all_routines": ["language_id", "ranks_class", "routine_id"]}
    for roll_up, others in keys.items():
        days = rows_of(address, f"day_{roll_up}")
        for step in ("week", "quarter"):
            sums = {}
            for row in days:
                cell = sums.setdefault((first_of(step, row["day"]), *(row[key] for key in others)), collections.Counter())
                cell.update({value: row[value] for value in row if value not in ("day", *others)})
            got = {tuple(row[key] for key in ("day", *others)): {value: row[value] for value in row if value not in ("day", *others)}
                   for row in rows_of(address, f"{step}_{roll_up}")}
            tap.ok(days and got == sums, f"{name}: {roll_up} by {step}", got, sums)


def check(tap, version, address, kind):
    done = site("init", "--no-spool", "--config", str(WORK / "site.conf"), "--store", address)
    tap.ok(done.returncode == 0, f"version {version} of {kind} is brought up to date", done)
    got = site("query", "--format", "json", "--store", address, QUESTION)
    facts = json.loads(got.stdout)[0] if got.returncode == 0 else got.stderr
    tap.equal(facts, FACTS[version], f"version {version} of {kind} has what it had")
    sums = ("SELECT COUNT(*) AS rows FROM (SELECT {what} FROM {fine} GROUP BY {keys} EXCEPT SELECT {own} FROM {coarse}) d")
    for fine, coarse, keys, value in (("day_jobs", "day_programs", "day, program_id, user_id", "cpu_us"),
                                      ("month_jobs", "month_classes", "day, language_id, ranks_class, cpu_class, critical", "jobs"),
                                      ("month_routines", "month_all_routines", "day, language_id, ranks_class, routine_id", "calls")):
        got = site("query", "--format", "json", "--store", address,
                   sums.format(what=f"{keys}, SUM({value})", fine=fine, keys=keys, own=f"{keys}, {value}", coarse=coarse))
        tap.ok(got.returncode == 0 and json.loads(got.stdout)[0]["rows"] == 0, f"version {version} of {kind}: {coarse}", got)
    check_steps(tap, address, f"version {version} of {kind}")
    out = WORK / f"{version}-{kind}"
    done = site("export", "--store", address, "--table", "routines", str(out))
    lines = len((out / "routines.csv").read_text(encoding="utf-8").splitlines()) if done.returncode == 0 else 0
    tap.ok(lines > FACTS[version]["jobs"], f"version {version} of {kind}: its records can be read", done)
    filled = subprocess.run([BUILD / "tests/site-store-fill", address, "50", "3"], capture_output=True, text=True,
                            check=False, timeout=300)
    tap.ok(filled.returncode == 0, f"version {version} of {kind}: new jobs are added", filled)
    check_steps(tap, address, f"version {version} of {kind} with new jobs")


def main():
    tap = jobs.Tap()
    for number, version in enumerate(FACTS):
        check(tap, version, make_sqlite(version, number), "SQLite")
    why = postgres.why_not()
    if why:
        tap.skip("the same on PostgreSQL", why)
    else:
        with postgres.server() as address:
            for version in FACTS:
                check(tap, version, make_postgres(version, address), "PostgreSQL")
    shutil.rmtree(WORK)
    tap.done()


main()
