#!/usr/bin/env python3
"""The same views from the server: what they show is what `--format json` has."""
import json
import pathlib
import shutil
import sys

import web
from web import jobs

import ocean_model


def main():
    """Of a real and of an old profile."""
    web.install()
    openmpi = jobs.BOTH[0]
    folder = jobs.SCRATCH / "served"
    folder.mkdir()
    job = jobs.run(jobs.AROUND, openmpi, 2, [ocean_model.build(openmpi, timed=True), "--steps", "8"],
                   env={"FATHOM_SAMPLE": "500"})
    profiles = {"served miniocean": pathlib.Path(shutil.copy(job.profiles()[0], folder / "ocean.fathom")),
                "served old profile": pathlib.Path(shutil.copy(
                    jobs.SOURCE / "tests/format/old/0.1.0/hosts-mpich.fathom", folder / "old.fathom"))}
    with web.Server(folder) as server:
        ids = server.ids()
        plan = [{"name": name, "address": f"{server.at}#/profile/{ids[profile.name]}", "enter": server.enter,
                 "json": str(web.document(profile))} for name, profile in profiles.items()]
        path = jobs.SCRATCH / "plan.json"
        path.write_text(json.dumps(plan), encoding="utf8")
        sys.exit(web.run_node("check_views.mjs", path))


main()
