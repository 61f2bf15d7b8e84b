#!/usr/bin/env python3
"""fathom check: exit statuses, one line for each limit that does not hold, the badge, and the examples of doc/CI.md."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
sys.path.insert(0, str(SOURCE / "tests/jobs"))
import jobs  # noqa: E402

WORK = pathlib.Path(tempfile.mkdtemp(prefix="check-", dir=os.environ.get("TMPDIR")))


def check(*words):
    return subprocess.run([str(BUILD / "fathom"), "check", *words], capture_output=True, text=True, cwd=WORK, check=False)


def test_limits(tap):
    held = check("good.fathom", "--limit", "parallel=0.5", "--limit", "mpi_fraction=60%", "--limit", "incomplete=0")
    tap.ok(held.returncode == 0 and len(held.stdout.splitlines()) == 1 and "3 limits hold: parallel" in held.stdout and
           not held.stderr, "limits that hold: status 0 and one line", held)
    broken = check("good.fathom", "--limit", "parallel=99%", "--limit", "wall=1h", "--limit", "memory=1kB")
    lines = broken.stdout.splitlines()
    tap.ok(broken.returncode == 3 and len(lines) == 2 and
           re.fullmatch(r"good.fathom: parallel: parallel efficiency [\d.]+ %, below the limit of 99.0 %", lines[0]) and
           "memory" in lines[1], "limits that do not: status 3 and a line for each", broken)
    unknown = check("good.fathom", "--limit", "openmp=0.1")
    tap.ok(unknown.returncode == 3 and "unknown, because" in unknown.stdout, "what is unknown does not hold", unknown)
    tap.equal(check("killed.fathom", "--limit", "incomplete=0").returncode, 3, "ranks that were killed")
    first = check("good.fathom", "--limit", "communication=0.93", "--from-first", "step")
    whole = check("good.fathom", "--limit", "communication=0.93")
    tap.equal((first.returncode, whole.returncode), (0, 3), "--from-first leaves out the initialisation")
    out = check("good.fathom", "--limit", "parallel=0.5", "-o", "out.txt")
    tap.ok(out.returncode == 0 and not out.stdout and "1 limit holds" in (WORK / "out.txt").read_text(), "-o", out)


def test_against(tap):
    same = check("good.fathom", "--against", "good.fathom", "--limit", "slower=5%", "--limit", "computation=0.9")
    tap.equal((same.returncode, same.stderr), (0, ""), "a run is not slower than itself")
    several = check("good.fathom", "--against", "good.fathom", "good.fathom", "--limit", "slower=0%")
    tap.ok(several.returncode == 0 and "slower 0.0 % +- 1.0 %" in several.stdout, "several earlier runs", several)
    other = check("good.fathom", "--against", "killed.fathom", "--limit", "slower=5%")
    tap.ok(other.returncode == 3 and "it ran on 4 ranks, killed.fathom on 8" in other.stdout,
           "runs on other numbers of ranks cannot be compared", other)
    apart = check("good.fathom", "--against", "good.fathom", "killed.fathom", "--limit", "computation=0.1")
    tap.ok(apart.stderr.startswith("fathom check: these runs differ: 4 ranks (good.fathom), 8 ranks (killed.fathom)") and
           apart.stderr.count("\n") == 1 and len(apart.stdout.splitlines()) == 1,
           "that they differ is said on stderr, whatever the limit", apart)


def test_usage(tap):
    for words, text in (
            ((), "no profile given"),
            (("good.fathom",), "no limit given"),
            (("good.fathom", "--limit", "paralel=0.8"), "unknown limit 'paralel'; choose from parallel,"),
            (("good.fathom", "--limit", "parallel=high"), "--limit parallel needs a value such as 0.8 or 80%, not 'high'"),
            (("good.fathom", "--limit", "slower=5%"), "--limit slower needs --against"),
            (("good.fathom", "--against", "good.fathom", "--limit", "parallel=1"), "--against needs a limit that compares"),
            (("good.fathom", "other.fathom", "--limit", "parallel=1"), "unexpected argument 'other.fathom'"),
            (("good.fathom", "--limit"), "option '--limit' needs a value")):
        got = check(*words)
        tap.ok(got.returncode == 2 and text in got.stderr and got.stderr.count("\n") == 1, text, got)
    for words in (("none.fathom", "--limit", "wall=1"), ("good.fathom", "--against", "none.fathom", "--limit", "slower=1%"),
                  ("good.fathom", "--from-first", "nothing", "--limit", "parallel=0.1")):
        got = check(*words)
        tap.ok(got.returncode == 1 and got.stderr.count("\n") == 1 and not got.stdout, " ".join(words), got)
    helped = check("--help").stdout
    names = re.findall(r"^ {20}(\w+) +at (?:least|most):", helped, re.M)
    page = (SOURCE / "man/fathom-check.1").read_text(encoding="utf-8")
    documented = re.findall(r"\w+", " ".join(re.findall(r"^\.It Cm (.*)$", page, re.M)))
    tap.ok(names and set(names) == set(documented), "the page has every limit of --help", names, documented)


def test_badge(tap):
    for limit, colour in (("parallel=0.5", "#2c7a2c"), ("parallel=0.99", "#b3261e")):
        check("good.fathom", "--limit", limit, "--badge", "badge.svg")
        text = (WORK / "badge.svg").read_text(encoding="utf-8")
        picture = xml.etree.ElementTree.fromstring(text)
        tap.ok(picture.tag.endswith("svg") and colour in text and re.search(r">\d+ %<", text), f"badge for {limit}", text)
    alone = check("good.fathom", "--badge", "alone.svg")
    tap.ok(alone.returncode == 0 and not alone.stdout and (WORK / "alone.svg").exists(), "a badge without limits", alone)


def commands_in(value):
    """All shell commands of a CI configuration."""
    if isinstance(value, dict):
        return [c for key, item in value.items() for c in
                ([item] if key == "run" else item if key == "script" else commands_in(item))]
    return [c for item in value for c in commands_in(item)] if isinstance(value, list) else []


def test_examples(tap):
    text = (SOURCE / "doc/CI.md").read_text(encoding="utf-8")
    examples = [yaml.safe_load(part) for part in re.findall(r"```yaml\n(.*?)```", text, re.S)]
    tap.equal(len(examples), 2, "two examples are valid YAML")
    tap.ok("jobs" in examples[0] and "script" in examples[1]["performance"], "for GitHub and GitLab")
    checks = [shlex.split(part) for example in examples for command in commands_in(example)
              for part in re.findall(r"fathom check ([^;\n]*)", command)]
    tap.ok(len(checks) == 4, "which use fathom check", checks)
    for words in checks:
        words = ["good.fathom" if word.endswith(".fathom") else word for word in words]
        got = check(*words)
        tap.ok(got.returncode in (0, 3) and not got.stderr, " ".join(words), got)


def main():
    tap = jobs.Tap()
    subprocess.run([str(BUILD / "tests/report-views"), "--profile", str(WORK / "killed.fathom")], check=True)
    subprocess.run([str(BUILD / "tests/report-scaling"), "--profiles", str(WORK)], check=True)
    (WORK / "bare4.fathom").rename(WORK / "good.fathom")
    test_limits(tap)
    test_against(tap)
    test_usage(tap)
    test_badge(tap)
    test_examples(tap)
    tap.done()


main()
