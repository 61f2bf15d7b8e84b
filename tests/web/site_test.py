#!/usr/bin/env python3
"""The pages of a site: their numbers are those of the server's answers and of `fathom site report`; filters, order, pages and
columns of the job list; tags; users see their own jobs only; names from records stay text."""
import json
import os
import shutil
import sys

import web
from web import jobs

sys.path.insert(0, str(jobs.SOURCE / "tests/site"))
import log_lines  # noqa: E402

SCRIPT = "<script>window.owned=1</script><img src=x onerror=window.owned=1>\"'&amp;${7*7}"
HOSTILE = {"script": SCRIPT, "right-to-left": "‮אבג‏", "long": "x" * 4000, "path": "../a b/%2f?#&=",
           "formula": "=HYPERLINK(1)"}
DAY = "2026-03-30"
STAFF, USER = "a-token-of-the-staff", "a-token-of-one-user"
OWN = "user000"
PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 1000; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""


def site(*words):
    return web.fathom("site", *words)


def hostile_records(folder):
    """Records of users with names that a browser would run, obey or show as another text, as a log has them."""
    like = json.loads(site("simulate", "--jobs", "1").decode().split(" ", 1)[1])
    lines = []
    for number, (kind, name) in enumerate(HOSTILE.items()):
        job = {**like["job"], "key": f"{number + 1:032x}", "id": name[:100], "program": name, "account": name[:100],
               "end": name[:100], "complete": False}
        document = {"fathom": 1, "job": {key: job[key] for key in ("key", "id", "program", "account", "end", "complete",
                                                                    "started", "ended", "ranks", "wall_s", "wall_sum_s")},
                    "mpi": {"time_s": 1.5}, "efficiency": {"parallel": 0.5}}
        if kind != "long":
            document["findings"] = [{"rule": "imbalance", "text": name, "cost_s": 1, "function": name, "file": name, "line": 1}]
            document["hosts"] = [{"name": name, "ranks": 1, "slowness": 1.5}]
            document["timers"] = [{"name": name, "time_s": 1, "events": 1}]
        lines += log_lines.lines(23000, document)
    log = folder / "hostile.log"
    log.write_text("".join(lines), encoding="ascii")
    return log


def real_record(folder):
    """A job that was really measured, as its record and its profile."""
    mpi = jobs.BOTH[0]
    job = jobs.run(jobs.AROUND, mpi, 2, [mpi.compile("barriers", PROGRAM)], env={"FATHOM_SAMPLE": "200"})
    profile = job.profiles()[0]
    record = json.loads(site("record", profile))
    record["job"].update(started=DAY + "T10:00:00Z", ended=DAY + "T10:00:01Z")  # among the others
    log = folder / "real.log"
    log.write_text("".join(log_lines.lines(os.getuid(), record)), encoding="ascii")
    return log, profile, record


def main():
    web.install()
    folder = jobs.SCRATCH / "site"
    kept = folder / "kept"
    kept.mkdir(parents=True)
    store = f"sqlite:{folder}/site.db"
    config = folder / "site.conf"
    config.write_text(f"database = {store}\nprocessors = 64\nkeep = {kept}\n", encoding="utf8")
    os.environ["FATHOM_SITE_CONFIG"] = str(config)  # not the machine's own
    site("simulate", "--store", store, "--jobs", "1200", "--users", "12", "--programs", "16", "--hosts", "32")
    log, profile, record = real_record(folder)
    site("ingest", "--quiet", "--store", store, hostile_records(folder), log)
    month = kept / record["job"]["ended"][:7]
    month.mkdir()
    shutil.copy(profile, month)
    site("analyse", "--quiet", "--store", store, "--until", "2026-04-01")
    tokens = folder / "tokens"
    tokens.write_text(f"boss {STAFF} staff\n{OWN} {USER}\n", encoding="ascii")
    tokens.chmod(0o600)
    with web.Site(store, "--tokens", tokens) as server:
        day = server.get("api/site/me", STAFF)
        span = ("--from", day["first_day"], "--to", day["last_day"], "--all", "--format", "json")
        for name, words in (("all", ()), ("own", ("--user", OWN))):
            (folder / f"{name}.json").write_bytes(site("report", "--store", store, *span, *words))
        sys.exit(web.run_node("site.mjs", server.at, folder, STAFF=STAFF, USER_TOKEN=USER, OWN=OWN,
                              HOSTILE=json.dumps(HOSTILE), KEY=record["job"]["key"], PROGRAM=record["job"]["program"]))


main()
