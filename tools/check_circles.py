#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Fails on object files that depend on each other in a circle: tools/check_circles.py FOLDER...

The FOLDERs contain the object files of a program or library, as built by Meson (build/src). An object file depends on
those that define the symbols it uses, except for weak references. For each cyclic dependency, all files in it are
printed, and a shortest cycle with a symbol for each step.
"""
import collections
import pathlib
import subprocess
import sys


def symbols_of(objects):
    """Yields (object, kind, symbol) for all global symbols."""
    listing = subprocess.run(["nm", "-A", "-g", "-P", *objects], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        where, symbol, kind = line.split(" ", 3)[:3]
        yield where.rstrip(":"), kind, symbol


def graph_of(objects):
    """The files each file depends on, with one symbol for each dependency."""
    defined, used = {}, []
    for name, kind, symbol in symbols_of(objects):
        if kind == "U":
            used.append((name, symbol))
        elif kind not in "wv":
            defined[symbol] = name
    graph = collections.defaultdict(dict)
    for name, symbol in used:
        if defined.get(symbol, name) != name:
            graph[name].setdefault(defined[symbol], symbol)
    return graph


def reached_from(graph, start):
    """The files a file depends on, directly or not, each with its predecessor on a shortest path."""
    before, queue = {}, collections.deque([start])
    while queue:
        name = queue.popleft()
        for other in graph.get(name, ()):
            if other not in before:
                before[other] = name
                queue.append(other)
    return before


def circles_of(graph):
    """Yields the files of each strongly connected component, and a shortest cycle through the first of them."""
    seen = set()
    for start in sorted(graph):
        before = reached_from(graph, start)
        if start in seen or start not in before:
            continue
        members = {name for name in before if start in reached_from(graph, name)}
        seen |= members
        cycle = [start]
        while before[cycle[-1]] != start:
            cycle.append(before[cycle[-1]])
        yield sorted(members), [start, *reversed(cycle)]


def source_of(name):
    return pathlib.Path(name).name.removesuffix(".o")


def main():
    if len(sys.argv) < 2:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    objects = sorted(str(p) for folder in sys.argv[1:] for p in pathlib.Path(folder).rglob("*.o"))
    if not objects:
        print(f"check_circles: no object files in {' '.join(sys.argv[1:])}", file=sys.stderr)
        return 2
    graph = graph_of(objects)
    faults = 0
    for members, cycle in circles_of(graph):
        print(f"{len(members)} files in a circle: {' '.join(map(source_of, members))}")
        for name, other in zip(cycle, cycle[1:]):
            print(f"    {source_of(name)} uses {graph[name][other]} of {source_of(other)}")
        faults = 1
    return faults


sys.exit(main())
