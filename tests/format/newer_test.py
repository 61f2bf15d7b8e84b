#!/usr/bin/env python3
"""A profile of a newer version, with a section or a note that this one does not know: it opens, with one sentence."""
import json
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


def fathom(path, words):
    return subprocess.run([jobs.FATHOM, words[0], str(path), *words[1:]], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8"}, check=False)


def check_told(tap, words, known, newer, done, what):
    """Of the newer file one sentence more than of the known one."""
    told = [line for line in done.stderr.splitlines() if line not in fathom(known, words).stderr.splitlines()]
    tap.equal(told, [f"fathom {words[0]}: {newer} was written by a newer version of Fathom; parts unknown to this "
                     f"version were ignored ({what})."], f"{' '.join(words)}: one sentence, of {what}")


def check_section(tap, known):
    newer = jobs.SCRATCH / "newer.fathom"
    newer.write_bytes(with_section(known.read_bytes()))
    for words in (["report"], ["report", "--format", "json"], ["export", "--to", "collapsed"]):
        done = fathom(newer, words)
        tap.equal((done.returncode, done.stdout), (0, fathom(known, words).stdout), f"{' '.join(words)}: as without it")
        check_told(tap, words, known, newer, done, "1 section")


def check_notes(tap, known):
    newer = jobs.SCRATCH / "notes.fathom"
    subprocess.run([str(jobs.BUILD / "tests/format-section_notes"), "--newer", str(known), str(newer)], check=True)
    summary, report = ["report", "--view", "summary"], ["report", "--format", "json"]
    done = fathom(newer, summary)
    added = [line for line in done.stdout.splitlines() if line not in fathom(known, summary).stdout.splitlines()]
    tap.equal((done.returncode, added), (0, ["Note: note 70000 of a newer version of Fathom (libx.so): 12 (ranks 0-1)",
                                             "Note: a sentence of a newer Fathom: 3 (ranks 0-1)"]), "notes are shown")
    check_told(tap, summary, known, newer, done, "2 values")
    then, now = (json.loads(fathom(path, report).stdout)["job"].pop("notes") for path in (known, newer))
    tap.equal(now, then + [{"code": "unknown-70000", "argument": "libx.so", "text": "note 70000 of a newer version of Fathom (libx.so)",
                            "amount": 12, "ranks": "0-1"},
                           {"code": "unknown-70001", "argument": "", "text": "a sentence of a newer Fathom", "amount": 3,
                            "ranks": "0-1"}], "in JSON, too")


def main():
    tap = jobs.Tap()
    for name in ("whole-openmpi", "whole-mpich"):
        known = old_files.OLD / f"0.1.0/{name}.fathom"
        check_section(tap, known)
        check_notes(tap, known)
    tap.done()


main()
