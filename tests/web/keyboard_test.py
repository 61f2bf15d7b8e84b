#!/usr/bin/env python3
"""Every view, and the list of profiles, with the keyboard alone."""
import shutil
import sys

import web
from web import jobs

import real_profiles

VIEWS = ("overview", "balance", "mpi", "topology", "paths", "modules", "timers", "efficiency", "io", "memory", "counters", "job")


def main():
    web.install()
    profile = real_profiles.ocean()
    address = web.page(profile)
    folder = jobs.SCRATCH / "listed"
    folder.mkdir()
    shutil.copy(profile, folder)
    shutil.copy(jobs.SOURCE / "tests/format/old/0.1.0/plain-mpich.fathom", folder)  # the list of a single profile opens it
    with web.Server(folder) as server:
        sys.exit(web.run_node("keyboard.mjs", address, *(word for view in VIEWS for word in (view, f"{address}#/{view}")),
                              "selected", f"{address}#/efficiency?ranks=1", "list", server.enter))


main()
