#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Takes the pictures of web pages in doc/images anew: `make pictures`. Measures the ocean model for that, so nothing else
should run. `tools/pictures.py site` takes only those of a site."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tests" / "web"))
import web  # noqa: E402
from web import jobs  # noqa: E402

import ocean_model  # noqa: E402

OCEAN = pathlib.Path("/tmp/ocean")

# view: profile
VIEWS = {"overview": "two", "balance": "sixteen", "mpi": "two", "topology": "sixteen", "paths": "two", "modules": "two",
         "timers": "sixteen", "efficiency": "two", "io": "two", "memory": "two", "counters": "two", "job": "two"}


def measure(name, ranks, *options):
    """In a directory with a name that says nothing about this machine: paths are in the pictures."""
    mpi = jobs.BOTH[0]
    OCEAN.mkdir(exist_ok=True)
    shutil.copy(ocean_model.build(mpi, timed=True), OCEAN / "miniocean")
    profile = jobs.SCRATCH / f"{name}.fathom"
    env = {key: value for key, value in os.environ.items() if not key.startswith("FATHOM_")}
    done = subprocess.run([jobs.FATHOM, "run", "--quiet", "--sample", "500", "--counters",
                           "task-clock,page-faults,context-switches", "-o", profile, "--", *mpi.mpirun(ranks),
                           "./miniocean", *options], cwd=OCEAN, capture_output=True, check=False,
                          env={**env, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    if done.returncode:
        sys.exit(f"pictures: {done.stderr.decode()}")
    return profile


def site_pages(store):
    """Pages of a made-up site, by the names of their pictures."""
    answers = json.loads(web.fathom("site", "simulate", "--answers"))["planted"]
    slower, limited = (next(one["name"] for one in answers if one["kind"] == kind) for kind in ("slower", "limited"))
    worst = web.fathom("site", "query", "--store", store, "--format", "csv",
                       "SELECT id FROM jobs WHERE program = '" + slower + "' ORDER BY wasted_s DESC LIMIT 1")
    return {"site-jobs": "jobs?order=ended", "site-machine": "site", "site-user": "user/user000", "site-program": f"program/{slower}",
            "site-scaling": f"program/{limited}", "site-job": f"job/{worst.split()[-1].decode()}", "site-insights": "insights"}


def picture(words):
    return subprocess.run(["node", str(web.HERE / "pictures.mjs"), str(SOURCE / "doc/images"), *words],
                          env=web.environment(), check=False).returncode


def picture_site():
    store = f"sqlite:{jobs.SCRATCH}/site.db"
    config = jobs.SCRATCH / "site.conf"
    config.write_text(f"database = {store}\nprocessors = 1280\n", encoding="ascii")
    os.environ["FATHOM_SITE_CONFIG"] = str(config)
    web.fathom("site", "simulate", "--store", store)
    web.fathom("site", "analyse", "--quiet", "--store", store, "--until", "2026-04-01")
    with web.Site(store) as server:
        return picture([word for name, page in site_pages(store).items() for word in (name, f"{server.at}#/{page}")])


def main():
    web.install()
    if sys.argv[1:] == ["site"]:
        sys.exit(picture_site())
    model = SOURCE / "examples/miniocean"
    options = ("--modules", model / "modules.txt", "--source", model)
    two = measure("two", 2, "--seed", "10", "--serial-output", "--steps", "50")
    pages = {"two": web.page(two, *options), "sixteen": web.page(measure("sixteen", 16, "--steps", "10"), *options)}
    words = [word for view, name in VIEWS.items() for word in (view, f"{pages[name]}#/{view}")]
    runs = jobs.SCRATCH / "runs"
    runs.mkdir()
    for run in range(12):
        measure("run", 2, "--steps", "6" if run < 7 else "8").rename(runs / f"run{run:02}.fathom")
    history = jobs.SCRATCH / "history.html"
    web.fathom("report", runs, "--format", "html", "-o", history)
    words += ["history", f"file://{history}"]
    scale = jobs.SCRATCH / "scale.html"
    one = measure("one", 1, "--steps", "20")
    web.fathom("scale", "--strong", one, measure("both", 2, "--steps", "20"), "--format", "html", "-o", scale)
    words += ["scaling", f"file://{scale}"]
    shutil.rmtree(OCEAN)
    sys.exit(picture(words) or picture_site())


main()
