#!/usr/bin/env python3
"""The HTML part of mails in a browser: narrow and wide, light and dark, and with hostile names. PICTURES=FOLDER keeps
pictures of them."""
import email
import email.policy
import json
import os
import pathlib
import subprocess
import sys

import web
from web import jobs


HOSTILE = "<script>window.hacked=1</script><img src=http://198.51.100.1/x onerror=window.hacked=1>" + "w" * 100
CONFIG = """mail_domain = example.org
mail_staff = staff@example.org
mail_machine = jupiter
mail_url = https://jupiter.example.org/fathom/
mail_footer = Questions? The advisory team helps: help@example.org.
mail_unsubscribe = mailto:help@example.org
"""
WEEK = ["--from", "2026-03-02", "--to", "2026-03-08"]


def site(*words):
    done = subprocess.run([jobs.FATHOM, "site", *map(str, words)], cwd=jobs.SCRATCH, capture_output=True, text=True,
                          check=False, timeout=120)
    if done.returncode:
        raise RuntimeError(done.stderr)


def add_hostile():
    """A user whose program, routines and files have names that would like to be HTML."""
    spool = jobs.SCRATCH / "records"
    spool.mkdir()
    for number in range(2):
        record = {"fathom": 1,
                  "job": {"key": f"{number:032x}", "id": HOSTILE[:60], "user": "eve", "program": HOSTILE, "language": "C",
                          "started": "2026-03-04T10:00:00Z", "ended": "2026-03-04T20:00:00Z", "ranks": 64, "complete": True,
                          "wall_s": 36000, "wall_sum_s": 64 * 36000},
                  "mpi": {"time_s": 32 * 36000, "routines": [{"name": HOSTILE, "calls": 9, "time_s": 32 * 36000}]},
                  "split": {"program_s": 32 * 36000}, "efficiency": {"parallel": 0.5},
                  "findings": [{"rule": HOSTILE[:30], "text": HOSTILE, "cost_s": 500000, "measured": True, "function": HOSTILE,
                                "file": HOSTILE[:80], "line": 7}]}
        (spool / f"{number:032x}.json").write_text(json.dumps(record), encoding="utf8")
    site("ingest", "--store", "site.db", spool)


def main():
    os.environ["FATHOM_SITE_CONFIG"] = str(jobs.SCRATCH / "site.conf")
    (jobs.SCRATCH / "site.conf").write_text(CONFIG, encoding="utf8")
    site("simulate", "--store", "site.db", "--jobs", 3000, "--users", 12)
    add_hostile()
    site("mail", "--store", "site.db", *WEEK, "-o", "mails")
    mails = {path.stem: email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
             for path in (jobs.SCRATCH / "mails").iterdir()}
    eve = next(name for name, mail in mails.items() if "hacked" in mail.get_body(("html",)).get_content())
    files = []
    for name in ("user000", eve, "@staff"):
        path = pathlib.Path(jobs.SCRATCH / f"{name}.html")
        path.write_text(mails[name].get_body(("html",)).get_content(), encoding="utf8")
        files.append(path)
    web.install()
    sys.exit(web.run_node("mail.mjs", *files))


main()
