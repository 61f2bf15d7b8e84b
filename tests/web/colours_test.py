#!/usr/bin/env python3
"""The colours of pages and charts: those that are seen side by side differ for people with any kind of colour vision, in the
light and in the dark, and are seen on their background."""
import itertools
import os
import pathlib
import re

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
PARTS = ("program", "waiting", "transfer", "io", "no-cpu")
NAMES = tuple(f"name-{i}" for i in range(12))
LEAST_OF_NAMES, LEAST_OF_PARTS = 0.08, 0.075  # OKLab; parts of time have their names beside them, too
LEAST_CONTRAST = {"light": 1.5, "dark": 2}

# Machado, Oliveira and Fernandes 2009, full severity; of linear RGB
VISION = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
TO_LMS = ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
          (0.0883024619, 0.2817188376, 0.6299787005))
TO_LAB = ((0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099),
          (0.0259040371, 0.7827717662, -0.8086757660))


def product(matrix, vector):
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def linear(colour):
    values = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def seen(colour, vision):
    """In OKLab."""
    rgb = [max(0, v) for v in product(VISION[vision], linear(colour))]
    return product(TO_LAB, [v ** (1 / 3) for v in product(TO_LMS, rgb)])


def distance(one, other, vision):
    return sum((a - b) ** 2 for a, b in zip(seen(one, vision), seen(other, vision))) ** 0.5


def contrast(one, other):
    dark, light = sorted(sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), linear(c))) for c in (one, other))
    return (light + 0.05) / (dark + 0.05)


def themes():
    css = (SOURCE / "web/src/style/tokens.css").read_text(encoding="utf8")
    light, dark = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", part)) for part in css.split("@media"))
    return {"light": light, "dark": {**light, **dark}}


def main():
    checks = []
    found = themes()
    chart = (SOURCE / "src/render/chart.c").read_text(encoding="utf8")
    listed = re.findall(r'"(#[0-9a-f]{6})"', chart.split("const colours[")[1].split(";")[0])
    checks.append(([found["light"][name] for name in NAMES] == listed, "pages have the colours of charts", listed))
    for theme, colours in found.items():
        for group, names, least in (("names", ("mpi", *NAMES), LEAST_OF_NAMES), ("parts of time", PARTS, LEAST_OF_PARTS)):
            near = [f"{a} and {b}: {distance(colours[a], colours[b], vision):.3f} with {vision} vision"
                    for a, b in itertools.combinations(names, 2) for vision in VISION
                    if round(distance(colours[a], colours[b], vision), 3) < least]
            checks.append((not near, f"{theme}: {group} differ", near))
        pale = [name for name in (*PARTS, *NAMES) if contrast(colours[name], colours["page"]) < LEAST_CONTRAST[theme]]
        checks.append((not pale, f"{theme}: all are seen on the page", pale))
    for number, (good, name, details) in enumerate(checks, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {name}" + ("" if good else f"\n# {details}"))
    print(f"1..{len(checks)}")


main()
