#!/usr/bin/env python3
"""fathom list: every profile of a directory has a line, whatever else lies there."""
import csv
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
sys.path.insert(0, str(SOURCE / "tests/jobs"))
import jobs  # noqa: E402
import terminal  # noqa: E402

WORK = pathlib.Path(tempfile.mkdtemp(prefix="list-", dir=os.environ.get("TMPDIR")))
MANY = 1000


def run(*words):
    return subprocess.run([str(BUILD / "fathom"), "list", *words], capture_output=True, text=True, cwd=WORK, check=False)


def files(*words):
    got = json.loads(run("--format", "json", *words).stdout)
    return [profile["file"] for profile in got["profiles"]]


def test_output(tap):
    text = run()
    tap.ok(text.returncode == 0 and not text.stderr and len(text.stdout.splitlines()) >= 7 and
           "rank 2 killed" in text.stdout and "imbalance 20 %" in text.stdout, "a line for each", text)
    got = json.loads(run("--format", "json").stdout)
    whole = json.loads(subprocess.run([str(BUILD / "fathom"), "report", "bare4.fathom", "--format", "json"], cwd=WORK,
                                      capture_output=True, check=True).stdout)
    one = next(profile for profile in got["profiles"] if profile["file"] == "bare4.fathom")
    tap.ok(one["ranks"] == whole["job"]["ranks"] and one["wall_s"] == whole["job"]["wall_s"] and
           all(one[key] == whole["efficiency"][key] for key in ("parallel", "load_balance", "communication")) and
           one["started"] == whole["job"]["started"] and one["end"] == "complete",
           "the figures are those of the report", one)
    tap.ok([one["finding"], one["finding_fraction"], one["finding_text"]] ==
           [whole["findings"][0][key] for key in ("rule", "cost_fraction", "text")], "so is the first finding", one)
    plain = json.loads(run("--format", "json", "--no-findings").stdout)["profiles"]
    tap.ok(all(profile["finding"] is None for profile in plain), "--no-findings", plain)
    rows = list(csv.DictReader(io.StringIO(run("--format", "csv").stdout)))
    tap.equal([row["file"] for row in rows], [profile["file"] for profile in got["profiles"]], "CSV has the same")
    tap.ok(all(not row["parallel"] or 0 <= float(row["parallel"]) <= 1 for row in rows), "as numbers")


def test_choice(tap):
    everything = files("--sort", "file")
    tap.equal(everything, sorted(everything), "sorted by file")
    efficiencies = [p["parallel"] for p in json.loads(run("--format", "json", "--sort", "efficiency").stdout)["profiles"]]
    known = [value for value in efficiencies if value is not None]
    tap.equal(efficiencies, sorted(known) + [None] * (len(efficiencies) - len(known)), "by efficiency, unknown last")
    tap.equal(files("--incomplete"), ["killed.fathom", "killed8.fathom"], "only those that did not end normally")
    tap.ok("bare4.fathom" in files("--program", "mini*") and files("--program", "minioce") == [], "by program")
    tap.ok("bare4.fathom" in files("--user", "ada") and files("--user", "nobody") == [], "by user")
    tap.ok("bare4.fathom" in files("--since", "2026-11-15") and "bare4.fathom" not in files("--since", "2026-11-16") and
           files("--since", "2126-01-01 12:00") == [], "by date")
    tap.equal(len(files("--top", "2")), 2, "the first ones")
    tap.ok("below/deep.fathom" in files("--recursive") and "below/deep.fathom" not in everything, "--recursive")
    tap.equal(files("below", "killed.fathom", "--sort", "file"), ["below/deep.fathom", "killed.fathom"],
              "directories and files")


def test_strangers(tap):
    place = WORK / "strangers"
    place.mkdir()
    whole = (WORK / "bare4.fathom").read_bytes()
    (place / "good.fathom").write_bytes(whole)
    (place / "cut.fathom").write_bytes(whole[:-100])
    (place / "changed.fathom").write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
    (place / "text.fathom").write_text("not a profile\n")
    (place / "empty.fathom").write_text("")
    (place / "notes.txt").write_text("other files are nobody's business\n")
    (place / ".hidden.fathom").write_text("")
    (place / "directory.fathom").mkdir()
    (place / "gone.fathom").symlink_to("nowhere")
    os.mkfifo(place / "pipe.fathom")
    got = run("strangers", "--format", "json")
    listed = json.loads(got.stdout)
    tap.equal([profile["file"] for profile in listed["profiles"]], ["strangers/good.fathom"], "the rest goes on")
    bad = sorted(pathlib.Path(item["file"]).name for item in listed["unreadable"])
    tap.equal(bad, ["changed.fathom", "cut.fathom", "empty.fathom", "text.fathom"], "what cannot be read")
    lines = got.stderr.splitlines()
    tap.ok(got.returncode == 1 and len(lines) == 4 and all(line.startswith("fathom list: strangers/") for line in lines),
           "one sentence for each, and status 1", got)
    none = run("nowhere")
    tap.ok((none.returncode, none.stdout) == (1, "") and none.stderr.count("\n") == 1, "a directory that is not there", none)
    empty = WORK / "empty"
    empty.mkdir()
    got = run("empty")
    tap.ok(got.returncode == 0 and got.stdout == "No profiles.\n", "an empty directory", got)


def test_widths(tap):
    """The name of a file is what the next command needs, so it is never cut; of the rest, what matters least goes first."""
    deep = WORK / "a-directory-with-a-long-name/of-the-runs-of-a-long-project/in-november-2026"
    deep.mkdir(parents=True)
    os.link(WORK / "bare4.fathom", deep / "profile.fathom")
    path = str((deep / "profile.fathom").relative_to(WORK))
    tap.ok(path in run(path).stdout, "a long path in a pipe", run(path))
    text = terminal.shown(80, [str(BUILD / "fathom"), "list", path], WORK)
    tap.ok(path in text, "and on a terminal of 80 columns", text)
    text = terminal.shown(80, [str(BUILD / "fathom"), "list", "bare4.fathom", "killed.fathom"], WORK)
    heading = text.splitlines()[0].split()
    tap.ok("wall" in heading and "efficiency" in heading and "ended" in heading and "Hidden on this narrow terminal" in text,
           "where some columns are hidden, others than wall time and efficiency", text)
    script = "open('a-file-whose-name-takes-much-room-on-a-line.dat', 'w').write('x' * 5000)"
    subprocess.run([str(BUILD / "fathom"), "run", "-q", "-o", deep / "io.fathom", sys.executable, "-c", script], cwd=deep,
                   check=True)
    text = terminal.shown(80, [str(BUILD / "fathom"), "report", "io.fathom", "--view", "io"], deep)
    headings = [line.split() for line in text.splitlines() if line.startswith("file")]
    tap.ok(len(headings) == 2 and all({"read", "written", "time"} <= set(heading) for heading in headings) and
           "Hidden on this narrow terminal" in text, "of files, read, written and time stay", text)


def test_old(tap):
    """Files of every released version."""
    old = SOURCE / "tests/format/old"
    names = sorted(str(path) for path in old.rglob("*.fathom"))
    tap.ok(names and sorted(files(str(old), "--recursive")) == names, "profiles of older versions", names)


def test_many(tap):
    place = WORK / "many"
    place.mkdir()
    for i in range(MANY):
        os.link(WORK / "bare4.fathom", place / f"{i:04d}.fathom")
    tap.equal(len(files("many")), MANY, f"{MANY} profiles")


def test_usage(tap):
    for words, text in ((("--sort", "size"), "unknown order 'size'; choose from time, program"),
                        (("--since", "yesterday"), "--since needs a date such as 2026-11-15"),
                        (("--top", "0"), "--top needs a number of at least 1")):
        got = run(*words)
        tap.ok(got.returncode == 2 and text in got.stderr and got.stderr.count("\n") == 1, text, got)


def main():
    tap = jobs.Tap()
    subprocess.run([str(BUILD / "tests/report-views"), "--profile", str(WORK / "killed.fathom")], check=True)
    subprocess.run([str(BUILD / "tests/report-scaling"), "--profiles", str(WORK)], check=True)
    (WORK / "below").mkdir()
    shutil.copy(WORK / "bare4.fathom", WORK / "below/deep.fathom")
    test_output(tap)
    test_choice(tap)
    test_strangers(tap)
    test_widths(tap)
    test_old(tap)
    test_many(tap)
    test_usage(tap)
    tap.done()


main()
