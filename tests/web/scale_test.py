#!/usr/bin/env python3
"""Comparisons of runs in a real browser, as one file: what they show is what `fathom scale --format json` has."""
import json
import subprocess
import sys

import web
from web import jobs


def compare(name, mode, profiles, views):
    """A page and the documents of its views."""
    page = jobs.SCRATCH / f"{name}.html"
    web.fathom("scale", f"--{mode}", *profiles, "--format", "html", "-o", page)
    documents = {}
    for view in views:
        documents[view] = str(jobs.SCRATCH / f"{name}-{view}.json")
        web.fathom("scale", f"--{mode}", *profiles, "--format", "json", "--view", view, "-o", documents[view])
    return {"name": name, "address": f"file://{page}", "json": documents}


def main():
    web.install()
    subprocess.run([jobs.BUILD / "tests/report-scaling", "--profiles", jobs.SCRATCH], check=True, timeout=60)

    def sample(name):
        return jobs.SCRATCH / f"{name}.fathom"

    paths = ("calls", "callers", "flat", "mpi")
    plan = [
        compare("strong", "strong", [sample("pop4"), sample("pop64")], paths),
        compare("weak", "weak", [sample("pop4"), sample("pop64")], paths),
        compare("same", "same", [sample("pop64"), sample("pop4")], paths),
        compare("three", "strong", [sample("bare4"), sample("killed8"), sample("bare16")], ("mpi",)),
        compare("timers", "strong", [sample("bare4"), sample("bare16")], ("mpi", "timers")),
    ]
    path = jobs.SCRATCH / "plan.json"
    path.write_text(json.dumps(plan), encoding="utf8")
    sys.exit(web.run_node("check_scale.mjs", path))


main()
