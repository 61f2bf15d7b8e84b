#!/usr/bin/env python3
"""A tree that is larger than a slice of the server: it is expanded, scrolled, sorted and searched as a whole, from the server
as in one file."""
import json
import pathlib
import sys

import web
from web import jobs

sys.path.insert(0, str(jobs.SOURCE / "bench"))
import common  # noqa: E402
import part_web  # noqa: E402

RANKS, CONTEXTS = 8, 12_000


def make():
    common.MADE.mkdir(parents=True, exist_ok=True)
    library, start = part_web.module()
    path = pathlib.Path(jobs.SCRATCH) / "large.fathom"
    common.run([common.tool_program("web_profile"), path, "exact", RANKS, 20, 4, 0, 0, 0, CONTEXTS, library, start + 4,
                part_web.FUNCTION_BYTES])
    return path


def main():
    web.install()
    profile = make()
    with web.Server(profile) as server:
        document = str(web.document(profile))
        plan = [{"name": "one file", "address": web.page(profile), "json": document, "served": False},
                {"name": "served", "address": f"{server.at}#/profile/{server.ids()[profile.name]}", "enter": server.enter,
                 "json": document, "served": True}]
        path = jobs.SCRATCH / "plan.json"
        path.write_text(json.dumps(plan), encoding="utf8")
        sys.exit(web.run_node("large_tree.mjs", path))


main()
