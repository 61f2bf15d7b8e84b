# SPDX-License-Identifier: BSD-3-Clause
"""How many records a second `fathom site ingest` puts from a log of rsyslog into a database: SQLite, and a PostgreSQL server that
writes to the disk as it does by default. The program that adds records alone, without a log, is bench/site_store.c."""
import json
import os
import subprocess
import sys
import time

import common

sys.path[:0] = [str(common.SOURCE / "tests/site"), str(common.SOURCE / "tests/site/store")]
import log_lines  # noqa: E402
import postgres  # noqa: E402

GOAL_PER_S = 2000


def made_log(path, number):
    """Records of jobs that end within a day, in chunks, as the log daemon writes them: in the order of their ends."""
    command = [str(common.FATHOM), "site", "simulate", "--jobs", str(number), "--users", "1000", "--programs", "3000", "--hosts", "500",
               "--days", "1"]
    made = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    records = [record.split(" ", 1) for record in made]
    records.sort(key=lambda record: json.loads(record[1])["job"]["ended"])
    with path.open("w", encoding="utf-8") as log:
        for uid, text in records:
            log.writelines(log_lines.line(int(uid), chunk) for chunk in log_lines.chunks(text))


def ingest(log, address, number):
    """Seconds, and the CPU seconds of the command itself."""
    subprocess.run([str(common.FATHOM), "site", "init", "--no-spool", "--config", str(log.with_name("site.conf")), "--store", address],
                   check=True, stdout=subprocess.DEVNULL)
    before = os.times()
    start = time.perf_counter()
    subprocess.run([str(common.FATHOM), "site", "ingest", "--quiet", "--store", address, str(log)], check=True, timeout=common.LIMIT_S)
    seconds, after = time.perf_counter() - start, os.times()
    asked = subprocess.run([str(common.FATHOM), "site", "query", "--store", address, "SELECT count(*) FROM jobs"], check=True,
                           capture_output=True, text=True).stdout
    if str(number) not in asked.split():
        sys.exit(f"bench: {number} records were in the log, in the database are: {asked}")
    return seconds, after.children_user + after.children_system - before.children_user - before.children_system


def measure(name, log, number, new_address, times):
    found = []
    for i in range(times):
        found.append(ingest(log, new_address(i), number))
    seconds, cpu = min(found)
    common.goal(common.trial or number / seconds >= GOAL_PER_S,
                f"{name}: {number / seconds:,.0f} records a second, {cpu / number * 1e6:.0f} us of CPU time each (goal {GOAL_PER_S:,})")


def main(quick):
    common.heading("records from a log into a database")
    number = common.scaled(10_000 if quick else 100_000, 500)  # a day of a centre with 40 million jobs a year
    times = common.scaled(1 if quick else 2, 1)
    folder = common.MADE / "ingest"
    subprocess.run(["rm", "-rf", str(folder)], check=True)
    folder.mkdir(parents=True)
    log = folder / "records.log"
    made_log(log, number)
    print(f"  {number:,} records, {log.stat().st_size / number / 1e3:.1f} kB each in the log\n")
    measure("SQLite", log, number, lambda i: str(folder / f"{i}.db"), times)
    why_not = postgres.why_not()
    if why_not:
        print(f"  PostgreSQL: not measured, {why_not}")
    else:
        with postgres.server(durable=True) as address:
            measure("PostgreSQL", log, number, lambda i: address.replace("/site?", f"/site{i}?"), times)
    subprocess.run(["rm", "-rf", str(folder)], check=True)
