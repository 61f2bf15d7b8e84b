#!/usr/bin/env python3
"""fathom modules init: drafts from debug information and without, that report can read and that give every function of
the program a module. What is there is never written over. And which pictures there are."""
import json
import pathlib
import subprocess
import sys
import os

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parent.parent.parent))
sys.path.insert(0, str(SOURCE / "tests" / "jobs"))
import jobs  # noqa: E402

# Each works for a while.
WORK = """
double {name}(double x)
{{
    for (long i = 0; i < 60000000; i++)
        x = x * 0.5 + 1;
    return x;
}}
"""
MAIN = """
#include <stdio.h>
double waves(double), ice(double), tides(double);
void quiet(void) { }
double own(double x) { for (long i = 0; i < 60000000; i++) x = x * 0.5 + 1; return x; }
int main(void) { printf("%g\\n", waves(1) + ice(2) + tides(3) + own(4)); }
"""
FORTRAN = """
module ocean
contains
  subroutine step(x)
    real, intent(inout) :: x
    x = x + 1
  end subroutine
end module
module ice_shelf
contains
  subroutine melt(x)
    real, intent(inout) :: x
    x = x - 1
  end subroutine
end module
program model
  use ocean
  use ice_shelf
  real :: x = 0
  call step(x)
  call melt(x)
  print *, x
end program
"""


def fathom(*words):
    return subprocess.run([jobs.FATHOM, *map(str, words)], capture_output=True, text=True, check=False)


def rules(text):
    """(module, kind, pattern) of every line that counts."""
    found = []
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        found += [(words[1], words[2], pattern) for pattern in words[3:]]
    return found


def build_c(name, layout, *flags, compiler="gcc"):
    """A program of four sources, laid out in these directories."""
    folder = jobs.SCRATCH / name
    texts = {"waves": WORK.format(name="waves"), "ice": WORK.format(name="ice"), "tides": WORK.format(name="tides"),
             "zero": MAIN}
    paths = []
    for file, text in texts.items():
        path = folder / layout.get(file, "src") / f"{file}.c"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        paths.append(str(path))
    subprocess.run([compiler, "-O1", *flags, "-o", str(folder / "model"), *paths], check=True)
    return folder / "model"


def build_prefixed(name):
    """C as it is usual: what belongs together begins with the same word. A word of two functions is none."""
    folder = jobs.SCRATCH / name
    folder.mkdir()
    names = ["ice_melt", "ice_grow", "ice_move", "sea_flow", "_sea_mix", "sea_ebb", "set_up", "set_down"]
    (folder / "all.c").write_text("".join(f"double {n}(double x) {{ return x * x + 1; }}\n" for n in names)
                                  + "int main(void) { return 0; }\n", encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-o", str(folder / "model"), str(folder / "all.c")], check=True)
    return folder / "model"


def modules_of(profile, draft):
    done = fathom("report", profile, "--modules", draft, "--format", "csv")
    rows = [line.split(",") for line in done.stdout.splitlines()[1:]]
    return done, {row[0] for row in rows if float(row[2]) > 0.01}


def measured(program):
    profile = program.with_suffix(".fathom")
    subprocess.run([jobs.FATHOM, "run", "-q", "--sample", "1000", "-o", str(profile), "--", str(program)], check=True,
                   stdout=subprocess.DEVNULL, env=jobs.environment(jobs.SCRATCH / "segments"))
    return profile


def check_c(tap):
    layout = {"waves": "src/ocean", "tides": "src/ocean/deep water", "ice": "src/ice"}
    program = build_c("directories", layout, "-g")
    draft = program.with_name("draft.txt")
    done = fathom("modules", "init", program, "-o", draft)
    tap.equal((done.returncode, done.stdout, done.stderr), (0, "", ""), "a draft is written")
    files = [rule for rule in rules(draft.read_text()) if rule[1] == "file"]
    tap.equal(files, [("ice", "file", "*/src/ice/*"), ("ocean", "file", "*/src/ocean/*"), ("zero", "file", "zero.c")],
              "directories of C, and files next to them")
    profile = measured(program)
    done, found = modules_of(profile, draft)
    tap.equal((done.returncode, done.stderr, found), (0, "", {"ocean", "ice", "zero"}),
              "report reads it, and everything has a module")
    text = fathom("report", profile, "--view", "modules", "--modules", draft).stdout
    tap.ok("note:" not in text, "without a note about its patterns", text)
    timed = fathom("modules", "init", profile)
    tap.equal([rule for rule in rules(timed.stdout) if rule[1] == "file"], files, "the same from a profile")
    slips = draft.with_name("slips.txt")
    # of the program, but never called
    slips.write_text("module quiet function quiet\nmodule tides file tide?.c tidse.c\nmodule ice function freeze\n" + "module all file *\n")
    done = fathom("report", profile, "--view", "modules", "--modules", slips)
    note = " ".join(done.stdout[done.stdout.rfind("note: "):].split())
    tap.equal((done.returncode, note), (0, f"note: {slips}: 'tidse.c' (line 2) and 'freeze' (line 3) match nothing in this program."),
              "patterns that match nothing in the program are told, but not those of code without samples")
    idle = json.loads(fathom("report", profile, "--format", "json", "--modules", slips).stdout)["modules"]["idle_patterns"]
    tap.equal(idle, [{"line": 1, "module": "quiet", "kind": "function", "pattern": "quiet"},
                     {"line": 2, "module": "tides", "kind": "file", "pattern": "tidse.c"},
                     {"line": 3, "module": "ice", "kind": "function", "pattern": "freeze"}], "in JSON too")
    before = draft.read_bytes()
    done = fathom("modules", "init", program, "-o", draft)
    tap.ok(done.returncode == 1 and "already exists" in done.stderr and draft.read_bytes() == before,
           "a file that is there stays as it is", done)
    flat = build_c("flat", {}, "-g")
    found = [rule for rule in rules(fathom("modules", "init", flat).stdout) if rule[1] == "file"]
    tap.equal(found, [(n, "file", f"{n}.c") for n in ("ice", "tides", "waves", "zero")], "files, if all lie in one directory")
    clang = build_c("clang", layout, "-g", "-gdwarf-5", compiler="clang")
    tap.equal([rule for rule in rules(fathom("modules", "init", clang).stdout) if rule[1] == "file"], files,
              "the same with clang, which numbers source files from 0")
    bare = build_c("bare", layout)
    prefixed = build_prefixed("prefixed")
    done = fathom("modules", "init", prefixed)
    tap.equal([rule for rule in rules(done.stdout) if rule[1] == "function"],
              [("ice", "function", "ice_*"), ("sea", "function", "sea_*"), ("sea", "function", "_sea_*")],
              "of C without debug information: prefixes of its functions")
    link = prefixed.with_name("link")
    link.symlink_to(prefixed.name)
    tap.ok({("link", "library", "link"), ("link", "library", "model")} <= set(rules(fathom("modules", "init", link).stdout)),
           "a link is the program that it leads to")
    tap.equal([r for r in rules(fathom("modules", "init", bare).stdout) if r[0] not in ("mpi", "system")],
              [("model", "library", "model"), ("libraries", "library", "*")], "C without debug information is one module")
    return profile


def check_fortran(tap):
    source = jobs.SCRATCH / "model.f90"
    source.write_text(FORTRAN, encoding="utf-8")
    for flags, wanted in ((("-g",), [("ice_shelf", "function", "ice_shelf::*"), ("ocean", "function", "ocean::*")]),
                          ((), [("ice_shelf", "function", "ice_shelf::*"), ("ocean", "function", "ocean::*")])):
        program = jobs.SCRATCH / f"fortran{len(flags)}"
        subprocess.run(["gfortran", *flags, "-o", str(program), str(source)], check=True, cwd=jobs.SCRATCH)
        found = [rule for rule in rules(fathom("modules", "init", program).stdout) if rule[1] != "library"]
        tap.equal(found, wanted, f"Fortran with {flags}")


def check_errors(tap):
    text = jobs.SCRATCH / "text"
    text.write_text("hello\n", encoding="utf-8")
    for words, status, says in (((), 2, "init or compare"), (("draw",), 2, "unknown subcommand 'draw'"), (("init",), 2, "init needs a profile or a program"),
                                (("init", "a", "b"), 2, "unexpected argument 'b'"), (("init", "--hello"), 2, "unknown option '--hello'"),
                                (("init", "/nonexistent"), 1, "/nonexistent"), (("init", text), 1, "not an ELF file"),
                                (("init", jobs.FATHOM, "-o", "/nonexistent/x"), 1, "cannot write /nonexistent/x")):
        done = fathom("modules", *words)
        tap.ok(done.returncode == status and says in done.stderr and done.stderr.count("\n") == 1 and not done.stdout,
               f"modules {' '.join(map(str, words[:1]))}: {says}", done)


def check_files(tap, profile):
    """What a file of modules may be."""
    done = subprocess.run(["bash", "-c", f"'{jobs.FATHOM}' report '{profile}' --format csv --modules "
                           "<(printf 'module sea file waves.c\\n')"], capture_output=True, text=True, check=False)
    tap.ok(done.returncode == 0 and "\nsea," in done.stdout, "a pipe of modules is read", done)
    for path in ("/dev/zero", jobs.SCRATCH):
        done = fathom("report", profile, "--modules", path)
        tap.equal((done.returncode, done.stdout, done.stderr),
                  (1, "", f"fathom report: {path} is neither a file nor a pipe.\n"), "others are refused")


def check_pictures(tap, profile):
    """Which views have one."""
    for words, status, says in ((("--view", "mpi", "--format", "svg"), 2, "views calls, modules, efficiency and sequence have pictures, not mpi"),
                                (("--format", "png"), 2, "choose from text, json, csv, svg, dot"),
                                (("--format", "svg", "--focus", "nowhere"), 2, "no samples in function 'nowhere'")):
        done = fathom("report", profile, *words)
        tap.ok(done.returncode == status and says in done.stderr and not done.stdout, f"no picture: {says}", done)
    for view, name in (("calls", "waves"), ("modules", "waves.c")):
        done = fathom("report", profile, "--view", view, "--format", "svg")
        tap.ok(done.returncode == 0 and done.stdout.startswith("<svg") and f">{name}</text>" in done.stdout,
               f"a picture of {view}", done)
    done = fathom("report", profile, "--format", "svg")
    tap.ok(">waves.c</text>" in done.stdout, "of modules, unless a view is named", done)
    none = jobs.SCRATCH / "none.fathom"
    subprocess.run([jobs.FATHOM, "run", "-q", "--sample", "off", "-o", str(none), "--", "true"], check=True,
                   env=jobs.environment(jobs.SCRATCH / "segments"))
    for words in (("report", none, "--format", "svg"), ("modules", "compare", profile, none)):
        done = fathom(*words)
        tap.ok(done.returncode == 1 and "no call paths" in done.stderr and not done.stdout,
               f"{words[0]}: nothing to draw or compare without samples", done)


def main():
    tap = jobs.Tap()
    profile = check_c(tap)
    check_pictures(tap, profile)
    check_files(tap, profile)
    check_fortran(tap)
    check_errors(tap)
    tap.done()


main()
