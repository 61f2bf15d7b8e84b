#!/usr/bin/env python3
"""What is hidden in a simulated site is found again, and nothing else."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
sys.path.insert(0, str(SOURCE / "tests/jobs"))
import jobs  # noqa: E402

WORK = pathlib.Path(tempfile.mkdtemp(prefix="simulate-", dir=os.environ.get("TMPDIR")))
os.environ["FATHOM_SITE_CONFIG"] = str(WORK / "site.conf")  # not the machine's own


def fathom(*words):
    return subprocess.run([str(BUILD / "fathom"), "site", *words], capture_output=True, text=True, cwd=WORK, check=False)


def on_terminal(*words):
    """What a terminal shows that has the errors, and the result on standard output, which is none."""
    ours, theirs = os.openpty()
    with subprocess.Popen([str(BUILD / "fathom"), "site", *words], stdout=subprocess.PIPE, stderr=theirs, text=True, cwd=WORK) as process:
        os.close(theirs)
        printed, shown = process.stdout.read(), b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the other end is closed
            pass
    os.close(ours)
    return printed, shown.decode()


def main():
    tap = jobs.Tap()
    fathom("init", "--no-spool", "--store", "site.db")
    first = fathom("simulate", "--jobs", "50", "--seed", "3").stdout
    tap.ok(first and first == fathom("simulate", "--jobs", "50", "--seed", "3").stdout and
           first != fathom("simulate", "--jobs", "50", "--seed", "4").stdout, "the same seed makes the same jobs")
    longest = max(len(line.split(" ", 1)[1]) for line in first.splitlines())
    tap.ok(longest <= 5000, "records have at most 5,000 bytes", longest)
    made = fathom("simulate", "--store", "site.db", "--jobs", "2000")
    report = fathom("report", "--store", "site.db", "--from", "2026-01-01", "--to", "2026-04-01", "--format", "json")
    site = json.loads(report.stdout)["site"]
    tap.ok(made.returncode == 0 and site["totals"]["jobs"] == 2000, "all jobs are in the database", made, site["totals"])
    again = fathom("simulate", "--store", "site.db", "--jobs", "2000")
    same = json.loads(fathom("report", "--store", "site.db", "--from", "2026-01-01", "--to", "2026-04-01", "--format",
                             "json").stdout)["site"]
    tap.ok(again.returncode == 0 and same == site, "once", same["totals"])
    printed, shown = on_terminal("simulate", "--jobs", "2500")
    stored = on_terminal("simulate", "--store", "progress.db", "--jobs", "2500")[1]
    wanted = "".join(f"\r{n} of 2500 jobs ({n // 25} %)" for n in (1000, 2000, 2500)) + "\r\n"
    tap.ok(printed.count("\n") == 2500 and shown == wanted and stored == wanted, "progress on a terminal, not in the records", shown, stored)
    tap.ok(not made.stderr, "and nowhere else", made.stderr)
    fathom("init", "--no-spool", "--store", "long.db")
    long_ago = fathom("simulate", "--store", "long.db", "--jobs", "200", "--days", "700")
    ended = json.loads(fathom("query", "--store", "long.db", "--format", "json", "SELECT COUNT(*) AS n FROM jobs").stdout)
    tap.ok(long_ago.returncode == 0 and ended == [{"n": 200}], "jobs of two years, none of them in the future", long_ago, ended)
    planted = {one["name"]: one["factor"] for one in json.loads(fathom("simulate", "--answers").stdout)["planted"]
               if one["kind"] == "slow_host"}
    slow = {row["host"]: row["slower"] for row in site["hosts"] if row["slower"] is not None and row["slower"] > 0.05}
    tap.ok(len(planted) == 2 and slow.keys() == planted.keys(), "the slow hosts, and no others, are slow", slow, planted)
    shutil.rmtree(WORK)
    tap.done()


if __name__ == "__main__":
    main()
