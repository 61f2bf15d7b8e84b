#!/usr/bin/env python3
"""Every view on paper."""
import sys

import web

import real_profiles

VIEWS = ("overview", "balance", "mpi", "mpi?by=sites", "mpi?by=sizes", "topology", "paths", "modules", "timers", "efficiency", "io",
         "memory", "counters", "job")


def main():
    web.install()
    sys.exit(web.run_node("print.mjs", web.page(real_profiles.ocean()), *VIEWS))


main()
