#!/usr/bin/env python3
"""Names that a terminal would obey, a spreadsheet would compute, or that show another text than they are: of a program,
its functions, regions and arguments. None of it comes through, in any view, format or message."""
import csv
import gzip
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import xml.dom.minidom

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parent.parent.parent))
sys.path.insert(0, str(SOURCE / "tests" / "jobs"))
import jobs  # noqa: E402

NAME = b"=cmd|A0'\x1b]0;owned\x07\x9b31m\xc2\x9b\xe2\x80\xae\xe2\x81\xa6\xed\xa0\x80\"\\&<b>;%s\x7f@"
PROGRAM = """
#include <fathom.h>
extern void victim(void);
void outer(void) { victim(); }
int main(int argc, char **argv)
{
    fathom_region_begin(argv[argc - 1]);
    outer();
    fathom_region_end(argv[argc - 1]);
    return argc == 9;
}
"""
VICTIM = "void victim(void) { volatile double x = 1; for (long i = 0; i < 150000000; i++) x = x * 0.5 + 1; }"
VIEWS = ("summary", "mpi", "sizes", "balance", "topology", "regions", "timers", "calls", "callers", "flat", "modules",
         "sequence", "snapshots")


def build():
    """A program of which one function has a hostile name; and the same under such a name."""
    folder = jobs.SCRATCH / "sources"
    folder.mkdir()
    for name, text in (("main.c", PROGRAM), ("victim.c", VICTIM)):
        (folder / name).write_text(text, encoding="utf-8")
    flags = ["-O1", "-fno-inline", f"-I{SOURCE}/include", f"-I{jobs.BUILD}/include"]
    for name in ("main", "victim"):
        subprocess.run(["gcc", *flags, "-c", "-o", folder / f"{name}.o", folder / f"{name}.c"], check=True)
    for name in ("main", "victim"):
        subprocess.run([b"objcopy", b"--redefine-sym", b"victim=" + NAME, os.fsencode(folder / f"{name}.o")], check=True)
    program = os.fsencode(jobs.SCRATCH) + b"/program"
    subprocess.run([b"gcc", b"-o", program, os.fsencode(folder / "main.o"), os.fsencode(folder / "victim.o"),
                    b"-L" + os.fsencode(jobs.BUILD), b"-lfathom", b"-Wl,-rpath," + os.fsencode(jobs.BUILD)], check=True)
    hostile = os.fsencode(jobs.SCRATCH) + b"/" + NAME
    shutil.copy(program, hostile)
    return program, hostile


def fathom(*words, env=None):
    return subprocess.run([jobs.FATHOM, *words], capture_output=True, check=False, timeout=jobs.LIMIT_S,
                          env=env or jobs.environment(jobs.SCRATCH / "segments"), cwd=jobs.SCRATCH)


def forbidden(data):
    """The first character that should not be there; bytes that are no UTF-8 count."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return str(error)
    for at, char in enumerate(text):
        code = ord(char)
        if (code < 0x20 and char not in "\r\n\t") or 0x7f <= code < 0xa0 or code in (0x202e, 0x2066, 0x2028):
            return f"U+{code:04x} in {text[max(0, at - 40):at + 20]!r}"
    return None


def check_formats(tap, profile, names_known):
    for view in VIEWS:
        for words in ([], ["--format", "csv"]):
            told = fathom("report", "--view", view, *words, profile)
            tap.ok(told.returncode == 0 and not forbidden(told.stdout + told.stderr), f"{view} {' '.join(words)}",
                   told.stderr, forbidden(told.stdout + told.stderr))
            formulas = [field for row in csv.reader(io.StringIO(told.stdout.decode("utf-8", "replace"))) if words
                        for field in row if field[:1] in ("=", "+", "@") or
                        (field[:1] == "-" and not field[1:2].isdigit())]
            if words:
                tap.equal(formulas, [], f"{view} as CSV: no formula")
    told = fathom("report", "--format", "json", profile)
    tap.ok(not forbidden(told.stdout), "json", forbidden(told.stdout))
    if names_known:
        tap.ok(r"\u001b]0;owned\u0007" in told.stdout.decode(), "json: nothing is lost but bytes", told.stdout)
        json.loads(told.stdout)
    told = fathom("report", "--terse", profile)
    tap.ok(not forbidden(told.stdout), "terse", forbidden(told.stdout))
    for words in (["--format", "svg"], ["--format", "dot"], ["--view", "calls", "--format", "svg"],
                  ["--view", "calls", "--format", "dot"], ["--view", "sequence", "--format", "svg"]):
        told = fathom("report", *words, profile)
        tap.ok(told.returncode == 0 and not forbidden(told.stdout), " ".join(words), told.stderr, forbidden(told.stdout))
        if "svg" in words:
            tap.ok(xml.dom.minidom.parseString(told.stdout), f"{' '.join(words)}: is XML")
    for target in ("collapsed", "speedscope", "hatchet"):
        told = fathom("export", "--to", target, profile)
        tap.ok(told.returncode == 0 and not forbidden(told.stdout), f"export to {target}", forbidden(told.stdout))
    told = fathom("export", "--to", "pprof", profile)
    data = gzip.decompress(told.stdout)
    tap.ok(b"owned" in data and b"owned\x07" not in data and NAME[20:40] not in data, "export to pprof", data)


def check_messages(tap, told, program, profile):
    tap.ok(not forbidden(told.stderr), "fathom run", told.stderr)
    strange = jobs.SCRATCH / "strange"
    strange.mkdir()
    named = os.fsencode(strange) + b"/" + NAME + b".fathom"
    shutil.copy(profile, named)
    for what, words in (("no such file", ["report", named + b"x"]), ("no profile", ["report", program]),
                        ("no such view", ["report", "--view", NAME, profile]), ("no option", ["report", b"--" + NAME]),
                        ("runs compared", ["scale", "--strong", named, profile]),
                        ("no directory", ["collect", NAME]), ("a draft", ["modules", "init", program]),
                        ("no such command", ["run", NAME]), ("doctor", ["doctor", program]),
                        ("a profile of a strange name", ["report", named])):
        told = fathom(*words)
        tap.ok(told.stdout + told.stderr and not forbidden(told.stdout + told.stderr), f"messages: {what}",
               told, forbidden(told.stdout + told.stderr))


def main():
    tap = jobs.Tap()
    plain, hostile = build()
    for program in (plain, hostile):
        told = fathom("run", "--sample", "1000", "-o", "hostile.fathom", "--", program, NAME[:40])
        profile = jobs.SCRATCH / "hostile.fathom"
        tap.ok(told.returncode == 0 and profile.exists(), "it runs", told)
        check_formats(tap, profile, program == plain)
    check_messages(tap, told, hostile, profile)
    tap.done()


main()
