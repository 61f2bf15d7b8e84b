#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails on an include that violates the layering: tools/check_layers.py [ROOT]

The lists `rooms` and `tool_rooms` in src/meson.build define which folders each folder may use.
"""
import ast
import pathlib
import re
import sys

# Generated at build time from the calls table: names and numbers of the routines, part of the model.
GENERATED = {"generated/routines.h": "model"}
# The application interface belongs to the runtime.
PUBLIC = {"fathom.h": "runtime"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]*)"')


def read_rooms(root):
    """The rooms, each with the rooms it may use, including itself."""
    text = (root / "src/meson.build").read_text(encoding="utf-8")
    rooms = {}
    for name in ("rooms", "tool_rooms"):
        listed = re.search(rf"^{name} = (\[.*?^\])", text, re.MULTILINE | re.DOTALL)
        if not listed:
            sys.exit(f"check_layers: there is no list '{name}' in {root}/src/meson.build")
        rooms |= {room: {room, *others} for room, others in ast.literal_eval(listed.group(1))}
    return rooms


def room_of(path, rooms):
    """The room of a file, given relative to src/: the innermost folder that is a room, or None."""
    if path in GENERATED or path in PUBLIC:
        return GENERATED.get(path) or PUBLIC[path]
    for folder in pathlib.PurePosixPath(path).parents:
        if str(folder) in rooms:
            return str(folder)
    return None


def faults_of(source, name, rooms):
    """Yields (line number, message) for each include that is not allowed in a file."""
    room = room_of(name, rooms)
    if not room:
        yield 1, "its folder is not listed in src/meson.build"
        return
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        if ".." in target or ("/" not in target and target not in PUBLIC):
            yield number, f'"{target}" must be written relative to src/'
        elif room_of(target, rooms) not in rooms[room]:
            yield number, f'{room} may not use "{target}"'


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    rooms = read_rooms(root)
    files = sorted(p for p in (root / "src").rglob("*") if p.suffix in (".c", ".h"))
    if not files:
        print(f"check_layers: no sources under {root}/src", file=sys.stderr)
        return 2
    faults = 0
    for path in files:
        for number, text in faults_of(path, path.relative_to(root / "src").as_posix(), rooms):
            print(f"{path.relative_to(root)}:{number}: {text}")
            faults += 1
    return 1 if faults else 0


sys.exit(main())
