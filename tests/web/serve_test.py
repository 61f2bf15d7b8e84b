#!/usr/bin/env python3
"""The same views and profiles as in views_test.py, from the server."""
import json
import shutil
import sys

import web
from web import jobs

import real_profiles


def main():
    web.install()
    folder = jobs.SCRATCH / "served"
    folder.mkdir()
    made = {name: shutil.copy(profile, folder / f"{i}.fathom")
            for i, (name, profile) in enumerate(real_profiles.make().items())}
    with web.Server(folder) as server:
        ids = server.ids()
        plan = [{"name": f"served {name}", "address": f"{server.at}#/profile/{ids[profile.name]}", "enter": server.enter,
                 "json": str(web.document(profile))} for name, profile in made.items()]
        path = jobs.SCRATCH / "plan.json"
        path.write_text(json.dumps(plan), encoding="utf8")
        sys.exit(web.run_node("check_views.mjs", path))


main()
