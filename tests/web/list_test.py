#!/usr/bin/env python3
"""The list of profiles of the server: it says what is wrong with a damaged one, follows the directory, and one comes back to
it; the order of a table is in the address."""
import shutil
import sys

import web
from web import jobs

OLD = jobs.SOURCE / "tests/format/old/0.1.0"


def main():
    web.install()
    folder = jobs.SCRATCH / "listed"
    folder.mkdir()
    shutil.copy(OLD / "plain-mpich.fathom", folder / "sound.fathom")
    whole = (OLD / "plain-openmpi.fathom").read_bytes()
    (folder / "cut.fathom").write_bytes(whole[:len(whole) // 2])
    with web.Server(folder) as server:
        sys.exit(web.run_node("list.mjs", server.enter, folder / "sound.fathom", folder / "later.fathom"))


main()
