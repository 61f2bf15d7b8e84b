#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""fathom site init, query, thin and export, on SQLite and on PostgreSQL."""
import csv
import json
import os
import pathlib
import shutil
import sqlite3
import stat
import sqlite3
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
sys.path[:0] = [str(SOURCE / "tests/site/store"), str(SOURCE / "tests/jobs")]
import jobs  # noqa: E402
import postgres  # noqa: E402

WORK = pathlib.Path(tempfile.mkdtemp(prefix="site-store-", dir=os.environ.get("TMPDIR")))
CONFIG = WORK / "etc/site.conf"
JOBS = 400
STATEMENTS = ["DELETE FROM jobs", "DROP TABLE jobs", "UPDATE fathom SET value = '9'", "CREATE TABLE x (a TEXT)",
              "SELECT 1; DELETE FROM jobs", "INSERT INTO names (name) VALUES ('x')"]


def run(*words, **more):
    return subprocess.run([str(BUILD / "fathom"), "site", *words], capture_output=True, text=True, check=False,
                          cwd=WORK, timeout=300, **more)


def ask(address, sql):
    done = run("query", "--store", address, "--format", "json", sql)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def fill(address):
    """Jobs made up by the unit test's own generator, 40 days long."""
    return subprocess.run([BUILD / "tests/site-store-fill", address, str(JOBS), "40"], check=False,
                          capture_output=True, text=True, timeout=300)


def check_init(tap):
    (WORK / "first.conf").write_text(f"spool = {WORK}/spool\n", encoding="utf-8")
    done = run("init", "--config", "first.conf", "--store", f"sqlite:{WORK}/var/lib/site.db")
    mode = stat.S_IMODE((WORK / "spool").stat().st_mode)
    tap.ok(done.returncode == 0 and (WORK / "var/lib/site.db").exists(), "init makes the database", done)
    tap.equal(oct(mode), "0o1733", "and a spool that nobody can look into")
    done = run("init", "--config", CONFIG, "--no-spool", "--store", f"sqlite:{WORK}/var/lib/site.db")
    text = CONFIG.read_text(encoding="utf-8")
    tap.ok(done.returncode == 0 and "#keep_days = 0" in text and f"\ndatabase = sqlite:{WORK}" in text,
           "and a commented configuration", done, text)
    again = run("init", "--config", CONFIG, "--no-spool")
    tap.ok(again.returncode == 0 and CONFIG.read_text(encoding="utf-8") == text, "which a second one leaves alone", again)
    tap.ok(again.stdout.count("(was there)") == 2, "and says what was there", again)
    tap.equal(run("query", "--config", CONFIG, "--format", "csv", "SELECT COUNT(*) AS jobs FROM jobs").stdout,
              "jobs\n0\n", "the database of the configuration is used")
    missing = run("query", "--store", f"{WORK}/none.db", "SELECT 1")
    tap.ok(missing.returncode == 1 and missing.stderr.count("\n") == 1 and "fathom site init" in missing.stderr,
           "a database that is not there", missing)


def check_owner(tap):
    """Root makes the database, and the services, which are another user, write to it; nobody else reads it."""
    name = "the database that root makes belongs to the owner of its directory"
    if os.geteuid() != 0:
        tap.skip(name, "it needs root")
        return
    folder = pathlib.Path(tempfile.mkdtemp(prefix="site-owner-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        lib = folder / "lib"
        lib.mkdir()
        os.chown(lib, 54321, 54322)
        done = run("init", "--config", folder / "site.conf", "--no-spool", "--store", lib / "site.db")
        database = (lib / "site.db").stat()
        tap.equal((done.returncode, database.st_uid, database.st_gid, oct(database.st_mode & 0o777)),
                  (0, 54321, 54322, "0o640"), name)
        as_service = ["setpriv", "--reuid=54321", "--regid=54322", "--clear-groups", str(BUILD / "fathom"), "site"]
        written = subprocess.run([*as_service, "ingest", "--config", folder / "site.conf", lib], capture_output=True,
                                 text=True, check=False, timeout=60)
        tap.ok(written.returncode == 0, "and can be written to by it", written)
        other = subprocess.run(["setpriv", "--reuid=54323", "--regid=54323", "--clear-groups", str(BUILD / "fathom"),
                                "site", "query", "--config", folder / "site.conf", "SELECT 1"],
                               capture_output=True, text=True, check=False, timeout=60)
        tap.ok(other.returncode == 1 and "Permission denied" in other.stderr, "but not read by others", other)
        (lib / "site.db").chmod(0o644)
        other = subprocess.run(other.args, capture_output=True, text=True, check=False, timeout=60)
        tap.ok(other.returncode == 1 and "write to it" in other.stderr, "nor by those who may only read the file", other)
    finally:
        shutil.rmtree(folder)


def check_query(tap, address, kind):
    before = ask(address, "SELECT COUNT(*) AS n FROM jobs")
    tap.equal(before, [{"n": JOBS}], f"{kind}: query counts jobs")
    table = run("query", "--store", address, "SELECT id, user_name, cpu_s FROM jobs ORDER BY id LIMIT 3").stdout
    tap.ok(len(table.splitlines()) == 4 and table.startswith("id  user_name"), f"{kind}: as a table", table)
    for sql in STATEMENTS:
        done = run("query", "--store", address, sql)
        tap.ok(done.returncode in (1, 2) and done.stderr.count("\n") == 1, f"{kind}: refused: {sql}", done)
    tap.equal(ask(address, "SELECT COUNT(*) AS n FROM jobs"), before, f"{kind}: nothing has changed")
    sums = ask(address, "SELECT SUM(jobs) AS jobs, SUM(cpu_s) AS cpu FROM jobs_by_month")[0]
    all_jobs = ask(address, "SELECT SUM(weight) AS jobs, SUM(cpu_s * weight) AS cpu FROM jobs")[0]
    tap.ok(sums["jobs"] == all_jobs["jobs"] and abs(sums["cpu"] / all_jobs["cpu"] - 1) < 1e-9,
           f"{kind}: views have what jobs have", sums, all_jobs)


def convert(value, type_name):
    if value == "":
        return None
    if type_name in ("int64", "timestamp[s, tz=UTC]"):
        return int(value)
    if type_name == "bool":
        return {"0": False, "1": True}[value]
    return float(value) if type_name == "double" else value


def check_export(tap, address, kind):
    out = WORK / f"out-{kind}"
    done = run("export", "--to", "csv", "--store", address, str(out))
    tap.ok(done.returncode == 0, f"{kind}: export", done)
    tables = sorted(path.stem for path in out.glob("*.csv"))
    tap.equal(sorted(path.name.removesuffix(".schema.json") for path in out.glob("*.json")), tables,
              f"{kind}: a schema beside each of {len(tables)} tables")
    bad, rows = [], {}
    for table in tables:
        schema = json.loads((out / f"{table}.schema.json").read_text(encoding="utf-8"))["columns"]
        with open(out / f"{table}.csv", newline="", encoding="utf-8") as lines:
            rows[table] = list(csv.DictReader(lines))
        for row in rows[table]:
            if list(row) != [column["name"] for column in schema]:
                bad.append((table, list(row)))
            for column in schema:
                try:
                    convert(row[column["name"]], column["type"])
                except (ValueError, KeyError) as error:
                    bad.append((table, column, error))
    tap.ok(not bad, f"{kind}: every value is of the type that the schema says", bad[:5])
    tap.equal(len(rows["jobs"]), JOBS, f"{kind}: all jobs")
    calls = sum(float(row["calls"] or 0) for row in rows["routines"])
    tap.ok(calls > 0 and calls == ask(address, "SELECT SUM(calls) AS n FROM day_routines")[0]["n"],
           f"{kind}: all routines", calls)
    some = run("export", "--store", address, "--table", "jobs", "--from", "2099-01-01", str(out / "later"))
    tap.equal((some.returncode, len((out / "later/jobs.csv").read_text(encoding="utf-8").splitlines())), (0, 1),
              f"{kind}: none of a later time")
    day = ask(address, "SELECT ended / 86400 AS day, COUNT(*) AS n FROM jobs GROUP BY 1 ORDER BY 2 DESC LIMIT 1")[0]
    date = time.strftime("%Y-%m-%d", time.gmtime(day["day"] * 86400))
    one = run("export", "--store", address, "--table", "jobs", "--from", date, "--until", date, str(out / "day"))
    tap.equal((one.returncode, len((out / "day/jobs.csv").read_text(encoding="utf-8").splitlines())), (0, 1 + day["n"]),
              f"{kind}: --until is the last day, as in reports")
    wrong = [run("export", "--store", address, "--from", "2026-02-01", "--until", until, str(out)).returncode
             for until in ("2026-01-31", "2026-02-30")]
    tap.equal(wrong, [2, 2], f"{kind}: days the wrong way round, or that do not exist")
    tap.equal(run("export", "--store", address, "--table", "x", str(out)).returncode, 2, f"{kind}: an unknown table")


def check_formulas(tap, address):
    """A program or a user may have any name; a spreadsheet evaluates none."""
    name, out = "export: no text is a formula, and numbers are left as they are", WORK / "formulas"
    with sqlite3.connect(address.removeprefix("sqlite:")) as store:
        store.execute("UPDATE jobs SET program = '=1+1', user_name = '@SUM(A1)', account = '-2', mpi_fraction = -0.5")
    done = run("export", "--store", address, "--table", "jobs", str(out))
    with open(out / "jobs.csv", newline="", encoding="utf-8") as lines:
        row = next(csv.DictReader(lines))
    tap.equal((done.returncode, row["program"], row["user_name"], row["account"], row["mpi_fraction"]),
              (0, "'=1+1", "'@SUM(A1)", "-2", "-0.5"), name)


def check_thin(tap, address, kind):
    total = ask(address, "SELECT SUM(cpu_us) AS n FROM month_jobs")
    done = run("thin", "--store", address, "--keep-days", "30", "--thin-days", "10", "--one-of", "5")
    left = ask(address, "SELECT COUNT(*) AS n, MIN(started) AS first FROM jobs")[0]
    tap.ok(done.returncode == 0 and 50 < left["n"] < JOBS * 0.8, f"{kind}: thin deletes old and tiny jobs", done, left)
    tap.equal(ask(address, "SELECT SUM(cpu_us) AS n FROM month_jobs"), total, f"{kind}: roll-ups stay")
    again = run("thin", "--store", address)
    tap.ok(again.returncode == 0 and "for ever" in again.stdout, f"{kind}: nothing is deleted unless asked for", again)


def check(tap, address, kind):
    done = run("init", "--store", address, "--config", WORK / f"{kind}.conf", "--no-spool")
    filled = fill(address)
    tap.ok(done.returncode == 0 and filled.returncode == 0, f"{kind}: a database with jobs", done, filled)
    check_query(tap, address, kind)
    check_export(tap, address, kind)
    check_thin(tap, address, kind)
    if kind == "sqlite":
        check_formulas(tap, address)


def main():
    os.environ.pop("FATHOM_STORE", None)
    os.environ["FATHOM_SITE_CONFIG"] = str(CONFIG)
    tap = jobs.Tap()
    check_init(tap)
    check_owner(tap)
    check(tap, f"sqlite:{WORK}/jobs.db", "sqlite")
    why = postgres.why_not()
    if why:
        tap.skip("the same on PostgreSQL", why)
    else:
        with postgres.server() as address:
            check(tap, address, "postgresql")
    shutil.rmtree(WORK)
    tap.done()


main()
