#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails on a struct, union or enum tag that is defined more than once: tools/check_names.py [ROOT]

A tag has one meaning, even if its definitions would be in different .c files: readers, debuggers and searches see all
of them under the same name.
"""
import collections
import pathlib
import re
import sys

IGNORED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DEFINITION = re.compile(r"\b(?:struct|union|enum)\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?(\w+)\s*\{")


def definitions_in(text):
    """Yields (line number, tag) for each definition outside comments and strings."""
    text = IGNORED.sub(lambda match: "\n" * match[0].count("\n"), text)
    for match in DEFINITION.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    places = collections.defaultdict(list)
    for path in sorted(p for p in (root / "src").rglob("*") if p.suffix in (".c", ".h")):
        for line, tag in definitions_in(path.read_text(encoding="utf-8")):
            places[tag].append(f"{path.relative_to(root)}:{line}")
    if not places:
        print(f"check_names: no definitions under {root}/src", file=sys.stderr)
        return 2
    repeated = {tag: where for tag, where in places.items() if len(where) > 1}
    for tag, where in sorted(repeated.items()):
        print(f"{where[-1]}: '{tag}' is also defined in {', '.join(where[:-1])}")
    return 1 if repeated else 0


sys.exit(main())
