# SPDX-License-Identifier: BSD-3-Clause
"""What a site that keeps a record of every job adds at the end of a job, and what making and sending a record takes.

A job that writes its profile into the spool itself does what every job does, only elsewhere. `fathom run` copies it there.
"""
import shutil
import subprocess
import time
import urllib.request

import common
import site_multiply

GOAL_MS = 5
GOAL_PAGE_MS = 200
GOAL_ANALYSIS_S = 60  # of 1,000,000 jobs
GOAL_MAILS_S = 60  # of a million jobs, to 1,000 users


def prepare():
    site = common.MADE / "site"
    shutil.rmtree(site, ignore_errors=True)
    (site / "spool").mkdir(parents=True)
    (site / "records").mkdir()
    (site / "site.conf").write_text(f"spool = {site}/spool\nrecord_spool = {site}/records\nsend = spool\nrun = spool\n",
                                    encoding="utf-8")
    return site


def seconds_of(command, **more):
    env = common.environment((), common.MADE / "bench.fathom", more)
    start = time.perf_counter()
    subprocess.run([str(word) for word in command], env=env, stdout=subprocess.DEVNULL, check=True, timeout=common.LIMIT_S)
    return time.perf_counter() - start


def end_of_job(site, quick):
    """A program that does nothing, so that its own time does not hide what is added."""
    job = [common.FATHOM, "run", "--quiet", "--", shutil.which("true")]
    variables = {"without": {}, "spool": {"FATHOM_SITE_CONFIG": str(site / "site.conf")}}
    found = common.alternate(common.scaled(10 if quick else 40, 2), list(variables),
                             lambda way: seconds_of(job, **variables[way]))
    added_ms = (min(found["spool"]) - min(found["without"])) * 1e3
    common.goal(added_ms <= GOAL_MS, f"'fathom run' leaves the profile in a spool: {added_ms:+.2f} ms (goal {GOAL_MS})")


def records(site, quick):
    """Not in the job: by the Epilog or a timer of the node. Of a profile with call paths and findings."""
    common.run([common.miniocean("openmpi"), "--steps", "2"], [common.LIBRARY],
               ranks=("openmpi", common.scaled(16, 2)))
    number = common.scaled(4 if quick else 20, 2)
    for spooled in (site / "spool").iterdir():
        spooled.unlink()
    for i in range(number):
        shutil.copy(common.MADE / "bench.fathom", site / "spool" / f"{i}.fathom")
    seconds = seconds_of([common.FATHOM, "site", "send", "--config", site / "site.conf"]) / number
    sizes = [path.stat().st_size for path in (site / "records").iterdir()]
    print(f"  making and sending the record of a profile: {seconds * 1e3:.0f} ms\n")
    common.goal(sizes and max(sizes) <= 5000, f"record of miniocean: {max(sizes, default=0)} bytes (goal 5000)")


def made_store(site, quick):
    """Jobs of 1,000 users with 3,000 programs on 500 hosts, over three months, in SQLite: the database and their number.
    Making them takes much longer than what is measured."""
    number = common.scaled(50_000 if quick else 1_000_000, 2_000)
    store = site / "made.db"
    subprocess.run([str(word) for word in (common.FATHOM, "site", "simulate", "--store", store, "--jobs", number, "--users", 1000,
                                           "--programs", 3000, "--hosts", 500)], check=True, timeout=7200)
    return store, number


def analysis(site, store, number, quick):
    seconds = seconds_of([common.FATHOM, "site", "analyse", "--store", store, "--days", "91", "--until", "2026-04-01", "--config",
                          site / "site.conf"])
    goal_s = GOAL_ANALYSIS_S * number / 1_000_000
    common.goal(common.trial or seconds <= goal_s, f"'fathom site analyse' of {number:,} jobs: {seconds:.1f} s (goal {goal_s:.0f})")


def mails(site, store, number, quick):
    """To every user: about a week, handed to a command that takes them all; and as files about all of the time."""
    config = site / "mail.conf"
    config.write_text(f"mail_command = {shutil.which('true')}\nmail_domain = example.org\nmail_per_minute = 0\nmail_least_hours = 0\n",
                      encoding="utf-8")
    command = [common.FATHOM, "site", "mail", "--store", store, "--config", config]
    week = seconds_of([*command, "--week", "2026-W10"])
    everything = seconds_of([*command, "--from", "2026-01-01", "--to", "2026-04-01", "-o", site / "mails"])
    print(f"  mails about three months, {number:,} jobs: {everything:.1f} s\n")
    common.goal(common.trial or week <= GOAL_MAILS_S,
                f"a week's mails to 1,000 users, of {number:,} jobs: {week:.1f} s (goal {GOAL_MAILS_S})")
    shutil.rmtree(site / "mails")


PAGE_TIMES = 10  # the jobs of the pages' database are those that were made, and so many copies: 10,000,000 in full

PAGES = {
    "who asks": "/api/site/me",
    "the latest jobs": "/api/site/jobs?limit=50&count=1",
    "the most wasted": "/api/site/jobs?limit=50&order=wasted",
    "by finding, with their number": "/api/site/jobs?limit=50&order=mpi&rule=imbalance&count=1",
    "with a tag by rule": "/api/site/jobs?limit=50&order=cpu&tag=large",
    "of a user": "/api/site/jobs?limit=50&order=wasted&user=user007",
    "a job": "/api/site/job/1777",
    "a program": "/api/site/program?program=ocean0",
    "a quarter's load by user": "/api/site/load?by=user&from=2026-01-01&to=2026-03-31",
    "a year's load by program": "/api/site/load?by=program&from=2026-01-01&to=2026-12-31",
    "a user's load by program": "/api/site/load?by=program&user=user007&from=2026-01-01&to=2026-03-31",
    "a user's summary": "/api/site/summary?user=user007&from=2026-01-01&to=2026-03-31",
    "a quarter's load by routine": "/api/site/load?by=routine&from=2026-01-01&to=2026-03-31",
    "a year's load by finding": "/api/site/load?by=finding&from=2025-04-01&to=2026-03-31",
    "a week's summary": "/api/site/summary?from=2026-03-02&to=2026-03-08",
    "a month's summary": "/api/site/summary?from=2026-02-16&to=2026-03-17",
    "a summary of 90 days": "/api/site/summary?from=2025-12-24&to=2026-03-23",
    "a quarter's summary": "/api/site/summary?from=2026-01-01&to=2026-03-31",
    "a year's summary": "/api/site/summary?from=2025-04-01&to=2026-03-31",
    "metrics": "/metrics",
}


def answer_seconds(port, path):
    """Until the answer is there: a client asks again while the server reads."""
    start = time.perf_counter()
    while True:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=common.LIMIT_S) as answer:
            answer.read()
            if answer.status != 202:
                return time.perf_counter() - start


def pages(site, store, number, quick):
    """What the pages ask `fathom serve --site`, each question for the first time: nothing of it is in the server's cache."""
    site_multiply.multiply(store, 2 if quick else PAGE_TIMES)
    number *= 2 if quick else PAGE_TIMES
    config = site / "serve.conf"
    config.write_text("http_port = 0\nprocessors = 100000\ntag = large: ranks_from=512\n", encoding="utf-8")
    server = subprocess.Popen([str(common.FATHOM), "serve", "--site", str(store), "--config", str(config)], stdout=subprocess.PIPE,
                              text=True)
    try:
        port = server.stdout.readline().rstrip().rstrip("/").rsplit(":", 1)[1]
        answer_seconds(port, "/api/site/job/1")
        found = {name: answer_seconds(port, path) * 1e3 for name, path in PAGES.items()}
    finally:
        server.terminate()
        server.wait()
    for name, ms in found.items():
        print(f"  {name:32} {ms:7.1f} ms")
    slowest = max(found, key=found.get)
    common.goal(common.trial or found[slowest] <= GOAL_PAGE_MS,
                f"pages over {number:,} jobs, the slowest ({slowest}): {found[slowest]:.0f} ms (goal {GOAL_PAGE_MS})")


def main(quick):
    common.heading("records of jobs at a site")
    site = prepare()
    end_of_job(site, quick)
    records(site, quick)
    store, number = made_store(site, quick)
    analysis(site, store, number, quick)
    mails(site, store, number, quick)
    pages(site, store, number, quick)
    store.unlink()
