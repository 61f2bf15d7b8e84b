# SPDX-License-Identifier: BSD-3-Clause
"""Makes a large database of a site out of a smaller one: site_multiply.py FILE TIMES.

Simulating and reading ten million records takes hours; copying rows takes minutes. Each copy of the jobs has numbers and
keys of its own and is earlier by some days, spread over a year, and roll-ups are what they would be. Copies have no
documents. With more than TIMES_EXACT copies the largest tables would need most of the time: hosts are copied that often
only, and roll-ups whose cells have routines, groups or settings are moved by whole quarters, four times, with their sums multiplied.
"""
import sqlite3
import sys
import time

DAYS = 365
QUARTER = 91
TIMES_EXACT = 10
ROUGH = ("day_routines", "day_groups", "day_settings")  # beyond that number


def columns_of(database, table):
    """Key columns and others."""
    rows = database.execute(f"PRAGMA table_info({table})").fetchall()
    return [row[1] for row in rows if row[5]], [row[1] for row in rows if not row[5]]


def shifted(columns, changed):
    return ", ".join(changed.get(column, column) for column in columns)


def copy_jobs(database, times):
    number = database.execute("SELECT MAX(id) FROM jobs").fetchone()[0]
    indexes = database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL "
                               "AND tbl_name IN ('jobs', 'findings', 'hosts')").fetchall()
    for name, _ in indexes:
        database.execute(f"DROP INDEX {name}")
    for i in range(1, times):
        earlier = i * DAYS // times * 86400
        for table, job in (("jobs", "id"), ("findings", "job"), ("hosts", "job")):
            if table == "hosts" and i >= TIMES_EXACT:
                continue
            columns = sum(columns_of(database, table), [])
            changed = {job: f"{job} + {i * number}", "started": f"started - {earlier}", "ended": f"ended - {earlier}",
                       "key": f"printf('%06x', {i}) || substr(key, 7)"}
            database.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {shifted(columns, changed)} FROM {table} "
                             f"WHERE {job} <= {number}")
    for _, sql in indexes:
        database.execute(sql)
    database.execute("UPDATE fathom SET value = ? WHERE name = 'next_job'", (str(times * number + 1),))


def copy_days(database, table, times):
    keys, values = columns_of(database, table)
    rough = times > TIMES_EXACT and table in ROUGH
    shifts = [(i * QUARTER, times / 4) for i in range(4)] if rough else [(i * DAYS // times, 1) for i in range(times)]
    database.execute(f"CREATE TEMP TABLE old AS SELECT * FROM {table}")
    database.execute(f"DELETE FROM {table}")
    for earlier, factor in shifts:
        changed = {"day": f"day - {earlier}", **{value: f"{value} * {factor}" for value in values if factor != 1}}
        add = ", ".join(f"{value} = {value} + excluded.{value}" for value in values)
        database.execute(f"INSERT INTO {table} ({', '.join(keys + values)}) SELECT {shifted(keys + values, changed)} FROM old "
                         f"WHERE true ORDER BY {', '.join(keys)} ON CONFLICT DO UPDATE SET {add}")
    database.execute("DROP TABLE old")


MONTH = "CAST(strftime('%s', day * 86400, 'unixepoch', 'start of month') AS INTEGER) / 86400"
STEPS = {  # first day (src/site/store/steps.h)
    "week": f"{MONTH} + 7 * MIN((day - {MONTH}) / 7, 3)",
    "month": MONTH,
    "quarter": ("CAST(strftime('%s', day * 86400, 'unixepoch', 'start of month', "
                "(- (strftime('%m', day * 86400, 'unixepoch') - 1) % 3) || ' months') AS INTEGER) / 86400"),
}


def sum_days(database, roll_up, step):
    """The table of weeks, months or quarters, from that of days."""
    first, table = STEPS[step], f"{step}_{roll_up}"
    keys, values = columns_of(database, table)
    database.execute(f"DELETE FROM {table}")
    database.execute(f"INSERT INTO {table} ({', '.join(keys + values)}) SELECT {first}, {', '.join(keys[1:])}, "
                     f"{', '.join(f'SUM({value})' for value in values)} FROM day_{roll_up} "
                     f"GROUP BY {first}, {', '.join(keys[1:])}")


def multiply(path, times):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode = DELETE")
    for pragma in ("synchronous = OFF", "journal_mode = OFF", "cache_size = -2000000", "temp_store = FILE"):
        database.execute(f"PRAGMA {pragma}")
    start = time.perf_counter()
    copy_jobs(database, times)
    print(f"jobs: {time.perf_counter() - start:.0f} s", flush=True)
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    for table in tables:
        step, _, roll_up = table.partition("_")
        if step != "day":
            continue
        copy_days(database, table, times)
        for longer in STEPS:
            if f"{longer}_{roll_up}" in tables:
                sum_days(database, roll_up, longer)
        print(f"{roll_up}: {time.perf_counter() - start:.0f} s", flush=True)
    database.execute("PRAGMA journal_mode = WAL")
    database.close()


if __name__ == "__main__":
    multiply(sys.argv[1], int(sys.argv[2]))
