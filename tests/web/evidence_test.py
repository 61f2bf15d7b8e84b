#!/usr/bin/env python3
"""Each rule of src/analyse/findings/rules.h has two small charts on the overview, with tables behind them."""
import re
import sys

import web
from web import jobs

import real_profiles


def main():
    web.install()
    rules = re.findall(r'X\(\w+, "([\w-]+)"', (jobs.SOURCE / "src/analyse/findings/rules.h").read_text(encoding="utf8"))
    profile = real_profiles.ocean()
    with web.Server(profile) as server:
        address = f"{server.at}#/profile/{next(iter(server.ids().values()))}"
        sys.exit(web.run_node("evidence.mjs", server.enter, address, web.document(profile), *rules))


main()
