#!/usr/bin/env python3
"""A profile of a newer version, with a section that this one does not know: it opens, with one sentence."""
import os
import subprocess

import old_files
from old_files import jobs

SECTION = bytes([99, 5]) + b"later"  # number, length, content


def crc64(data):
    """ECMA-182, as in xz."""
    crc = (1 << 64) - 1
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0xC96C5795D7870F42 if crc & 1 else 0)
    return crc ^ ((1 << 64) - 1)


def with_section(profile):
    body = profile[:-8] + SECTION
    body = body[:12] + (len(body) + 8).to_bytes(8, "little") + body[20:]
    return body + crc64(body).to_bytes(8, "little")


def main():
    tap = jobs.Tap()
    known = old_files.OLD / "0.1.0/whole-openmpi.fathom"
    newer = jobs.SCRATCH / "newer.fathom"
    newer.write_bytes(with_section(known.read_bytes()))
    for words in (["report"], ["report", "--format", "json"], ["export", "--to", "collapsed"]):
        done = {path: subprocess.run([jobs.FATHOM, words[0], str(path), *words[1:]], capture_output=True, text=True,
                                     env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False) for path in (known, newer)}
        tap.equal((done[newer].returncode, done[newer].stdout), (0, done[known].stdout), f"{' '.join(words)}: as without it")
        told = [line for line in done[newer].stderr.splitlines() if line not in done[known].stderr.splitlines()]
        tap.equal(told, [f"fathom {words[0]}: {newer} was written by a newer Fathom; what this version does not know is "
                         "left out (1 section)."], f"{' '.join(words)}: one sentence")
    tap.done()


main()
