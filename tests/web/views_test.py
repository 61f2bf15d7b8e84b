#!/usr/bin/env python3
"""Every view in a real browser, as one file: what it shows is what `--format json` has, on profiles of real programs, of
a killed job, of a program without MPI, and of the first version of Fathom."""
import sys

import web
from web import jobs

import real_profiles


def main():
    web.install()
    sys.exit(web.run_node("check_views.mjs", web.plan(jobs.SCRATCH / "plan.json", real_profiles.make())))


main()
