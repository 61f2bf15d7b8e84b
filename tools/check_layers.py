#!/usr/bin/python3
"""Fails on an include in the wrong direction: tools/check_layers.py [ROOT]

base <- profile <- reduce <- analyse <- site <- present <- cli; measure uses base, profile and reduce, and
nothing uses measure; so does attach, and only cli uses it. exchange (talking over MPI) uses base and profile, and is
used by measure and cli. Code that runs in a signal handler (measure/signal) uses
base and profile only.
"""
import pathlib
import re
import sys

CHAIN = ["base", "profile", "reduce", "analyse", "site", "present", "cli"]
ALLOWED = {layer: set(CHAIN[: i + 1]) for i, layer in enumerate(CHAIN)}
ALLOWED["exchange"] = {"base", "profile", "exchange"}
ALLOWED["attach"] = {"base", "profile", "reduce", "attach"}
ALLOWED["cli"] |= {"attach", "exchange"}
ALLOWED["measure"] = {"base", "profile", "reduce", "exchange", "measure", "measure/signal", "fathom.h"}
ALLOWED["measure/signal"] = {"base", "profile", "measure/signal"}

# Made at build time from the calls table: names and numbers of the routines, part of the model.
GENERATED = {"generated/routines.h": "profile"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]*)"')


def layer_of(path):
    """The layer that a file named relative to src/ belongs to."""
    if path in GENERATED:
        return GENERATED[path]
    if path.startswith("measure/signal/"):
        return "measure/signal"
    return path.split("/")[0]


def faults_of(source, name):
    """Yields (line number, sentence) for each include that a file may not have."""
    layer = layer_of(name)
    if layer not in ALLOWED:
        yield 1, f"'{layer}' is no layer; the layers are {', '.join(CHAIN)}, attach, exchange and measure"
        return
    for number, line in enumerate(source.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = match.group(1)
        if ".." in target or ("/" not in target and target != "fathom.h"):
            yield number, f'"{target}" must be written relative to src/'
        elif layer_of(target) not in ALLOWED[layer]:
            yield number, f'{layer} may not use "{target}"'


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    files = sorted(p for p in (root / "src").rglob("*") if p.suffix in (".c", ".h"))
    if not files:
        print(f"check_layers: no sources under {root}/src", file=sys.stderr)
        return 2
    faults = 0
    for path in files:
        for number, text in faults_of(path, path.relative_to(root / "src").as_posix()):
            print(f"{path.relative_to(root)}:{number}: {text}")
            faults += 1
    return 1 if faults else 0


sys.exit(main())
