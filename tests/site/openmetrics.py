# SPDX-License-Identifier: BSD-3-Clause
"""Reads OpenMetrics 1.0 text, and refuses what its specification does not allow."""
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[n"\\])*)"'
SAMPLE = re.compile(rf"({NAME})(?:\{{((?:{LABEL},)*(?:{LABEL}))?\}})? (\S+)")
SUFFIXES = {"counter": "_total", "gauge": ""}
ESCAPED = {"n": "\n", '"': '"', "\\": "\\"}


def number(text):
    assert re.fullmatch(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", text), text
    return float(text)


def read(text):
    """{(name, ((label, value), ...)): number}"""
    assert text.endswith("\n# EOF\n") and "\r" not in text, text[-200:]
    samples, families, family, kind, described = {}, set(), None, None, set()
    for line in text[:-len("# EOF\n")].splitlines():
        head = re.fullmatch(rf"# (TYPE|HELP|UNIT) ({NAME}) (.*)", line)
        if head and head[2] != family:
            assert head[2] not in families, f"the samples of a family stand together: {line}"
            family, kind, described = head[2], "unknown", set()
            families.add(family)
            first = len(samples)
        if head:
            assert head[1] not in described and len(samples) == first, f"once, before the samples: {line}"
            described.add(head[1])
            if head[1] == "TYPE":
                kind = head[3]
                assert kind in SUFFIXES, line
            assert head[1] != "HELP" or not re.search(r"\\(?![n\\\"])", head[3]), line
            assert head[1] != "UNIT" or family.endswith("_" + head[3]), line
            assert kind != "counter" or not family.endswith("_total"), line
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample and sample[1] == family + SUFFIXES[kind], line
        labels = tuple(sorted((name, re.sub(r"\\(.)", lambda found: ESCAPED[found[1]], value))
                              for name, value in re.findall(LABEL, sample[2] or "")))
        assert len({name for name, _ in labels}) == len(labels) and (family, labels) not in samples, f"twice: {line}"
        value = number(sample.groups()[-1])
        assert kind != "counter" or value >= 0, line
        samples[sample[1], labels] = value
    return samples
